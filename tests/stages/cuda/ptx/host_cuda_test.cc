// SPDX-License-Identifier: Apache-2.0
// The CUDA backend over a CUDA runtime on the host: what its calls of the runtime do when all is
// well, and when it is not. That the results are the CPU's is told by the tests of cuda_stages_test
// and stages_test, which run here too.
#include "stages/cuda/ptx/host_cuda.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/thread_pool.h"
#include "stages/cpu/backend.h"
#include "stages/cuda/entry.h"
#include "stages/cuda/measure_in_batches.h"
#include "stages/cuda/runtime.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint::cuda::ptx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class HostCudaTest : public testing::Test {
 protected:
  void TearDown() override {
    host_.launches_left = -1;
    host_.reset_mends = true;
    host_.no_pinned_memory = false;
    host_.no_graphs = false;
    host_.no_graph_launches = false;
    host_.driver = 13000;
    host_.memory = HostCuda::kMemory;
    host_.order = SimulatedOrder::kNeededOnly;
    EXPECT_THAT(Probe({}), IsOk()) << "the next test finds a GPU that works";
  }

  /// Whether a picture that went up, through a kernel and down again is as the CPU's.
  void ExpectItWorks(Backend& backend) {
    const auto cpu = *MakeCpuBackend({.pool = &pool_});
    const Plane luma = NoisePlane({70, 50}, 3);
    const Plane up = *backend.Upload(luma);
    EXPECT_TRUE(SameBytes(*backend.Download(up), luma));
    const auto detail = (*backend.MakeDetail())->Run(up);
    ASSERT_THAT(detail, IsOk());
    const auto expected = *(*cpu->MakeDetail())->Run(luma);
    EXPECT_TRUE(SameBytes(*backend.Download(detail->variance), expected.variance));
  }

  /// Measures batches of one length, with motion.
  absl::StatusOr<Measures> MeasureOn(Backend& backend) {
    const std::vector<std::size_t> batches(6, 2);
    return Measure(**backend.MakeMeasure(), Frames(12, {20, 18}), batches, true);
  }
  void ExpectItMeasures() {
    const auto expected = MeasureOn(**MakeCpuBackend({.pool = &pool_}));
    const auto found = MeasureOn(**Make({.pool = &pool_}));
    ASSERT_THAT(found, IsOk());
    EXPECT_TRUE(*found == *expected);
  }

  ThreadPool pool_{2};
  HostCuda& host_ = HostCuda::Get();
};

TEST_F(HostCudaTest, TheGpuIsFoundAndPassesItsSelfTest) {
  EXPECT_EQ(Count(), 1);
  EXPECT_THAT(Probe({}), IsOk());
  EXPECT_THAT(Probe({.ordinal = 1}), FailsWith(Reason::kDeviceUnavailable, HasSubstr("no GPU 1")));
  const auto backend = Make({.pool = &pool_});
  ASSERT_THAT(backend, IsOk());
  EXPECT_THAT((*backend)->description(), HasSubstr("PTX on the host"));
  ExpectItWorks(**backend);
}

TEST_F(HostCudaTest, AnOldDriverIsTold) {
  const int major =
      MachineRuntime().RuntimeVersion() / 1000 - 1;  // of the toolkit before the build's
  host_.driver = major * 1000 + 80;
  EXPECT_THAT(Probe({}),
              FailsWith(Reason::kDeviceUnavailable,
                        AllOf(HasSubstr("too old"), HasSubstr(std::to_string(major) + ".8"))));
}

TEST_F(HostCudaTest, NothingIsLeftBehind) {
  { ExpectItWorks(**Make({.pool = &pool_})); }
  EXPECT_EQ(host_.in_use, 0);
  EXPECT_EQ(host_.pinned_blocks, 0);
  EXPECT_EQ(host_.streams, 0);
  EXPECT_EQ(host_.events, 0);
}

TEST_F(HostCudaTest, MeasuringRunsAsGraphsOfWhichNoneIsLeftBehind) {
  const int before = host_.graph_launches, graphs = host_.graphs;
  ExpectItMeasures();
  EXPECT_EQ(host_.graph_launches - before, 3) << "from the fourth batch on, of six";
  EXPECT_EQ(host_.graphs, graphs);
}

TEST_F(HostCudaTest, WhereGraphsAreRefusedMeasuringGoesOnWithout) {
  const int before = host_.graph_launches, graphs = host_.graphs;
  host_.no_graphs = true;
  ExpectItMeasures();
  host_.no_graphs = false;
  host_.no_graph_launches = true;
  ExpectItMeasures();
  EXPECT_EQ(host_.graph_launches, before);
  EXPECT_EQ(host_.graphs, graphs);
}

TEST_F(HostCudaTest, AnErrorInsideOfAGraphLosesTheGpu) {
  const int before = host_.launches;
  ExpectItMeasures();
  const int launches = host_.launches - before;
  const auto backend = *Make({.pool = &pool_});
  const int graphs = host_.graph_launches;
  host_.launches_left = launches - 4;  // in the last graph: the self-test's was one of them
  EXPECT_THAT(MeasureOn(*backend),
              FailsWith(Reason::kDeviceUnavailable, HasSubstr("cudaErrorIllegalAddress")));
  EXPECT_GT(host_.graph_launches, graphs);
  host_.launches_left = -1;
}

TEST_F(HostCudaTest, WithoutPinnedMemoryCopiesAreRightAllTheSame) {
  host_.no_pinned_memory = true;
  ExpectItWorks(**Make({.pool = &pool_}));
}

TEST_F(HostCudaTest, InAnyOrderOfStreams) {
  for (const auto order : {SimulatedOrder::kOthersFirst, SimulatedOrder::kRandom}) {
    host_.order = order;
    ExpectItWorks(**Make({.pool = &pool_}));
  }
}

TEST_F(HostCudaTest, AfterALackOfMemoryTheGpuGoesOn) {
  const auto backend = *Make({.pool = &pool_});
  host_.memory = host_.in_use + 1000;
  EXPECT_THAT(backend->Upload(NoisePlane({200, 100}, 1)),
              FailsWith(Reason::kOutOfMemory, HasSubstr("cudaMalloc")));
  host_.memory = HostCuda::kMemory;
  ExpectItWorks(*backend);
}

TEST_F(HostCudaTest, AnErrorOfAKernelLosesTheGpuWhichIsOpenedAnewOnce) {
  const auto backend = *Make({.pool = &pool_});
  {
    const auto detail = *backend->MakeDetail();
    const Plane luma = *backend->Upload(NoisePlane({40, 40}, 1));
    host_.launches_left = 0;
    EXPECT_THAT(detail->Run(luma),
                FailsWith(Reason::kDeviceUnavailable, AllOf(HasSubstr("cudaStreamSynchronize"),
                                                            HasSubstr("cudaErrorIllegalAddress"))));
    EXPECT_THAT(backend->Upload(NoisePlane({9, 9}, 1)),
                FailsWith(Reason::kDeviceUnavailable, testing::_));
    host_.launches_left = -1;
  }
  ExpectItWorks(*backend);
  {
    const auto detail = *backend->MakeDetail();
    const Plane luma = *backend->Upload(NoisePlane({40, 40}, 1));
    host_.launches_left = 0;
    EXPECT_THAT(detail->Run(luma), FailsWith(Reason::kDeviceUnavailable, testing::_));
    host_.launches_left = -1;
  }
  EXPECT_THAT(backend->MakeDetail(), FailsWith(Reason::kDeviceUnavailable, testing::_)) << "twice";
}

TEST_F(HostCudaTest, AnErrorThatAResetDoesNotMendIsTold) {
  const auto backend = *Make({.pool = &pool_});
  host_.reset_mends = false;
  {
    const auto detail = *backend->MakeDetail();
    const Plane luma = *backend->Upload(NoisePlane({40, 40}, 1));
    host_.launches_left = 0;
    EXPECT_THAT(detail->Run(luma), FailsWith(Reason::kDeviceUnavailable, testing::_));
    host_.launches_left = -1;
  }
  EXPECT_THAT(backend->MakeDetail(),
              FailsWith(Reason::kDeviceUnavailable, HasSubstr("illegal memory access")));
}

}  // namespace
}  // namespace glint::cuda::ptx
