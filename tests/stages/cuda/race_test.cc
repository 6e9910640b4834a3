// SPDX-License-Identifier: Apache-2.0
// That ThreadSanitizer sees races between the threads of a simulated GPU, and none where there are
// none.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>

#include "stages/cuda/as_threads.h"
#include "stages/cuda/run_on_host.h"

namespace glint::cuda {
namespace {

struct Row {
  std::int32_t values[256];
};

/// Each thread reads what its neighbour in the block wrote, after `kPhases - 1` barriers.
template <int phases>
struct ReadNeighbour {
  using Shape = BlockShape<phases, Row>;

  std::int32_t* out;

  template <int phase>
  void Run(const Thread& at, Row& shared, Shape::Locals&) const {
    if constexpr (phase == 0) shared.values[at.index] = at.index;
    if constexpr (phase + 1 == phases) {
      out[at.block_x * 256 + at.index] = shared.values[(at.index + 1) % 256];
    }
  }
};

/// Each thread writes into a place of the device's memory, `apart` from that of the next block.
struct WriteOwn {
  using Shape = BlockShape<1, Nothing>;

  std::int32_t* out;
  int apart;

  template <int phase>
  void Run(const Thread& at, Nothing&, Shape::Locals&) const {
    out[at.block_x * apart + at.index] = at.block_x;
  }
};

/// All threads of all blocks add to one sum.
struct Count {
  using Shape = BlockShape<1, Nothing>;

  std::uint64_t* sum;

  template <int phase>
  void Run(const Thread&, Nothing&, Shape::Locals&) const {
    AtomicAdd(sum, 1);
  }
};

template <class Kernel>
void RunAndLeave(const Kernel& kernel, int blocks) {
  RunOnHost(kernel, {.x = blocks}, {}, AsThreads());
  std::exit(0);  // ThreadSanitizer ends it with 66 where it has reported something
}

constexpr int kReported = 66;

class Races : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  std::array<std::int32_t, 4096> out_{};
};

TEST_F(Races, OfNeighboursWithoutABarrierAreSeen) {
  EXPECT_EXIT(RunAndLeave(ReadNeighbour<1>{out_.data()}, 1), testing::ExitedWithCode(kReported),
              "data race");
}

TEST_F(Races, OfBlocksThatWriteToOnePlaceAreSeen) {
  EXPECT_EXIT(RunAndLeave(WriteOwn{out_.data(), 255}, 8), testing::ExitedWithCode(kReported),
              "data race");
}

TEST_F(Races, AreNotSeenWhereThereIsABarrier) {
  RunOnHost(ReadNeighbour<2>{out_.data()}, {.x = 8}, {}, AsThreads());
  for (int i = 0; i < 8 * 256; ++i) EXPECT_EQ(out_[i], (i + 1) % 256) << i;
}

TEST_F(Races, AreNotSeenBetweenLaunches) {
  RunOnHost(WriteOwn{out_.data(), 256}, {.x = 16}, {}, AsThreads());
  RunOnHost(WriteOwn{out_.data() + 1, 255}, {.x = 1}, {}, AsThreads());
  EXPECT_EQ(out_[4095], 15);
}

TEST_F(Races, AreNotSeenInAtomicSums) {
  std::uint64_t sum = 0;
  RunOnHost(Count{&sum}, {.x = 16, .y = 3}, {}, AsThreads());
  EXPECT_EQ(sum, 16U * 3 * 256);
}

}  // namespace
}  // namespace glint::cuda
