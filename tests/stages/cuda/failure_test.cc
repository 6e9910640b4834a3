// SPDX-License-Identifier: Apache-2.0
// What the CUDA backend does when the GPU has no memory left, or breaks.
#include <gtest/gtest.h>

#include <vector>

#include "base/thread_pool.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/flow_memory.h"
#include "stages/cuda/memory_pool.h"
#include "stages/cuda/simulated_gpu.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Frames {
  explicit Frames(Backend& backend, int count = 17, Size size = {128, 96}) {
    for (int i = 0; i < count; ++i) {
      planes.push_back(*backend.Upload(NoisePlane(size, static_cast<unsigned>(i))));
    }
    lengths.resize(planes.size() - 1);
  }
  std::vector<Plane> planes;
  std::vector<double> lengths;
};

std::unique_ptr<Backend> BackendOn(const std::shared_ptr<SimulatedFaults>& faults) {
  return *MakeBackend([faults] { return MakeSimulatedGpu(faults); });
}

TEST(MemoryPool, KeepsWhatIsLetGoAndStaysInItsBudget) {
  const auto faults = std::make_shared<SimulatedFaults>();
  const auto pool = MemoryPool::Make(MakeSimulatedGpu(faults), 1 << 20);
  std::byte* first = nullptr;
  {
    const auto block = pool->Allocate(100'000);
    ASSERT_THAT(block, IsOk());
    first = block->get();
    EXPECT_GE(pool->in_use(), 100'000);
  }
  EXPECT_EQ(pool->in_use(), 0);
  const auto again = pool->Allocate(99'500);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->get(), first) << "about the same size, so the same block";
  EXPECT_THAT(pool->Allocate(2 << 20),
              FailsWith(Reason::kOutOfMemory, AllOf(HasSubstr("2097152"), HasSubstr("1048576"))));
  EXPECT_THAT(pool->Allocate(0), IsOk());
}

TEST(MemoryPool, GivesBackWhatItKeepsBeforeItFails) {
  const auto faults = std::make_shared<SimulatedFaults>();
  faults->memory = 1 << 20;
  const auto pool = MemoryPool::Make(MakeSimulatedGpu(faults), 8 << 20);
  { const auto block = pool->Allocate(700'000); }
  EXPECT_GT(pool->kept(), 0);
  EXPECT_THAT(pool->Allocate(900'000), IsOk()) << "the GPU has no room for both";
  EXPECT_THAT(pool->Allocate(1'500'000), FailsWith(Reason::kOutOfMemory, testing::_));
}

TEST(FlowPlan, TakesAsManyPairsAsTheBudgetHolds) {
  const farneback::Geometry full_hd({1920, 1080});
  EXPECT_EQ(PlanPairs(full_hd, std::size_t{100} << 30), kMaxPairs);
  EXPECT_EQ(PlanPairs(full_hd, 0), 1);
  int pairs = 0;
  for (std::size_t budget = 1 << 20; budget < std::size_t{64} << 30; budget *= 2) {
    const int planned = PlanPairs(full_hd, budget);
    EXPECT_GE(planned, pairs) << "more memory, no fewer pairs";
    pairs = planned;
    EXPECT_TRUE(planned == 1 || FlowBytes(full_hd, planned) <= budget / 4);
  }
  // 5 coefficients and 4 planes of flow per pixel, 5 more for the first frame; 1.33 for the
  // pyramid.
  const double per_pixel = static_cast<double>(FlowBytes(full_hd, 16)) / (1920 * 1080);
  EXPECT_NEAR(per_pixel, 4 * 1.33 * (16 * 9 + 5), 4 * 1.33 * 16 * 0.3);
}

TEST(OutOfMemory, FlowGoesOnWithFewerPairsAtOnce) {
  const auto plenty = std::make_shared<SimulatedFaults>();
  const auto large = BackendOn(plenty);
  Frames expected(*large);
  ASSERT_THAT((*large->MakeFlow())->MeanLengths(expected.planes, expected.lengths), IsOk());

  const auto faults = std::make_shared<SimulatedFaults>();
  const auto small = BackendOn(faults);  // plans with all of its memory
  Frames frames(*small);
  const farneback::Geometry geometry(frames.planes[0].size());
  faults->memory = faults->in_use + FlowBytes(geometry, 4) * 5 / 4;  // somebody else came
  ASSERT_THAT((*small->MakeFlow())->MeanLengths(frames.planes, frames.lengths), IsOk());
  EXPECT_EQ(frames.lengths, expected.lengths);
}

TEST(OutOfMemory, IsReportedWhenNotEvenOnePairFitsAndTheBackendStaysUsable) {
  const auto faults = std::make_shared<SimulatedFaults>();
  const auto backend = BackendOn(faults);
  Frames frames(*backend);
  const std::size_t before = faults->memory;
  faults->memory = faults->in_use + 50'000;
  const auto flow = *backend->MakeFlow();
  EXPECT_THAT(flow->MeanLengths(frames.planes, frames.lengths),
              FailsWith(Reason::kOutOfMemory, testing::_));
  EXPECT_THAT((*backend->MakeDetail())->Run(frames.planes[0]),
              FailsWith(Reason::kOutOfMemory, testing::_));
  faults->memory = before;
  EXPECT_THAT(flow->MeanLengths(frames.planes, frames.lengths), IsOk());
}

TEST(Memory, DoesNotGrowFromScanToScan) {
  const auto faults = std::make_shared<SimulatedFaults>();
  const auto backend = BackendOn(faults);
  std::size_t after_first = 0;
  for (int scan = 0; scan < 5; ++scan) {
    Frames frames(*backend, 5);
    ASSERT_THAT((*backend->MakeFlow())->MeanLengths(frames.planes, frames.lengths), IsOk());
    ASSERT_THAT((*backend->MakeDetail())->Run(frames.planes[0]), IsOk());
    if (scan == 0) after_first = faults->in_use;
    EXPECT_EQ(faults->in_use, after_first) << scan;
  }
}

TEST(LostGpu, FailsEverythingOnItAndIsOpenedAnewOnce) {
  const auto faults = std::make_shared<SimulatedFaults>();
  int opened = 0;
  const auto backend = *MakeBackend([&] {
    ++opened;
    faults->lost = false;
    return MakeSimulatedGpu(faults);
  });
  for (int time = 1; time <= 2; ++time) {
    {
      Frames frames(*backend, 3);
      EXPECT_EQ(opened, time);
      const auto flow = *backend->MakeFlow();
      faults->launches_left = 5;
      EXPECT_THAT(flow->MeanLengths(frames.planes, frames.lengths),
                  FailsWith(Reason::kDeviceUnavailable, HasSubstr("illegal address")));
      faults->launches_left = -1;
      EXPECT_THAT(flow->MeanLengths(frames.planes, frames.lengths),
                  FailsWith(Reason::kDeviceUnavailable, testing::_));
      const auto during = backend->MakeDetail();
      EXPECT_THAT(during, FailsWith(Reason::kDeviceUnavailable,
                                    HasSubstr(time == 1 ? "once no scan uses it any more"
                                                        : "a second time")));
    }
    EXPECT_EQ(opened, time);
  }
  EXPECT_THAT(backend->Upload(NoisePlane({8, 8}, 1)),
              FailsWith(Reason::kDeviceUnavailable, HasSubstr("a second time")));
}

TEST(LostGpu, WorksAgainAfterItWasOpenedAnew) {
  const auto faults = std::make_shared<SimulatedFaults>();
  const auto backend = *MakeBackend([&] {
    faults->lost = false;
    return MakeSimulatedGpu(faults);
  });
  const Plane host = NoisePlane({30, 20}, 1);
  ASSERT_THAT(backend->Upload(host), IsOk());
  faults->lost = true;
  const auto uploaded = backend->Upload(host);
  ASSERT_THAT(uploaded, IsOk());
  EXPECT_TRUE(SameBytes(*backend->Download(*uploaded), host));
}

}  // namespace
}  // namespace glint::cuda
