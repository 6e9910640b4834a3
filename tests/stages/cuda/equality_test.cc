// SPDX-License-Identifier: Apache-2.0
// Every stage of the CUDA backend against the CPU's: the same bytes, on a simulated GPU and, where
// there is one, on a real one. That the CPU's are right is tested elsewhere (parity_test.cc and the
// files beside it).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "base/stored_rows.h"
#include "base/thread_pool.h"
#include "stages/cpu/backend.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/entry.h"
#include "stages/cuda/measure_in_batches.h"
#include "stages/cuda/simulated_gpu.h"
#include "support/needs_gpu.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint::cuda {
namespace {

/// The parameter is whether the GPU is simulated.
class SameAsCpu : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto cpu = MakeCpuBackend({.pool = &pool_});
    ASSERT_THAT(cpu, IsOk());
    cpu_ = *std::move(cpu);
    auto gpu = GetParam() ? MakeBackend([this] { return MakeSimulatedGpu(faults_); })
                          : cuda::Make({.pool = &pool_});
    if (GetParam()) {
      ASSERT_THAT(gpu, IsOk());
    }
    GLINT_NEEDS_GPU(gpu.status());
    gpu_ = *std::move(gpu);
  }

  Plane Up(const Plane& host) { return *gpu_->Upload(host); }
  Plane Down(const Plane& plane) { return *gpu_->Download(plane); }
  std::vector<Plane> Up(const std::vector<Plane>& hosts) {
    std::vector<Plane> planes;
    planes.reserve(hosts.size());
    for (const Plane& host : hosts) planes.push_back(Up(host));
    return planes;
  }

  ThreadPool pool_{2};
  std::shared_ptr<SimulatedFaults> faults_ = std::make_shared<SimulatedFaults>();
  std::unique_ptr<Backend> cpu_;
  std::unique_ptr<Backend> gpu_;
};

Plane Drawn(Size size, const std::function<int(int, int)>& draw) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      plane.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(draw(x, y));
    }
  }
  return plane;
}

/// Waves under noise, moved by `shift` pixels.
Plane Waves(Size size, double shift, std::uint32_t seed) {
  const Plane noise = NoisePlane(size, seed);
  return Drawn(size, [&](int x, int y) {
    const double u = x + shift, v = y - shift / 2;
    return static_cast<int>(125 + 50 * std::sin(u / 5) + 50 * std::cos(v / 7 + u / 19)) +
           noise.Row<std::uint8_t>(y)[x] / 12;
  });
}

/// Sizes on both sides of all tiles and levels, and sides that no tile divides.
std::vector<Size> FlowSizes() {
  return {{16, 16},  {17, 33},   {32, 32},   {31, 70},  {64, 48},
          {65, 130}, {135, 101}, {256, 256}, {259, 257}};
}

INSTANTIATE_TEST_SUITE_P(Cuda, SameAsCpu, testing::Values(true, false),
                         [](const auto& test) { return test.param ? "simulated" : "gpu"; });

TEST_P(SameAsCpu, FlowFields) {
  const auto on_cpu = *cpu_->MakeFlow();
  const auto on_gpu = *gpu_->MakeFlow();
  for (const Size size : FlowSizes()) {
    SCOPED_TRACE(ToString(size));
    // Small and large motion, and none that could be followed.
    for (const Plane& next : {Waves(size, 1.7, 2), Waves(size, 9, 3), NoisePlane(size, 4)}) {
      const Plane previous = Waves(size, 0, 1);
      const auto field = on_gpu->Field(Up(previous), Up(next));
      ASSERT_THAT(field, IsOk());
      ASSERT_TRUE(SameBytes(Down(*field), *on_cpu->Field(previous, next)));
    }
  }
}

TEST_P(SameAsCpu, MeanLengthsInBatchesOfAnyLength) {
  const auto on_cpu = *cpu_->MakeFlow();
  const auto on_gpu = *gpu_->MakeFlow();
  const Size size{83, 69};
  std::vector<Plane> frames;
  frames.reserve(40);
  for (int i = 0; i < 40; ++i) frames.push_back(Waves(size, 0.1 * i * i, static_cast<unsigned>(i)));
  const std::vector<Plane> uploaded = Up(frames);
  std::vector<double> expected(frames.size() - 1);
  ASSERT_THAT(on_cpu->MeanLengths(frames, expected), IsOk());
  std::size_t first = 0;
  for (const std::size_t pairs : {1, 3, 16, 2, 17}) {
    SCOPED_TRACE(pairs);
    std::vector<double> lengths(pairs);
    ASSERT_THAT(on_gpu->MeanLengths(std::span(uploaded).subspan(first, pairs + 1), lengths),
                IsOk());
    EXPECT_TRUE(std::ranges::equal(lengths, std::span(expected).subspan(first, pairs)));
    first += pairs;
  }
  EXPECT_EQ(first, expected.size());
}

TEST_P(SameAsCpu, MeasuringInBatchesOfOneLengthWhichBecomeGraphs) {
  const std::vector<Plane> frames = Frames(18, {40, 37});
  const std::vector<std::size_t> batches(6, 3);
  for (const bool motion : {true, false}) {
    const auto expected = Measure(**cpu_->MakeMeasure(), frames, batches, motion);
    ASSERT_THAT(expected, IsOk());
    const auto found = Measure(**gpu_->MakeMeasure(), frames, batches, motion);
    ASSERT_THAT(found, IsOk());
    EXPECT_TRUE(*found == *expected);
  }
  EXPECT_EQ(faults_->graph_runs, GetParam() ? 3 + 4 : 0);
}

TEST_P(SameAsCpu, AFrameThatWasJustMeasuredIsNotExpandedAgain) {
  if (!GetParam()) return;  // nobody counts a real GPU's launches
  const auto flow = *gpu_->MakeFlow();
  const Size size{40, 40};  // one level
  const std::vector<Plane> frames =
      Up({Waves(size, 0, 1), Waves(size, 1, 2), Waves(size, 3, 3), Waves(size, 4, 4)});
  double length = 0;
  ASSERT_THAT(flow->MeanLengths(std::span(frames).first(2), {&length, 1}), IsOk());
  const auto launches_of = [&](std::span<const Plane> pair) {
    const int before = faults_->launches;
    EXPECT_THAT(flow->MeanLengths(pair, {&length, 1}), IsOk());
    return faults_->launches - before;
  };
  const int following = launches_of(std::span(frames).subspan(1, 2));
  EXPECT_EQ(launches_of(std::array{frames[0], frames[3]}), following + 1);
}

TEST_P(SameAsCpu, ABatchTakesOneWait) {
  if (!GetParam()) return;
  const auto statistics = *gpu_->MakeLumaStatistics();
  const auto flow = *gpu_->MakeFlow();
  std::vector<Plane> frames;
  frames.reserve(9);
  for (int i = 0; i < 9; ++i) frames.push_back(Up(Waves({50, 40}, i, 1)));
  std::vector<LumaStatistics> sums(9);
  std::vector<double> lengths(8);
  ASSERT_THAT(flow->MeanLengths(frames, lengths), IsOk());  // the memory is there now
  const int before = faults_->waits;
  ASSERT_THAT(statistics->Run(frames, sums), IsOk());
  ASSERT_THAT(flow->MeanLengths(frames, lengths), IsOk());
  EXPECT_EQ(faults_->waits - before, 2);
}

/// Views of one albedo under changing light, each seeing a part.
struct Stack {
  std::vector<Plane> greys, valid;
  Plane surface;
};

Stack MakeStack(Size size, int count, std::uint32_t seed) {
  const Plane albedo = NoisePlane(size, seed);
  Stack stack;
  stack.surface = Drawn(size, [&](int x, int y) { return x + y > 6 && x + 2 < size.width; });
  for (int i = 0; i < count; ++i) {
    const Plane noise = NoisePlane(size, seed + 1 + static_cast<unsigned>(i));
    stack.greys.push_back(Drawn(size, [&](int x, int y) {
      const int light = albedo.Row<std::uint8_t>(y)[x] * (40 + (7 * i + x) % 50) / 100;
      const int line = x == y && i % 4 == 1 ? 60 : 0;
      return std::min(255, light + line + (noise.Row<std::uint8_t>(y)[x] >> (i % 3 == 0 ? 1 : 5)));
    }));
    stack.valid.push_back(Drawn(size, [&](int x, int y) {
      return (x * 3 + y * 5 + 11 * i) % 97 < 80 && (i % 5 != 4 || y > size.height / 2) ? 255 : 0;
    }));
  }
  return stack;
}

struct Results {
  Albedo albedo;
  std::vector<StoredPlane> residuals;
  Plane magnitude;
  LineEvidence evidence;
  Plane ridges;
};

struct Params {
  ResidualParams residual;
  LineEvidenceParams lines;
  RidgeParams ridges;
};

absl::Status RunPhotometric(Backend& backend, const PhotometricViews& views, const Params& params,
                            Results& out) {
  const auto take = [](auto result, auto& place) {
    if (!result.ok()) return result.status();
    place = *std::move(result);
    return absl::OkStatus();
  };
  const auto residual = *backend.MakeResidual();
  const NoiseModel noise{.base = 0.7F, .gradient = 0.003F, .curvature = 0.001F};
  absl::Status status = take((*backend.MakeAlbedo())->Run(views), out.albedo);
  if (status.ok()) status = take(residual->Run(views, out.albedo, params.residual), out.residuals);
  if (status.ok()) status = take(residual->MedianMagnitude(views, out.residuals), out.magnitude);
  if (status.ok()) {
    status = take(
        (*backend.MakeLineEvidence())->Run(views, out.residuals, out.albedo, noise, params.lines),
        out.evidence);
  }
  if (status.ok())
    status = take((*backend.MakeRidge())->Run(out.evidence, 200, 100, params.ridges), out.ridges);
  return status;
}

TEST_P(SameAsCpu, PhotometricStages) {
  const Params usual;
  const Params others{
      .residual = {.assumed_noise = {.base = 3, .gradient = 0.1F, .curvature = 0.3F},
                   .outlier_sigmas = 1.7F,
                   .flat_variance_grey2 = 90,
                   .veil_percent = 11,
                   .curve_doubt_grey2 = 0.3F},
      .lines = {.min_views = 3,
                .max_residual_sigmas = 4.3F,
                .max_noise_sigmas = 2,
                .usual_noise_sigmas = 0.31F,
                .max_groups = 11},
      .ridges = {.near_px = 1, .halo_px = 7, .halo_percent = 83}};
  std::uint32_t seed = 40;
  for (const auto& [size, count, params] : {std::tuple{Size{16, 16}, 1, usual},
                                            {Size{33, 17}, 4, usual},
                                            {Size{67, 41}, 24, usual},
                                            {Size{49, 90}, 31, usual},
                                            {Size{20, 19}, 255, usual},
                                            {Size{67, 41}, 24, others}}) {
    SCOPED_TRACE(ToString(size) + ", views: " + std::to_string(count));
    const Stack stack = MakeStack(size, count, seed += 300);
    const std::vector<Plane> greys = Up(stack.greys), valid = Up(stack.valid);
    Results expected, found;
    ASSERT_THAT(RunPhotometric(
                    *cpu_, {.greys = stack.greys, .valid = stack.valid, .surface = stack.surface},
                    params, expected),
                IsOk());
    ASSERT_THAT(
        RunPhotometric(*gpu_, {.greys = greys, .valid = valid, .surface = Up(stack.surface)},
                       params, found),
        IsOk());
    EXPECT_TRUE(SameBytes(Down(found.albedo.grey), expected.albedo.grey));
    EXPECT_TRUE(SameBytes(Down(found.albedo.gradient), expected.albedo.gradient));
    EXPECT_TRUE(SameBytes(Down(found.albedo.curvature), expected.albedo.curvature));
    EXPECT_TRUE(SameBytes(Down(found.albedo.count), expected.albedo.count));
    ASSERT_EQ(found.residuals.size(), expected.residuals.size());
    const std::vector<Plane> residuals = WholeOf(found.residuals);
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      ASSERT_TRUE(SameBytes(Down(residuals[i]), expected.residuals[i].Whole())) << "view " << i;
    }
    EXPECT_TRUE(SameBytes(Down(found.magnitude), expected.magnitude));
    EXPECT_TRUE(SameBytes(Down(found.evidence.energy), expected.evidence.energy));
    EXPECT_TRUE(SameBytes(Down(found.evidence.direction), expected.evidence.direction));
    EXPECT_TRUE(SameBytes(Down(found.evidence.point), expected.evidence.point));
    EXPECT_TRUE(SameBytes(Down(found.ridges), expected.ridges));
  }
}

/// Rectangles on both sides of where a window along rows and columns takes over, of one that
/// shared memory holds, and of planes that are smaller than they are.
TEST_P(SameAsCpu, RectanglesOfAnySize) {
  const auto on_cpu = *cpu_->MakeMorphology();
  const auto on_gpu = *gpu_->MakeMorphology();
  std::uint32_t seed = 900;
  for (const Size plane : {Size{1, 1}, Size{140, 37}, Size{33, 270}, Size{129, 128}}) {
    const Plane host = NoisePlane(plane, ++seed);
    const Plane uploaded = Up(host);
    for (const Size element : {Size{8, 9}, Size{9, 8}, Size{1, 31}, Size{31, 1}, Size{10, 33},
                               Size{127, 64}, Size{128, 129}, Size{257, 300}}) {
      SCOPED_TRACE(ToString(plane) + " under " + ToString(element));
      for (const MorphologyOp op : {MorphologyOp::kErode, MorphologyOp::kDilate,
                                    MorphologyOp::kClose, MorphologyOp::kTopHat}) {
        const int iterations = op == MorphologyOp::kDilate ? 2 : 1;
        const auto found = on_gpu->Run(uploaded, op, {.size = element}, iterations);
        ASSERT_THAT(found, IsOk());
        ASSERT_TRUE(SameBytes(Down(*found), *on_cpu->Run(host, op, {.size = element}, iterations)));
      }
    }
  }
}

TEST_P(SameAsCpu, ConnectedComponents) {
  const auto on_cpu = *cpu_->MakeConnectedComponents();
  const auto on_gpu = *gpu_->MakeConnectedComponents();
  std::uint32_t seed = 1200;
  for (const Size size : {Size{1, 1}, Size{67, 90}, Size{129, 128}, Size{300, 220}}) {
    const Plane noise = NoisePlane(size, ++seed);
    for (const int below : {0, 40, 105, 200, 256}) {
      SCOPED_TRACE(ToString(size) + ", below " + std::to_string(below));
      const Plane mask = Drawn(
          size, [&](int x, int y) { return noise.Row<std::uint8_t>(y)[x] < below ? 255 : 0; });
      const Plane values = (*cpu_->MakeDetail())->Run(noise)->variance;
      const auto expected = on_cpu->Run(mask, values);
      const auto found = on_gpu->Run(Up(mask), Up(values));
      ASSERT_THAT(found, IsOk());
      ASSERT_TRUE(SameBytes(Down(found->labels), expected->labels));
      ASSERT_EQ(found->components, expected->components);
    }
  }
}

TEST_P(SameAsCpu, ComponentsTakeTwoWaits) {
  if (!GetParam()) return;  // nobody counts a real GPU's waits
  const auto stage = *gpu_->MakeConnectedComponents();
  const Plane mask = Up(Drawn({90, 70}, [](int x, int y) { return x % 3 * (y % 5); }));
  const int before = faults_->waits;
  ASSERT_THAT(stage->Run(mask, Plane()), IsOk());
  EXPECT_EQ(faults_->waits - before, 2);  // for how many there are, and for what they are
}

TEST_P(SameAsCpu, MoreThresholdsThanOneLaunchTakes) {
  const Plane luma = Waves({71, 50}, 0, 9);
  std::vector<CannyThresholds> thresholds;
  thresholds.reserve(19);
  for (int i = 0; i < 19; ++i) thresholds.push_back({.low = 10.0 + 9 * i, .high = 20.0 + 13 * i});
  const auto expected = *(*cpu_->MakeEdges())->Run(luma, thresholds);
  const auto found = *(*gpu_->MakeEdges())->Run(Up(luma), thresholds);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(SameBytes(Down(found[i]), expected[i])) << i;
  }
}

}  // namespace
}  // namespace glint::cuda
