// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/evidence/line_response_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "base/median.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr float kUnseenLine = std::numeric_limits<float>::quiet_NaN();

void WithEveryInstructionSet(const std::function<void()>& check) {
  for (const auto instructions : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(instructions));
    hwy::SetSupportedTargetsForTest(instructions);
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// Bit by bit, so that one NaN is like another.
std::vector<std::uint32_t> BitsOf(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  bits.reserve(values.size());
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

constexpr Whitening kHow{.beside = 5,
                         .rounds = 3,
                         .first_medians = 2.2F,
                         .max_beside_ratio = 4,
                         .beside_gain = 1.15F,
                         .min_beside_share = 0.6F,
                         .max_ratio = 36};

/// What Whiten says, line by line.
std::vector<float> WhitenSlowly(std::vector<float> squares, float noise) {
  std::vector<float> seen;
  std::ranges::copy_if(squares, std::back_inserter(seen), [](float s) { return !std::isnan(s); });
  const auto first = static_cast<float>(Median(seen)) * kHow.first_medians + 1e-6F;
  const int size = static_cast<int>(squares.size());
  std::vector<float> beside(squares.size(), first);
  for (int round = 0; round < kHow.rounds; ++round) {
    std::vector<double> sums = {0};  // of the first so many
    std::vector<int> counts = {0};
    for (std::size_t i = 0; i < squares.size(); ++i) {
      const bool is_seen = !std::isnan(squares[i]);
      const float most = kHow.max_beside_ratio * beside[i];
      sums.push_back(sums.back() + (is_seen ? std::min(squares[i], most) : 0.0F));
      counts.push_back(counts.back() + (is_seen ? 1 : 0));
    }
    for (int i = 0; i < size; ++i) {
      const auto begin = static_cast<std::size_t>(std::max(i - kHow.beside, 0));
      const auto end = static_cast<std::size_t>(std::min(i + kHow.beside + 1, size));
      const double mean = (sums[end] - sums[begin]) / std::max(counts[end] - counts[begin], 1);
      beside[static_cast<std::size_t>(i)] = static_cast<float>(mean) * kHow.beside_gain;
    }
  }
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const float least = std::max({beside[i], kHow.min_beside_share * first, noise});
    squares[i] = std::isnan(squares[i]) ? 0 : std::min(squares[i] / least, kHow.max_ratio);
  }
  return squares;
}

/// Whitens some together, and each slowly.
void ExpectWhitened(std::vector<std::vector<float>> rows) {
  std::vector<std::vector<float>> expected;
  std::vector<SquaredResponses> responses;
  float noise = 0.5F;
  for (std::vector<float>& row : rows) {
    expected.push_back(WhitenSlowly(row, noise));
    responses.push_back({.squares = row, .noise = noise});
    noise *= 2;
  }
  Whiten(responses, kHow);
  for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(BitsOf(rows[k]), BitsOf(expected[k]));
}

TEST(LineResponseLoops, WhitenAnyNumberOfLinesWithEveryInstructionSet) {
  WithEveryInstructionSet([] {
    std::mt19937 random(3);
    for (std::size_t size = 1; size <= 70; ++size) {
      SCOPED_TRACE(size);
      std::vector<std::vector<float>> rows(1 + size % 5, std::vector<float>(size));
      for (std::vector<float>& row : rows) {
        for (float& square : row) {
          const auto value = static_cast<float>(random() % 1000) / 10;
          square = random() % 7 == 0 ? kUnseenLine : value * value;
        }
      }
      ExpectWhitened(rows);
    }
  });
}

TEST(LineResponseLoops, WhitenWhatIsUnseenTiedOrNothing) {
  WithEveryInstructionSet([] {
    ExpectWhitened({std::vector<float>(20, kUnseenLine)});
    ExpectWhitened({std::vector<float>(20, 0.0F)});
    ExpectWhitened({{7, 7, 7, 3, kUnseenLine, 3, 3, 9}});  // middle two: 3 and 7
    ExpectWhitened({{7, 7, 7, 3, kUnseenLine, 3, 7, 9}});  // 7 and 7
    ExpectWhitened({{0, 0, 0, 1e-30F, 4, 4}});             // 0 and nearly 0
    ExpectWhitened({{1e30F, 1e30F, 2, kUnseenLine, kUnseenLine, -kUnseenLine}});  // of either sign
  });
}

struct Pixels {
  std::vector<std::int16_t> residuals;
  std::vector<std::uint8_t> valid, surface;
  std::vector<std::int32_t> gradients;
};

Pixels DrawPixels(std::size_t width) {
  std::mt19937 random(static_cast<unsigned>(width));
  Pixels pixels;
  for (std::size_t x = 0; x < width; ++x) {
    pixels.residuals.push_back(static_cast<std::int16_t>(static_cast<int>(random() % 4001) - 2000));
    pixels.valid.push_back(random() % 5 == 0 ? 0 : 255);
    pixels.surface.push_back(random() % 5 == 0 ? 0 : 1);
    pixels.gradients.push_back(static_cast<std::int32_t>(random() % 100'000'000));
  }
  return pixels;
}

TEST(LineResponseLoops, AddUpResidualsWithEveryInstructionSet) {
  constexpr ResidualSpread kSpread{.deviation = 1.7F, .contour_variance = 0.0025F, .max_sigmas = 8};
  WithEveryInstructionSet([&] {
    for (std::size_t width = 1; width <= 40; ++width) {
      SCOPED_TRACE(width);
      const Pixels pixels = DrawPixels(width);
      std::vector<float> sums(width, 0.25F), counts(width, 3);
      std::vector<float> expected_sums = sums, expected_counts = counts;
      for (std::size_t x = 0; x < width; ++x) {
        if (pixels.valid[x] == 0 || pixels.surface[x] == 0) continue;
        const float contour = kSpread.contour_variance * static_cast<float>(pixels.gradients[x]) *
                              (1.0F / kGradientUnit);
        const float expected = std::sqrt(kSpread.deviation * kSpread.deviation + contour);
        const float sigmas = static_cast<float>(pixels.residuals[x]) / kGrey / expected;
        expected_sums[x] += std::clamp(sigmas, -kSpread.max_sigmas, kSpread.max_sigmas);
        expected_counts[x] += 1;
      }
      AddInDeviations({.residuals = pixels.residuals,
                       .valid = pixels.valid.data(),
                       .surface = pixels.surface.data(),
                       .gradients = pixels.gradients.data()},
                      kSpread, sums.data(), counts.data());
      EXPECT_EQ(BitsOf(sums), BitsOf(expected_sums));
      EXPECT_EQ(counts, expected_counts);
    }
  });
}

TEST(LineResponseLoops, DivideByTheRootOfHowManyWereAdded) {
  WithEveryInstructionSet([] {
    std::vector<float> sums(19, 6);
    std::vector<float> counts(19, 4);
    counts[0] = counts[18] = 0;
    DivideByRoots(sums, counts.data());
    EXPECT_TRUE(std::isnan(sums[0]));
    EXPECT_TRUE(std::isnan(sums[18]));
    EXPECT_THAT(std::span(sums).subspan(1, 17), testing::Each(3));
  });
}

}  // namespace
}  // namespace glint::photometric
