// SPDX-License-Identifier: Apache-2.0
// Work that repeats runs as a graph: when, with the numbers that it has without, and never with
// what was true before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "base/thread_pool.h"
#include "stages/cpu/backend.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/entry.h"
#include "stages/cuda/flow_memory.h"
#include "stages/cuda/graph_cache.h"
#include "stages/cuda/kernels/copy.h"
#include "stages/cuda/measure_in_batches.h"
#include "stages/cuda/simulated_gpu.h"
#include "support/needs_gpu.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint::cuda {
namespace {

using testing::HasSubstr;
using Lengths = std::vector<std::size_t>;

constexpr Size kSize{24, 20};

std::byte* Address(std::uintptr_t number) { return reinterpret_cast<std::byte*>(number); }

TEST(CapturedWork, IsTheSameOnlyWhenEveryPartOfItIs) {
  struct Parts {
    const CopyUnit* from = reinterpret_cast<const CopyUnit*>(Address(0x1000));
    std::int64_t count = 5;
    Grid grid{.x = 2, .y = 3};
    Rows2d device{Address(0x2000), 16};
    Rows2d host{Address(0x3000), 20};
    std::size_t row_bytes = 12;
    int rows = 4;
    std::size_t cleared = 64;
    bool copy_first = false;
    bool in = false;
    bool once_more = false;
  };
  const auto sequence = [](const std::function<void(Parts&)>& change) {
    Parts parts;
    change(parts);
    CapturedWork work;
    const auto copy = [&] {
      return parts.in
                 ? work.CopyPinnedToDevice(parts.device, parts.host, parts.row_bytes, parts.rows)
                 : work.CopyDeviceToPinned(parts.host, parts.device, parts.row_bytes, parts.rows);
    };
    if (parts.copy_first) {
      EXPECT_THAT(copy(), IsOk());
    }
    EXPECT_THAT(work.Clear(Address(0x4000), parts.cleared), IsOk());
    const CopyKernel kernel{.from = parts.from, .to = nullptr, .count = parts.count};
    EXPECT_THAT(work.Run(kernel, parts.grid), IsOk());
    if (!parts.copy_first) {
      EXPECT_THAT(copy(), IsOk());
    }
    if (parts.once_more) {
      EXPECT_THAT(work.Clear(Address(0x4000), parts.cleared), IsOk());
    }
    return work;
  };
  const CapturedWork same = sequence([](Parts&) {});
  EXPECT_EQ(same, sequence([](Parts&) {}));
  EXPECT_EQ(sequence([](Parts& p) { p.grid.y = 0; }), sequence([](Parts& p) { p.grid.x = 0; }))
      << "no blocks are no work";
  const std::vector<std::function<void(Parts&)>> changes = {
      [](Parts& p) { ++p.from; },
      [](Parts& p) { ++p.count; },
      [](Parts& p) { ++p.grid.x; },
      [](Parts& p) { ++p.grid.y; },
      [](Parts& p) { p.grid.y = 0; },
      [](Parts& p) { ++p.device.first; },
      [](Parts& p) { ++p.device.stride; },
      [](Parts& p) { ++p.host.first; },
      [](Parts& p) { ++p.host.stride; },
      [](Parts& p) { ++p.row_bytes; },
      [](Parts& p) { ++p.rows; },
      [](Parts& p) { ++p.cleared; },
      [](Parts& p) { p.copy_first = true; },
      [](Parts& p) { p.in = true; },
      [](Parts& p) { p.once_more = true; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_FALSE(same == sequence(changes[i])) << "change " << i;
  }
}

/// Device and host memory of a GPU.
struct Memory {
  Memory(Gpu& of, std::size_t bytes)
      : gpu(of), device(*gpu.Allocate(bytes)), host(*gpu.AllocateHost(bytes)) {}
  ~Memory() {
    gpu.Free(device);
    gpu.FreeHost(host);
  }
  Gpu& gpu;
  std::byte* device;
  std::byte* host;
};

/// The parameter is whether the GPU is simulated.
class Graphs : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Gpus, Graphs, testing::Bool(),
                         [](const auto& gpu) { return gpu.param ? "simulated" : "gpu"; });

TEST_P(Graphs, DoWhatTheirPartsDo) {
  const auto opened = GetParam() ? MakeSimulatedGpu(std::make_shared<SimulatedFaults>()) : Open(0);
  if (GetParam()) {
    ASSERT_THAT(opened, IsOk());
  }
  GLINT_NEEDS_GPU(opened.status());
  Gpu& gpu = **opened;
  constexpr std::size_t kBytes = 4096;
  const Memory in(gpu, kBytes), out(gpu, kBytes);
  const auto stream = *gpu.MakeStream();
  // Rows from the host into wider ones, units of the kernel's, and wider rows back.
  CapturedWork work;
  ASSERT_THAT(work.Clear(in.device, kBytes), IsOk());
  ASSERT_THAT(work.CopyPinnedToDevice({in.device, 96}, {in.host, 80}, 72, 40), IsOk());
  ASSERT_THAT(work.Run(CopyKernel{.from = reinterpret_cast<const CopyUnit*>(in.device),
                                  .to = reinterpret_cast<CopyUnit*>(out.device),
                                  .count = kBytes / sizeof(CopyUnit)},
                       {.x = 1}),
              IsOk());
  ASSERT_THAT(work.Clear(in.device, kBytes), IsOk());
  ASSERT_THAT(work.CopyDeviceToPinned({out.host, 100}, {out.device, 96}, 90, 40), IsOk());
  const auto graph = stream->InstantiateGraph(work);
  ASSERT_THAT(graph, IsOk());
  for (int time = 0; time < 3; ++time) {
    std::vector<std::byte> expected(kBytes, std::byte{0x77});
    for (std::size_t i = 0; i < kBytes; ++i) in.host[i] = static_cast<std::byte>(i * 7 + time);
    for (std::size_t y = 0; y < 40; ++y) {
      std::fill_n(expected.begin() + y * 100, 90, std::byte{0});
      std::copy_n(in.host + y * 80, 72, expected.begin() + y * 100);
    }
    std::fill_n(out.host, kBytes, std::byte{0x77});
    ASSERT_THAT(time == 0 ? work.Replay(*stream) : stream->LaunchGraph(**graph), IsOk());
    ASSERT_THAT(stream->Wait(), IsOk());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.host)) << time;
  }
}

class GraphTest : public MeasuringTest {
 protected:
  using MeasuringTest::ExpectTheCpusNumbers;
  void ExpectTheCpusNumbers(const Lengths& batches, bool motion) {
    const std::size_t count = std::accumulate(batches.begin(), batches.end(), std::size_t{0});
    ExpectTheCpusNumbers(Frames(static_cast<int>(count), kSize), batches, motion);
  }
};

TEST_F(GraphTest, WorkIsAGraphFromItsSecondTimeOnAndNeverWhatItWasBefore) {
  constexpr std::size_t kBytes = 256;
  const auto gpu = MakeSimulatedGpu(faults_);
  const Memory memory(*gpu, kBytes);
  std::vector<std::byte> ones(kBytes, std::byte{1});
  const auto stream = *gpu->MakeStream();
  GraphCache work(2);
  // What two places clear in turn; those marked are the same as that place's time before.
  const struct {
    std::size_t place;
    std::size_t cleared;
    bool as_graph;
  } times[] = {{0, 8, false}, {1, 8, false},  {0, 8, true},   {1, 16, false}, {0, 8, true},
               {1, 16, true}, {0, 16, false}, {1, 16, true},  {0, 8, false},  {1, 16, true},
               {0, 8, true},  {1, 24, false}, {0, 16, false}, {1, 16, false}};
  int graphs = 0;
  for (const auto& time : times) {
    CapturedWork sequence;
    ASSERT_THAT(sequence.Clear(memory.device, time.cleared), IsOk());
    ASSERT_THAT(sequence.CopyDeviceToPinned({memory.host, 0}, {memory.device, 0}, kBytes, 1),
                IsOk());
    ASSERT_THAT(stream->CopyIn({memory.device, 0}, {ones.data(), 0}, kBytes, 1), IsOk());
    ASSERT_THAT(work.Run(*stream, time.place, std::move(sequence)), IsOk());
    ASSERT_THAT(stream->Wait(), IsOk());
    EXPECT_EQ(std::count(memory.host, memory.host + kBytes, std::byte{0}), time.cleared);
    graphs += time.as_graph ? 1 : 0;
    EXPECT_EQ(faults_->graph_runs, graphs);
  }
  EXPECT_EQ(faults_->graphs_made, 3);
}

class GraphInOrder : public GraphTest, public testing::WithParamInterface<SimulatedOrder> {};

INSTANTIATE_TEST_SUITE_P(Orders, GraphInOrder, SimulatedOrders());

TEST_P(GraphInOrder, NearlyEveryBatchOfAVideoIsAGraph) {
  faults_->order = GetParam();
  Lengths batches(12, 16);
  batches.push_back(8);
  ExpectTheCpusNumbers(batches, true);
  EXPECT_EQ(faults_->graphs_made, 2) << "one for each of two in flight";
  EXPECT_EQ(faults_->graph_runs, 9) << "all but the first three and the last one, of 13";
  ExpectTheCpusNumbers(batches, false);
  EXPECT_EQ(faults_->graphs_made, 4);
  EXPECT_EQ(faults_->graph_runs, 9 + 10) << "without motion, the first batch is as the others";
}

TEST_P(GraphInOrder, BatchesWhoseLengthChangesHaveTheirNumbers) {
  faults_->order = GetParam();
  for (const bool motion : {true, false}) {
    const int before = faults_->graph_runs;
    ExpectTheCpusNumbers({3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 4, 3, 3, 3, 3, 3, 17, 17, 17, 17, 17, 1},
                         motion);
    EXPECT_GE(faults_->graph_runs - before, 9);
  }
}

TEST_P(GraphInOrder, AFrameThatIsExpandedAgainStaysUntilThatIsDone) {
  faults_->order = GetParam();
  // The flow's memory grows at each step, and loses the expansion of the frame before.
  ExpectTheCpusNumbers({1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 9, 9, 9, 9, 9}, true);
  EXPECT_GE(faults_->graph_runs, 4);
}

TEST_P(GraphInOrder, FewerPairsAtOnceThanABatchHasMakeGraphsToo) {
  faults_->order = GetParam();
  const farneback::Geometry geometry(kSize);
  faults_->memory = FlowBytes(geometry, 4) * 5;
  ASSERT_EQ(PlanPairs(geometry, static_cast<std::size_t>(static_cast<double>(faults_->memory) *
                                                         kMemoryShare)),
            4);
  gpu_ = *MakeBackend([faults = faults_] { return MakeSimulatedGpu(faults); });
  ExpectTheCpusNumbers(Lengths(8, 16), true);
  EXPECT_EQ(faults_->graph_runs, 5);
}

TEST_P(GraphInOrder, FramesOfAnotherSizeHaveTheirNumbers) {
  faults_->order = GetParam();
  const std::vector<Size> sizes = {kSize, {24, 19}, {40, 33}, kSize};
  for (const Size size : sizes) {  // scan after scan, in memory that the one before gave back
    ExpectTheCpusNumbers(Frames(18, size), Lengths(6, 3), true);
  }
  EXPECT_EQ(faults_->graph_runs, 3 * std::ssize(sizes));
  std::vector<Plane> all;  // within one scan
  for (const Size size : sizes) {
    for (Plane& frame : Frames(18, size)) all.push_back(std::move(frame));
  }
  ExpectTheCpusNumbers(all, Lengths(6 * sizes.size(), 3), false);
  EXPECT_EQ(faults_->graph_runs, (3 + 4) * std::ssize(sizes));
}

TEST_F(GraphTest, WhereAGraphIsRefusedWorkGoesOnWithoutAndNoneIsTriedAgain) {
  faults_->refuses_graphs = true;
  ExpectTheCpusNumbers(Lengths(10, 3), true);
  EXPECT_EQ(faults_->graphs_tried, 1);
  EXPECT_EQ(faults_->graph_runs, 0);
  EXPECT_FALSE(faults_->lost);

  faults_->refuses_graphs = false;
  faults_->refuses_to_run_graphs = true;
  ExpectTheCpusNumbers(Lengths(10, 3), true);
  EXPECT_EQ(faults_->graphs_tried, 2);
  EXPECT_EQ(faults_->graph_runs, 0);

  faults_->refuses_to_run_graphs = false;
  ExpectTheCpusNumbers(Lengths(10, 3), true);
  EXPECT_GT(faults_->graph_runs, 0) << "another scan may try";
}

TEST_F(GraphTest, NoGraphCopiesToMemoryThatIsNotTheGpus) {
  faults_->no_host_memory = true;
  ExpectTheCpusNumbers(Lengths(10, 3), true);
  EXPECT_EQ(faults_->graphs_tried, 0);
}

TEST_F(GraphTest, AGpuThatIsLostInsideOfAGraphIsReported) {
  const Lengths batches(6, 3);
  const std::vector<Plane> frames = Frames(18, kSize);
  ASSERT_THAT(Measure(*OnGpu(), frames, batches, true), IsOk());
  ASSERT_EQ(faults_->graph_runs, 3) << "the second half";
  const int launches = faults_->launches;
  int inside = 0;
  for (int left = launches / 2 + 1; left < launches; ++left) {
    const auto faults = std::make_shared<SimulatedFaults>();
    faults->launches_left = left;
    const auto backend = *MakeBackend([faults] { return MakeSimulatedGpu(faults); });
    EXPECT_THAT(Measure(**backend->MakeMeasure(), frames, batches, true),
                FailsWith(Reason::kDeviceUnavailable, HasSubstr("illegal address")))
        << left;
    EXPECT_EQ(faults->host_blocks, 0);
    inside += faults->graph_runs > 0 ? 1 : 0;
  }
  EXPECT_GT(inside, 5);
}

TEST_F(GraphTest, AStageThatIsLetGoWithGraphsUnderWayWaitsForThem) {
  const std::vector<Plane> frames = Frames(3, kSize);
  {
    const auto stage = OnGpu();
    ASSERT_THAT(Measure(*stage, Frames(18, kSize), Lengths(6, 3), true), IsOk());
    const int runs = faults_->graph_runs, launches = faults_->launches;
    ASSERT_THAT(stage->Begin(frames, true), IsOk());
    ASSERT_THAT(stage->Begin(frames, true), IsOk());
    EXPECT_EQ(faults_->graph_runs, runs + 2);
    EXPECT_EQ(faults_->launches, launches) << "nothing has waited";
  }
  EXPECT_EQ(faults_->host_blocks, 0);
  EXPECT_EQ(faults_->freed_under_way, 0);
}

}  // namespace
}  // namespace glint::cuda
