// SPDX-License-Identifier: Apache-2.0
// The stages of `photometric` on the CPU: every instruction set and number of threads against slow
// loops, byte for byte, and hand-made cases against what they must give.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "base/params.h"
#include "base/stored_rows.h"
#include "photometric_reference.h"
#include "stages/cpu/farneback/targets.h"
#include "stages/cpu/photometric/targets.h"
#include "stages/cpu/stages.h"
#include "stages/shared/photometric_arithmetic.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

using Draw = std::function<int(int x, int y)>;

template <class T>
Plane Drawn(Size size, PixelType type, const Draw& draw) {
  Plane plane = Plane::Host(size, type);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) plane.Row<T>(y)[x] = static_cast<T>(draw(x, y));
  }
  return plane;
}

Plane Filled(Size size, int value) {
  return Drawn<std::uint8_t>(size, PixelType::kU8, [&](int, int) { return value; });
}

/// Views with their planes.
struct Stack {
  std::vector<Plane> greys, valid;
  Plane surface;

  PhotometricViews Views() const { return {.greys = greys, .valid = valid, .surface = surface}; }
};

/// The same albedo under changing light, with noise; each view sees a part of it only.
Stack NoisyStack(Size size, int views) {
  const Plane albedo = NoisePlane(size, 1);
  Stack stack{.surface = Drawn<std::uint8_t>(size, PixelType::kU8, [&](int x, int y) {
                return x + y > 6 && x + 2 < size.width ? 255 : 0;
              })};
  for (int i = 0; i < views; ++i) {
    const Plane noise = NoisePlane(size, static_cast<std::uint32_t>(i + 2));
    stack.greys.push_back(Drawn<std::uint8_t>(size, PixelType::kU8, [&](int x, int y) {
      const int light = albedo.Row<std::uint8_t>(y)[x] * (40 + (7 * i + x) % 50) / 100;
      return std::min(light + (noise.Row<std::uint8_t>(y)[x] >> (i % 3 == 0 ? 1 : 5)), 255);
    }));
    stack.valid.push_back(Drawn<std::uint8_t>(size, PixelType::kU8, [&](int x, int y) {
      return (x * 3 + y * 5 + 11 * i) % 97 < 80 && (i % 5 != 4 || y > size.height / 2) ? 255 : 0;
    }));
  }
  return stack;
}

/// Black and white in every pixel and view, as different as can be: the largest sums.
Stack ExtremeStack(Size size, int views) {
  Stack stack{.surface = Filled(size, 255)};
  for (int i = 0; i < views; ++i) {
    stack.greys.push_back(Drawn<std::uint8_t>(size, PixelType::kU8, [&](int x, int y) {
      return ((x / 9 + y / 7) % 2 == 0) != (i % 3 == 0 && x > y) ? 255 : 0;
    }));
    stack.valid.push_back(Filled(size, 1));
  }
  return stack;
}

struct Outputs {
  Albedo albedo;
  std::vector<Plane> residuals;
  Plane magnitude;
  LineEvidence evidence;
  Plane ridges;
};

constexpr NoiseModel kNoise = {.base = 0.7F, .gradient = 0.003F, .curvature = 0.001F};

Outputs Reference(const PhotometricViews& views) {
  namespace reference = photometric_reference;
  Outputs out;
  out.albedo = reference::MakeAlbedo(views);
  out.residuals = reference::MakeResiduals(views, out.albedo);
  out.magnitude = reference::MakeMedianMagnitude(views, out.residuals);
  out.evidence = reference::MakeLineEvidence(views, out.residuals, out.albedo, kNoise);
  out.ridges = reference::MakeRidges(out.evidence, 200, 100);
  return out;
}

Outputs Compute(const PhotometricViews& views, int threads) {
  ThreadPool pool(threads);
  Outputs out;
  out.albedo = *MakeCpuAlbedo(&pool)->Run(views);
  const auto residual = MakeCpuResidual(&pool);
  const auto residuals = *residual->Run(views, out.albedo, {});
  out.residuals = WholeOf(residuals);
  out.magnitude = *residual->MedianMagnitude(views, residuals);
  out.evidence = *MakeCpuLineEvidence(&pool)->Run(views, residuals, out.albedo, kNoise, {});
  out.ridges = *MakeCpuRidge(&pool)->Run(out.evidence, 200, 100, {});
  return out;
}

void ExpectSame(const Outputs& actual, const Outputs& expected) {
  EXPECT_TRUE(SameBytes(actual.albedo.grey, expected.albedo.grey));
  EXPECT_TRUE(SameBytes(actual.albedo.gradient, expected.albedo.gradient));
  EXPECT_TRUE(SameBytes(actual.albedo.curvature, expected.albedo.curvature));
  EXPECT_TRUE(SameBytes(actual.albedo.count, expected.albedo.count));
  ASSERT_EQ(actual.residuals.size(), expected.residuals.size());
  for (std::size_t i = 0; i < actual.residuals.size(); ++i) {
    EXPECT_TRUE(SameBytes(actual.residuals[i], expected.residuals[i])) << "view " << i;
  }
  EXPECT_TRUE(SameBytes(actual.magnitude, expected.magnitude));
  EXPECT_TRUE(SameBytes(actual.evidence.energy, expected.evidence.energy));
  EXPECT_TRUE(SameBytes(actual.evidence.direction, expected.evidence.direction));
  EXPECT_TRUE(SameBytes(actual.evidence.point, expected.evidence.point));
  EXPECT_TRUE(SameBytes(actual.ridges, expected.ridges));
}

TEST(PhotometricStages, EqualSlowLoopsForEveryInstructionSetAndNumberOfThreads) {
  struct Case {
    std::string name;
    Stack stack;
  };
  const std::vector<Case> cases = {
      {"smallest", NoisyStack({16, 16}, 1)},        {"few views", NoisyStack({67, 31}, 5)},
      {"uneven groups", NoisyStack({33, 49}, 31)},  {"larger groups", NoisyStack({29, 30}, 75)},
      {"largest sums", ExtremeStack({80, 40}, 26)}, {"several bands", NoisyStack({18, 530}, 4)},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    const PhotometricViews views = test.stack.Views();
    const Outputs expected = Reference(views);
    for (const std::int64_t target : farneback::RunnableTargets()) {
      SCOPED_TRACE(target);
      farneback::UseTarget(target);
      ExpectSame(Compute(views, 1), expected);
    }
    farneback::UseTarget(0);  // all that the processor has
    for (const int threads : {2, 5}) ExpectSame(Compute(views, threads), expected);
  }
}

TEST(PhotometricStages, SortEveryNumberOfViews) {
  // A network that sorts all sequences of 0 and 1 sorts everything (Knuth, 5.3.4); long ones are
  // tried with steps and random bits.
  for (int count = 1; count <= 80; ++count) {
    const auto network = photometric::SortingNetwork(count);
    std::uint64_t random = 1;
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<int> values;
      for (int i = 0; i < count; ++i) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        values.push_back(trial <= count ? (i < trial ? 1 : 0) : static_cast<int>(random >> 60));
      }
      for (const photometric::Exchange& exchange : network) {
        ASSERT_LT(exchange.low, exchange.high);
        ASSERT_LT(exchange.high, count);
        if (values[exchange.low] > values[exchange.high]) {
          std::swap(values[exchange.low], values[exchange.high]);
        }
      }
      EXPECT_TRUE(std::is_sorted(values.begin(), values.end())) << count << " values";
    }
  }
}

TEST(PhotometricStages, TakeTheMedianOfTheValidViewsAsArtwork) {
  const Size size{20, 16};
  Stack stack{.surface = Filled(size, 255)};
  for (const int grey : {10, 200, 30, 250, 40}) {
    stack.greys.push_back(Filled(size, grey));
    stack.valid.push_back(Filled(size, 255));
  }
  stack.valid[3].Row<std::uint8_t>(0)[0] = 0;  // leaves 10, 30, 40, 200: the upper middle one
  for (Plane& valid : stack.valid) valid.Row<std::uint8_t>(2)[2] = 0;
  ThreadPool pool(1);
  const auto albedo = MakeCpuAlbedo(&pool)->Run(stack.Views());
  ASSERT_THAT(albedo, IsOk());
  EXPECT_EQ(albedo->grey.Row<std::int16_t>(5)[5], 40 * 64);
  EXPECT_EQ(albedo->count.Row<std::uint8_t>(5)[5], 5);
  EXPECT_EQ(albedo->grey.Row<std::int16_t>(0)[0], 40 * 64);
  EXPECT_EQ(albedo->count.Row<std::uint8_t>(0)[0], 4);
  EXPECT_EQ(albedo->grey.Row<std::int16_t>(2)[2], 128 * 64);
  EXPECT_EQ(albedo->count.Row<std::uint8_t>(2)[2], 0);
}

/// Printed squares of two greys, lit with gain and veil.
Stack LitSquares(Size size, int views) {
  Stack stack{.surface = Filled(size, 255)};
  for (int i = 0; i < views; ++i) {
    stack.greys.push_back(Drawn<std::uint8_t>(size, PixelType::kU8, [&](int x, int y) {
      const int ink = (x / 5 + y / 5) % 2 == 0 ? 60 : 160;
      return ink * (20 + i) / 20 + 3 * i;
    }));
    stack.valid.push_back(Filled(size, 255));
  }
  return stack;
}

TEST(PhotometricStages, ExplainGainAndVeilButNotAGlintOrAChangeOfInk) {
  const Size size{48, 40};
  Stack stack = LitSquares(size, 7);
  // A glint of 12 grey values in the last view; 5 px of it, so that smoothing leaves the middle.
  for (int y = 18; y < 23; ++y) {
    for (int x = 20; x < 25; ++x) stack.greys[6].Row<std::uint8_t>(y)[x] += 12;
  }
  ThreadPool pool(1);
  const auto albedo = MakeCpuAlbedo(&pool)->Run(stack.Views());
  ASSERT_THAT(albedo, IsOk());
  const auto residuals = MakeCpuResidual(&pool)->Run(stack.Views(), *albedo, {});
  ASSERT_THAT(residuals, IsOk());
  for (std::size_t view = 0; view < 6; ++view) {
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        ASSERT_NEAR((*residuals)[view].Whole().Row<std::int16_t>(y)[x], 0, 1.2 * 64)
            << "view " << view << " at " << x << ", " << y;
      }
    }
  }
  EXPECT_GT((*residuals)[6].Whole().Row<std::int16_t>(20)[22], 8 * 64);
  EXPECT_NEAR((*residuals)[6].Whole().Row<std::int16_t>(5)[40], 0, 1.2 * 64);
}

/// A thin line of black ink between two dark tones, under a highlight that comes and goes.
Stack DarkContour(Size size, int views) {
  Stack stack{.surface = Filled(size, 255)};
  for (int i = 0; i < views; ++i) {
    stack.greys.push_back(Drawn<std::uint8_t>(size, PixelType::kU8, [&](int x, int y) {
      const double ink = y < 17 + x / 8 ? 105 : y < 20 + x / 8 ? 38 : 72;
      const double veil = 255.0 * 255.0 * 0.01 * (i + 1);
      return static_cast<int>(std::lround(std::sqrt(ink * ink + veil)));
    }));
    stack.valid.push_back(Filled(size, 255));
  }
  return stack;
}

TEST(PhotometricStages, ExplainAHighlightOverSeveralDarkTonesButNotAGlint) {
  const Size size{64, 48};
  Stack stack = DarkContour(size, 9);
  for (int y = 30; y < 35; ++y) {
    for (int x = 20; x < 25; ++x) stack.greys[8].Row<std::uint8_t>(y)[x] += 12;
  }
  ThreadPool pool(1);
  const auto albedo = MakeCpuAlbedo(&pool)->Run(stack.Views());
  ASSERT_THAT(albedo, IsOk());
  const auto residuals = MakeCpuResidual(&pool)->Run(stack.Views(), *albedo, {});
  ASSERT_THAT(residuals, IsOk());
  for (std::size_t view = 0; view < 8; ++view) {
    double squares = 0;
    for (int y = 0; y < size.height; ++y) {
      const Plane residual = (*residuals)[view].Whole();
      const auto* row = residual.Row<std::int16_t>(y);
      squares += std::inner_product(row, row + size.width, row, 0.0) / (64 * 64);
    }
    EXPECT_LT(std::sqrt(squares / static_cast<double>(size.area())), 0.3) << "view " << view;
  }
  EXPECT_GT((*residuals)[8].Whole().Row<std::int16_t>(32)[22], 8 * 64);
}

/// Energy with a straight crest through (32, 32) in one direction.
LineEvidence Crest(int direction, int strength, int width) {
  const double angle = std::acos(-1.0) * direction / 16;
  const auto across = [=](int x, int y) {
    return std::abs(-std::sin(angle) * (x - 32) + std::cos(angle) * (y - 32));
  };
  const Size size{65, 65};
  return {.energy = Drawn<std::int32_t>(
              size, PixelType::kS32,
              [&](int x, int y) {
                return 100 + static_cast<int>(strength * std::exp(-across(x, y) / width));
              }),
          .direction = Filled(size, direction),
          .point = Drawn<std::int32_t>(size, PixelType::kS32, [](int, int) { return 1000; })};
}

TEST(Ridges, KeepTheCrestOfALineInEveryDirection) {
  ThreadPool pool(2);
  const auto stage = MakeCpuRidge(&pool);
  for (int direction = 0; direction < 16; ++direction) {
    SCOPED_TRACE(direction);
    const auto ridges = stage->Run(Crest(direction, 1000, 3), 150, 0, {});
    ASSERT_THAT(ridges, IsOk());
    const double angle = std::acos(-1.0) * direction / 16;
    int on_line = 0;
    for (int y = 12; y < 53; ++y) {
      for (int x = 12; x < 53; ++x) {
        if (ridges->Row<std::uint8_t>(y)[x] == 0) continue;
        ++on_line;
        EXPECT_LE(std::abs(-std::sin(angle) * (x - 32) + std::cos(angle) * (y - 32)), 0.75);
      }
    }
    EXPECT_GE(on_line, 35);  // 41 px across the part that is looked at
  }
}

TEST(Ridges, LeaveOutTheHaloBesideAStrongerLineAndWhatIsWeak) {
  ThreadPool pool(1);
  const auto stage = MakeCpuRidge(&pool);
  LineEvidence evidence = Crest(0, 1000, 1);
  for (int x = 0; x < 65; ++x) {
    evidence.energy.Row<std::int32_t>(26)[x] = 500;  // 6 px beside 1100: less than 55 %
    evidence.energy.Row<std::int32_t>(10)[x] = 500;  // far from it
    evidence.energy.Row<std::int32_t>(50)[x] = 300;  // weak
  }
  const auto ridges = stage->Run(evidence, 300, 999, {});
  ASSERT_THAT(ridges, IsOk());
  EXPECT_EQ(ridges->Row<std::uint8_t>(32)[30], 255);
  EXPECT_EQ(ridges->Row<std::uint8_t>(26)[30], 0);
  EXPECT_EQ(ridges->Row<std::uint8_t>(10)[30], 255);
  EXPECT_EQ(ridges->Row<std::uint8_t>(50)[30], 0);
  const auto none = stage->Run(evidence, 300, 1000, {});
  ASSERT_THAT(none, IsOk());
  EXPECT_TRUE(SameBytes(*none, Filled({65, 65}, 0)));
  for (const RidgeParams& params : {RidgeParams{.halo_px = 5}, RidgeParams{.halo_percent = 45}}) {
    const auto kept = stage->Run(evidence, 300, 999, params);
    ASSERT_THAT(kept, IsOk());
    EXPECT_EQ(kept->Row<std::uint8_t>(26)[30], 255) << "params that leave it";
  }
}

TEST(PhotometricStages, RefuseParamsThatTheirArithmeticCannotHold) {
  EXPECT_THAT(CheckParams(ResidualParams{}), IsOk());
  EXPECT_THAT(CheckParams(LineEvidenceParams{}), IsOk());
  EXPECT_THAT(CheckParams(RidgeParams{}), IsOk());
  ThreadPool pool(1);
  const auto refused = [](const std::string& field) {
    return FailsWith(Reason::kInvalidOption, HasSubstr(field));
  };
  EXPECT_THAT(MakeCpuResidual(&pool)->Run({}, {}, {.outlier_sigmas = 0}),
              refused("outlier_sigmas"));
  EXPECT_THAT(MakeCpuResidual(&pool)->Run({}, {}, {.assumed_noise = {.base = 0}}),
              refused("assumed_noise.base"));
  EXPECT_THAT(MakeCpuLineEvidence(&pool)->Run({}, {}, {}, {}, {.max_groups = 32}),
              refused("max_groups"));
  EXPECT_THAT(MakeCpuRidge(&pool)->Run({}, 0, 0, {.halo_px = 9}), refused("halo_px"));
}

TEST(PhotometricStages, RefuseWhatDoesNotFitTogether) {
  ThreadPool pool(1);
  const auto stage = MakeCpuAlbedo(&pool);
  Stack stack = NoisyStack({20, 20}, 3);
  EXPECT_THAT(stage->Run({}), FailsWith(Reason::kInternal, HasSubstr("0 views")));
  PhotometricViews views = stack.Views();
  views.valid = views.valid.first(2);
  EXPECT_THAT(stage->Run(views), FailsWith(Reason::kInternal, HasSubstr("validity")));
  views = stack.Views();
  views.surface = Filled({20, 21}, 255);
  EXPECT_THAT(stage->Run(views), FailsWith(Reason::kInternal, HasSubstr("20x21")));
  stack.greys[1] = Filled({21, 20}, 0);
  EXPECT_THAT(stage->Run(stack.Views()), FailsWith(Reason::kInternal, HasSubstr("21x20")));

  const Stack good = NoisyStack({20, 20}, 3);
  const auto albedo = stage->Run(good.Views());
  ASSERT_THAT(albedo, IsOk());
  const auto residual = MakeCpuResidual(&pool);
  EXPECT_THAT(residual->Run(good.Views(), {}, {}),
              FailsWith(Reason::kInternal, HasSubstr("albedo")));
  EXPECT_THAT(residual->MedianMagnitude(good.Views(), {}),
              FailsWith(Reason::kInternal, HasSubstr("residual")));
  const auto residuals = residual->Run(good.Views(), *albedo, {});
  ASSERT_THAT(residuals, IsOk());
  EXPECT_THAT(MakeCpuLineEvidence(&pool)->Run(good.Views(), *residuals, *albedo, {.base = 0}, {}),
              FailsWith(Reason::kInternal, HasSubstr("noise")));
  EXPECT_THAT(MakeCpuRidge(&pool)->Run({}, 0, 0, {}),
              FailsWith(Reason::kInternal, HasSubstr("energy")));
}

}  // namespace
}  // namespace glint
