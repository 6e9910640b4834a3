// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/memory_pool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "stages/cuda/simulated_gpu.h"

namespace {

thread_local int allocations = 0;  // of host memory, by this thread

}  // namespace

// ThreadSanitizer takes the fibers of as_threads.h for threads, which share this one's counter.
[[gnu::noinline, gnu::no_sanitize_thread]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace glint::cuda {
namespace {

TEST(MemoryPool, TakesNoHostMemoryToKeepWhatIsLetGo) {
  const auto pool = MemoryPool::Make(MakeSimulatedGpu(std::make_shared<SimulatedFaults>()),
                                     std::size_t{16} << 20);
  std::vector<Block> blocks;
  const int before = allocations;
  for (int i = 1; i <= 20; ++i) blocks.push_back(*pool->Allocate(std::size_t{1000} * i));
  ASSERT_GT(allocations, before) << "allocations are seen";
  const std::size_t in_use = pool->in_use();
  const int made = allocations;
  for (Block& block : blocks) block.reset();
  EXPECT_EQ(allocations, made);
  EXPECT_EQ(pool->in_use(), 0);
  EXPECT_EQ(pool->kept(), in_use);
}

}  // namespace
}  // namespace glint::cuda
