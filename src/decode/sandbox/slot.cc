// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/slot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

#include "glint/error.h"

namespace glint::sandbox {
namespace {

absl::Status NoSlot(std::int64_t bytes, std::string_view step) {
  return Error(
      Reason::kOutOfMemory,
      fmt::format("{} bytes of memory shared with the decoder's process could not be had "
                  "({}: {}); give glint more memory, or a larger limit on the size of files",
                  bytes, step, std::generic_category().message(errno)));
}

}  // namespace

absl::StatusOr<Slot> Slot::Make(std::int64_t bytes, Descriptor& passed) {
  rlimit file_size{};  // beyond it ftruncate would raise a signal
  getrlimit(RLIMIT_FSIZE, &file_size);
  if (file_size.rlim_cur < static_cast<rlim_t>(bytes)) {
    errno = EFBIG;
    return NoSlot(bytes, "limit on the size of files");
  }
  Descriptor memory(memfd_create("glint-frame", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.open()) return NoSlot(bytes, "memfd_create");
  if (ftruncate(memory.number(), bytes) != 0) return NoSlot(bytes, "ftruncate");
  // A file that could shrink would let the child kill the worker by SIGBUS.
  if (fcntl(memory.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return NoSlot(bytes, "sealing");
  }
  auto slot = Map(memory, bytes, PROT_READ);
  if (slot.ok()) passed = std::move(memory);
  return slot;
}

absl::StatusOr<Slot> Slot::Map(const Descriptor& memory, std::int64_t bytes) {
  return Map(memory, bytes, PROT_READ | PROT_WRITE);
}

absl::StatusOr<Slot> Slot::Map(const Descriptor& memory, std::int64_t bytes, int protection) {
  const auto length = static_cast<std::size_t>(bytes);
  void* at = mmap(nullptr, length, protection, MAP_SHARED, memory.number(), 0);
  if (at == MAP_FAILED) return NoSlot(bytes, "mmap");
  return Slot({static_cast<std::uint8_t*>(at), length});
}

Slot::~Slot() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

}  // namespace glint::sandbox
