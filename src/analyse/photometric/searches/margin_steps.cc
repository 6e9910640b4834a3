// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/margin_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <opencv2/imgproc.hpp>

#include "base/median.h"
#include "base/rounding.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// The steps of one margin by where they are.
struct Profile {
  std::vector<double> steps;  // grey; 0 where it is not bare
  std::vector<bool> bare;
};

/// The grey value that a share of the pixels does not exceed, 1/64 grey.
int QuantileOf(const cv::Mat& albedo, double share) {
  std::vector<std::int16_t> values(albedo.begin<std::int16_t>(), albedo.end<std::int16_t>());
  return NthSmallest(values,
                     static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

/// Pixels with nothing but paper around them. CV_8U.
cv::Mat BarePaper(const cv::Mat& strip, int darkest, const MarginStepParams& params) {
  const cv::Mat around(2 * params.bare_px + 1, 1, CV_8U, cv::Scalar(1));
  cv::Mat least, most;
  cv::erode(strip, least, around);
  cv::dilate(strip, most, around);
  return (most - least < params.max_contrast_grey * kGrey) & (least > darkest);
}

/// How much brighter it is before a place of a margin than behind it, on average over its bare
/// pixels, grey. A sum of integers: exact.
double StepAt(const cv::Mat& strip, int across, const cv::Mat& bare,
              const MarginStepParams& params) {
  std::int64_t sum = 0;
  for (int i = 0; i < params.mean_px; ++i) {
    const int away = params.side_px - params.mean_px / 2 + i;
    const auto row_at = [&](int y) {
      return strip.ptr<std::int16_t>(std::clamp(y, 0, strip.rows - 1));
    };
    const auto* before = row_at(across - away);
    const auto* behind = row_at(across + away);
    for (int x = 0; x < strip.cols; ++x) {
      if (bare.at<std::uint8_t>(across, x) != 0) sum += before[x] - behind[x];
    }
  }
  return static_cast<double>(sum) / (params.mean_px * kGrey * cv::countNonZero(bare.row(across)));
}

Profile ProfileOf(const cv::Mat& strip, int darkest, const MarginStepParams& params) {
  const cv::Mat bare = BarePaper(strip, darkest, params);
  Profile profile;
  for (int across = 0; across < strip.rows; ++across) {
    const bool enough = cv::countNonZero(bare.row(across)) >= params.min_bare_px;
    profile.bare.push_back(enough);
    profile.steps.push_back(enough ? StepAt(strip, across, bare, params) : 0);
  }
  return profile;
}

/// Of the steps of a margin, which has none for the most part.
double DeviationOf(const Profile& profile) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < profile.steps.size(); ++i) {
    if (profile.bare[i]) sizes.push_back(std::abs(profile.steps[i]));
  }
  return kDeviationsPerMad * UpperMedian(sizes);
}

std::vector<MarginStep> StepsOf(const Profile& profile, const MarginStepParams& params) {
  const auto count = static_cast<int>(profile.steps.size());
  const auto bare = std::ranges::count(profile.bare, true);
  if (bare == 0 || static_cast<double>(bare) < params.min_bare_share * count) return {};
  const double least = std::max(params.min_step_grey, params.min_deviations * DeviationOf(profile));
  const auto size_at = [&](int across) {
    return std::abs(profile.steps[static_cast<std::size_t>(across)]);
  };
  std::vector<MarginStep> found;
  for (int across = 0; across < count; ++across) {
    if (size_at(across) < least) continue;
    bool largest = true;
    for (int at = std::max(across - params.apart_px, 0);
         at <= std::min(across + params.apart_px, count - 1); ++at) {
      largest =
          largest && (at < across ? size_at(at) < size_at(across) : size_at(at) <= size_at(across));
    }
    if (largest) found.push_back({across, profile.steps[static_cast<std::size_t>(across)]});
  }
  return found;
}

}  // namespace

std::pair<std::vector<MarginStep>, std::vector<MarginStep>> FindMarginSteps(
    const cv::Mat& albedo, const MarginStepParams& params) {
  const int width = std::min(params.to_px, albedo.cols) - params.from_px;
  if (width < params.min_bare_px) return {};
  const int darkest =
      QuantileOf(albedo, params.paper_quantile) - RoundToInt(params.max_darker_grey * kGrey);
  const auto steps_from = [&](int first) {
    const cv::Mat strip = albedo.colRange(first, first + width);
    return StepsOf(ProfileOf(strip, darkest, params), params);
  };
  return {steps_from(params.from_px), steps_from(albedo.cols - params.from_px - width)};
}

}  // namespace glint::photometric
