// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/simulated_memory.h"

#include <sys/mman.h>

#include <cstring>

namespace glint::cuda {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

SimulatedMemory::~SimulatedMemory() {
  for (const auto& [first, region] : regions_) munmap(region.start, region.length + kPage);
}

std::byte* SimulatedMemory::Allocate(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const std::size_t length = (bytes + kPage - 1) / kPage * kPage;
  void* mapped = mmap(nullptr, length + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* start = static_cast<std::byte*>(mapped);
  // Sizes are multiples of 256, as the pool rounds them.
  std::byte* first = start + (length - bytes) / 256 * 256;
  mprotect(start, length, PROT_READ | PROT_WRITE);
  std::memset(start, 0xA5, length);
  if (working_ == 0) mprotect(start, length, PROT_NONE);
  regions_[first] = {start, length, bytes};
  return first;
}

std::size_t SimulatedMemory::Free(std::byte* memory) {
  const std::scoped_lock lock(mutex_);
  const auto found = regions_.find(memory);
  if (found == regions_.end()) return 0;
  const Region region = found->second;
  munmap(region.start, region.length + kPage);
  regions_.erase(found);
  return region.bytes;
}

void SimulatedMemory::Work(const std::function<void()>& work) {
  Protect(+1, PROT_READ | PROT_WRITE);
  work();
  Protect(-1, PROT_NONE);
}

std::vector<std::span<std::byte>> SimulatedMemory::Allocations() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::span<std::byte>> all;
  all.reserve(regions_.size());
  for (const auto& [first, region] : regions_) all.emplace_back(first, region.bytes);
  return all;
}

void SimulatedMemory::Protect(int change, int protection) {
  const std::scoped_lock lock(mutex_);
  const int before = working_;
  working_ += change;
  if (before != 0 && working_ != 0) return;
  for (const auto& [first, region] : regions_) mprotect(region.start, region.length, protection);
}

}  // namespace glint::cuda
