// SPDX-License-Identifier: Apache-2.0
// Instructions that touch memory.
#pragma once

#include <cstring>

#include "stages/cuda/ptx/instructions.h"

namespace glint::cuda::ptx {

enum class Space : std::uint8_t { kGlobal, kShared, kArguments };

/// Where an address leads; null, with a fault, when nowhere.
inline std::byte* Locate(ThreadState& thread, Space space, int slot, std::int64_t offset,
                         std::size_t bytes) {
  std::byte* at = nullptr;
  if (space == Space::kShared) {
    const std::int64_t from = Read<std::uint32_t>(thread, slot) + offset;
    const auto size = static_cast<std::int64_t>(thread.shared.size());
    if (from < 0 || from + static_cast<std::int64_t>(bytes) > size) {
      thread.Fault(FaultKind::kIllegalAddress, "outside of shared memory");
      return nullptr;
    }
    if (static_cast<std::size_t>(from) % bytes != 0) {
      thread.Fault(FaultKind::kMisalignedAddress, "misaligned in shared memory");
      return nullptr;
    }
    return thread.shared.data() + from;
  }
  const std::uint64_t address =
      Read<std::uint64_t>(thread, slot) + static_cast<std::uint64_t>(offset);
  std::memcpy(&at, &address, sizeof at);
  if (address % bytes != 0) {
    thread.Fault(FaultKind::kMisalignedAddress, "misaligned");
    return nullptr;
  }
  if (space == Space::kArguments) {
    const std::byte* first = thread.arguments.data();
    if (at >= first && at + bytes <= first + thread.arguments.size()) return at;
    thread.Fault(FaultKind::kIllegalAddress, "outside of the arguments");
    return nullptr;
  }
  if (thread.memory->Holds(at, bytes)) return at;
  thread.Fault(FaultKind::kIllegalAddress, "outside of device memory");
  return nullptr;
}

template <class T, Space space, int count>
void Load(const Instruction& i, ThreadState& thread) {
  const std::byte* from =
      Locate(thread, space, i.slots[count], i.offset, sizeof(T) * std::size_t{count});
  if (from == nullptr) return;
  for (std::size_t k = 0; k < count; ++k) {
    T value;
    std::memcpy(&value, from + k * sizeof value, sizeof value);
    Write<T>(thread, i.slots[k], value);
  }
}

template <class T, Space space, int count>
void Store(const Instruction& i, ThreadState& thread) {
  std::byte* to = Locate(thread, space, i.slots[0], i.offset, sizeof(T) * std::size_t{count});
  if (to == nullptr) return;
  for (std::size_t k = 0; k < count; ++k) {
    const T value = Read<T>(thread, i.slots[k + 1]);
    std::memcpy(to + k * sizeof value, &value, sizeof value);
  }
}

template <class What, class T, Space space>
void Atomic(const Instruction& i, ThreadState& thread) {
  std::byte* at = Locate(thread, space, i.slots[1], i.offset, sizeof(T));
  if (at == nullptr) return;
  T before;
  std::memcpy(&before, at, sizeof before);
  const T after = What::Of(before, Read<T>(thread, i.slots[2]));
  std::memcpy(at, &after, sizeof after);
  Write<T>(thread, i.slots[0], before);
}

}  // namespace glint::cuda::ptx
