// SPDX-License-Identifier: Apache-2.0
// Device memory that is the host's: nobody may touch it but work that runs.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace glint::cuda {

/// Allocations that begin with bytes that mean nothing and end where a page begins that nobody may
/// touch. Safe to use from several threads.
class SimulatedMemory {
 public:
  SimulatedMemory() = default;
  ~SimulatedMemory();
  SimulatedMemory(const SimulatedMemory&) = delete;
  SimulatedMemory& operator=(const SimulatedMemory&) = delete;

  /// Memory of `bytes`, aligned to 256. Null where the host has none.
  std::byte* Allocate(std::size_t bytes);
  /// @return bytes that the allocation had; 0 where there is none of this address
  std::size_t Free(std::byte* memory);
  /// Lets work touch the memory while it runs.
  void Work(const std::function<void()>& work);
  /// All allocations, by address.
  std::vector<std::span<std::byte>> Allocations() const;

 private:
  struct Region {
    std::byte* start;
    std::size_t length;
    std::size_t bytes;
  };

  void Protect(int change, int protection);

  mutable std::mutex mutex_;
  std::map<std::byte*, Region> regions_;
  int working_ = 0;
};

}  // namespace glint::cuda
