// SPDX-License-Identifier: Apache-2.0
#include "base/large_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace glint {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;  // bytes, on x86-64 and most of AArch64
constexpr std::size_t kPage = std::size_t{64} << 10;     // the largest ordinary page there is
constexpr std::size_t kMinMapped = kHugePage / 2;
constexpr std::align_val_t kAlignment{64};

/// What is mapped for so many bytes: the last huge page is filled up where little is missing.
std::size_t MappedFor(std::size_t bytes) {
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  return whole - bytes <= kHugePage / 8 ? whole : (bytes + kPage - 1) / kPage * kPage;
}

/// Memory that begins with a huge page. @param bytes  whole pages
std::byte* Map(std::size_t bytes) {
  const std::size_t room = bytes + kHugePage;  // for any alignment
  void* begin = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<std::byte*>(begin);
  void* aligned = begin;
  std::size_t space = room;
  auto* data = static_cast<std::byte*>(std::align(kHugePage, bytes, aligned, space));
  const auto before = static_cast<std::size_t>(data - first);
  if (before > 0) munmap(first, before);
  munmap(data + bytes, room - before - bytes);
#ifdef MADV_HUGEPAGE
  madvise(data, bytes, MADV_HUGEPAGE);  // where there are none, ordinary pages do
#endif
  return data;
}

}  // namespace

LargeMemory::LargeMemory(std::size_t bytes) : LargeMemory() {
  if (bytes < kMinMapped) {
    data_ = {static_cast<std::byte*>(operator new(bytes, kAlignment)), Free{0}};
    std::memset(data_.get(), 0, bytes);
  } else {
    const std::size_t mapped = MappedFor(bytes);
    data_ = {Map(mapped), Free{mapped}};
  }
}

void LargeMemory::Free::operator()(std::byte* data) const {
  if (mapped == 0) {
    operator delete(data, kAlignment);
  } else {
    munmap(data, mapped);
  }
}

}  // namespace glint
