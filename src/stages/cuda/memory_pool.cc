// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/memory_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint::cuda {
namespace {

/// Sizes in steps of an eighth, so that a block serves requests of about its size.
std::size_t RoundUp(std::size_t bytes) {
  constexpr std::size_t kSmallest = 256;
  const std::size_t step = std::max(kSmallest, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

}  // namespace

std::shared_ptr<MemoryPool> MemoryPool::Make(std::shared_ptr<Gpu> gpu, std::size_t budget) {
  return std::shared_ptr<MemoryPool>(new MemoryPool(std::move(gpu), budget));
}

MemoryPool::~MemoryPool() {
  const MutexLock lock(mutex_);
  FreeKept();
}

absl::StatusOr<Block> MemoryPool::Allocate(std::size_t bytes) {
  if (bytes == 0) return Block();
  GLINT_ASSIGN_OR_RETURN(Kept::node_type node, Reserve(RoundUp(bytes)));
  std::byte* const memory = node.mapped();
  // Not under the lock: this takes host memory, and where there is none, gives the block back.
  return Block(memory, [pool = shared_from_this(), node = std::move(node)](std::byte*) mutable {
    pool->Deallocate(std::move(node));
  });
}

absl::StatusOr<MemoryPool::Kept::node_type> MemoryPool::Reserve(std::size_t size) {
  const MutexLock lock(mutex_);
  Kept::node_type node = kept_.extract(size);
  if (!node.empty()) {
    kept_bytes_ -= size;
    bytes_in_use_ += size;
    return node;
  }
  if (bytes_in_use_ + kept_bytes_ + size > budget_) FreeKept();
  if (bytes_in_use_ + size > budget_) {
    return Error(Reason::kOutOfMemory,
                 fmt::format("{} bytes of GPU memory are wanted, {} of the budget of {} are in "
                             "use; scan fewer videos at a time or give a larger budget",
                             size, bytes_in_use_, budget_));
  }
  Kept made;
  node = made.extract(made.emplace(size, nullptr));
  auto allocated = gpu_->Allocate(size);
  if (ReasonOf(allocated.status()) == Reason::kOutOfMemory && kept_bytes_ > 0) {
    FreeKept();
    allocated = gpu_->Allocate(size);
  }
  GLINT_ASSIGN_OR_RETURN(node.mapped(), std::move(allocated));
  bytes_in_use_ += size;
  return node;
}

std::size_t MemoryPool::in_use() const {
  const MutexLock lock(mutex_);
  return bytes_in_use_;
}

std::size_t MemoryPool::kept() const {
  const MutexLock lock(mutex_);
  return kept_bytes_;
}

void MemoryPool::Deallocate(Kept::node_type node) noexcept {
  const MutexLock lock(mutex_);
  bytes_in_use_ -= node.key();
  if (gpu_->IsLost()) {
    gpu_->Free(node.mapped());
    return;
  }
  kept_bytes_ += node.key();
  kept_.insert(std::move(node));
}

void MemoryPool::FreeKept() {
  for (const auto& [bytes, memory] : kept_) gpu_->Free(memory);
  kept_.clear();
  kept_bytes_ = 0;
}

}  // namespace glint::cuda
