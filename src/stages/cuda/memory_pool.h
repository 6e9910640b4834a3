// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <map>
#include <memory>

#include "base/mutex.h"
#include "stages/cuda/gpu.h"

namespace glint::cuda {

/// Device memory that goes back to the pool when its last owner lets go.
using Block = std::shared_ptr<std::byte>;

/// Memory of one GPU, up to a budget. Allocating on a GPU takes long and waits for all its work;
/// the pool keeps what is let go for the next taker of about that size. Whoever lets go of a block
/// must have waited for the work that uses it. Safe to use from several threads.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  /// @param budget  bytes that are never exceeded, kept memory included
  static std::shared_ptr<MemoryPool> Make(std::shared_ptr<Gpu> gpu, std::size_t budget);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// At least `bytes` (of 0, nothing), uninitialised, aligned to 256.
  /// Errors: OUT_OF_MEMORY when neither budget nor GPU have room, even after giving back what is
  /// kept; the message holds the byte counts
  absl::StatusOr<Block> Allocate(std::size_t bytes);

  std::size_t budget() const { return budget_; }
  /// Bytes in use, and kept for later.
  std::size_t in_use() const;
  std::size_t kept() const;

 private:
  MemoryPool(std::shared_ptr<Gpu> gpu, std::size_t budget)
      : gpu_(std::move(gpu)), budget_(budget) {}

  /// Kept memory by size. What is in use keeps its node, so that giving it back takes no memory.
  using Kept = std::multimap<std::size_t, std::byte*>;

  absl::StatusOr<Kept::node_type> Reserve(std::size_t size);
  void Deallocate(Kept::node_type node) noexcept;
  void FreeKept() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<Gpu> gpu_;
  const std::size_t budget_;
  mutable Mutex mutex_;
  Kept kept_ ABSL_GUARDED_BY(mutex_);
  std::size_t kept_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_in_use_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace glint::cuda
