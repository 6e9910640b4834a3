// SPDX-License-Identifier: Apache-2.0
#include "bench/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analyse/stage_names.h"
#include "base/thread_pool.h"
#include "stages/cpu/backend.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/simulated_gpu.h"
#include "stages/shared/forwarding_backend.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

class VerifyTest : public testing::Test {
 protected:
  ThreadPool pool_{2};
  std::unique_ptr<Backend> cpu_ = *MakeCpuBackend({.pool = &pool_});
  std::shared_ptr<cuda::SimulatedFaults> faults_ = std::make_shared<cuda::SimulatedFaults>();
  std::unique_ptr<Backend> gpu_ =
      *cuda::MakeBackend([this] { return cuda::MakeSimulatedGpu(faults_); });
};

TEST_F(VerifyTest, EveryWayGivesTheSameBytes) {
  std::vector<VerifyWay> ways = CpuWays(*cpu_);
  const std::size_t instruction_sets = ways.size();
  EXPECT_GE(instruction_sets, 2);
  ways.push_back({.name = "cuda", .backend = gpu_.get()});
  const auto verdict = Verify({.cases = 4, .largest_side = 90}, ways);
  ASSERT_THAT(verdict, IsOk());
  EXPECT_TRUE(verdict->same());
  EXPECT_EQ(verdict->reference_fields, 4);
  ASSERT_EQ(verdict->ways.size(), instruction_sets + 1);
  const auto& first = verdict->ways.front().stages;
  for (const StageName& stage : StageNames()) {
    EXPECT_THAT(first, Contains(Field(&StageVerdict::stage, stage.name)));
  }
  for (const WayVerdict& way : verdict->ways) {
    ASSERT_EQ(way.stages.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(way.stages[i].sha256, first[i].sha256) << way.name << " " << first[i].stage;
      EXPECT_GE(way.stages[i].answers, 4);
    }
  }
}

/// Edges that are wrong in one pixel.
class WrongEdges final : public EdgeStage {
 public:
  explicit WrongEdges(std::unique_ptr<EdgeStage> right) : right_(std::move(right)) {}
  absl::StatusOr<std::vector<Plane>> Run(const Plane& luma,
                                         std::span<const CannyThresholds> thresholds) override {
    auto edges = right_->Run(luma, thresholds);
    if (edges.ok()) edges->back().Row<std::uint8_t>(7)[9] ^= 255;
    return edges;
  }

 private:
  std::unique_ptr<EdgeStage> right_;
};

class WrongBackend final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  absl::StatusOr<std::unique_ptr<EdgeStage>> MakeEdges() override {
    return std::make_unique<WrongEdges>(*backend().MakeEdges());
  }
};

TEST_F(VerifyTest, OneWrongPixelIsFoundAndItsStageNamed) {
  WrongBackend wrong(*cpu_);
  const auto verdict =
      Verify({.cases = 2, .largest_side = 60, .seed = 11},
             {{.name = "right", .backend = cpu_.get()}, {.name = "wrong", .backend = &wrong}});
  ASSERT_THAT(verdict, IsOk());
  EXPECT_FALSE(verdict->same());
  for (const StageVerdict& stage : verdict->ways[1].stages) {
    const auto& right =
        *std::ranges::find(verdict->ways[0].stages, stage.stage, &StageVerdict::stage);
    if (stage.stage == "edges") {
      EXPECT_EQ(stage.differing, stage.answers);
      EXPECT_EQ(stage.first_seed, 11);
      EXPECT_NE(stage.sha256, right.sha256);
    } else if (stage.stage != "fusion") {  // which is fed with the edges
      EXPECT_EQ(stage.differing, 0) << stage.stage;
    }
  }
}

TEST_F(VerifyTest, ABrokenDeviceIsNamed) {
  faults_->launches_left = 3;
  EXPECT_THAT(Verify({.cases = 1}, {{.name = "cpu", .backend = cpu_.get()},
                                    {.name = "cuda", .backend = gpu_.get()}}),
              FailsWith(Reason::kDeviceUnavailable, HasSubstr("cuda: ")));
}

TEST_F(VerifyTest, NothingToVerifyIsRefused) {
  EXPECT_THAT(Verify({.cases = 0}, CpuWays(*cpu_)), FailsWith(Reason::kInvalidOption, testing::_));
  EXPECT_THAT(Verify({}, {}), FailsWith(Reason::kInvalidOption, testing::_));
}

}  // namespace
}  // namespace glint
