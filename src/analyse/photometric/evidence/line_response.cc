// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/evidence/line_response.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "base/median.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr float kUnseen = std::numeric_limits<float>::quiet_NaN();

/// Of the residuals of one view on the surface, grey values.
float DeviationOf(const StoredPlane& stored, const Plane& valid, const Plane& surface) {
  const Plane residuals = stored.Whole();
  std::array<std::int64_t, 32769> counts{};
  for (int y = 0; y < surface.height(); ++y) {
    const auto* rest = residuals.Row<std::int16_t>(y);
    const auto* seen = valid.Row<std::uint8_t>(y);
    const auto* object = surface.Row<std::uint8_t>(y);
    for (int x = 0; x < surface.width(); ++x) {
      if (seen[x] != 0 && object[x] != 0) ++counts.at(static_cast<std::size_t>(std::abs(rest[x])));
    }
  }
  const std::int64_t middle = std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) / 2;
  std::int64_t below = 0;
  std::size_t median = 0;
  while (median + 1 < counts.size() && below + counts.at(median) <= middle) {
    below += counts.at(median++);
  }
  return static_cast<float>(kDeviationsPerMad * static_cast<double>(median) / kGrey);
}

}  // namespace

std::vector<float> BesideFlanks(const std::vector<float>& sums, int lines) {
  if (lines == 0) return sums;
  const auto away = static_cast<std::size_t>(lines);
  std::vector<float> beside(sums.size(), kUnseen);
  for (std::size_t i = away; i + away < sums.size(); ++i) {
    beside[i] = sums[i] - 0.5F * (sums[i - away] + sums[i + away]);
  }
  return beside;
}

LineResponse::LineResponse(const ResidualViews& views, const LineResponseParams& params,
                           ThreadPool& pool)
    : views_(views),
      params_(params),
      groups_(std::min(params.max_groups, static_cast<int>(views.residuals.size()))),
      deviations_(views.residuals.size()) {
  pool.ParallelFor(std::ssize(deviations_), [&](std::int64_t i) {
    const auto view = static_cast<std::size_t>(i);
    deviations_[view] = DeviationOf(views.residuals[view], views.valid[view], views.surface);
  });
}

void LineResponse::AddView(std::size_t view, const cv::Rect& box, cv::Mat& sums,
                           cv::Mat& counts) const {
  const float deviation = deviations_[view];
  if (!(deviation > 0)) return;
  const float most = params_.max_residual_sigmas;
  const Plane residual = views_.residuals[view].Part(box.x, box.y, {box.width, box.height});
  for (int y = 0; y < box.height; ++y) {
    const auto* rest = residual.Row<std::int16_t>(y);
    const auto* seen = views_.valid[view].Row<std::uint8_t>(box.y + y) + box.x;
    const auto* object = views_.surface.Row<std::uint8_t>(box.y + y) + box.x;
    const auto* gradient = views_.gradient.Row<std::int32_t>(box.y + y) + box.x;
    auto* sum = sums.ptr<float>(y);
    auto* count = counts.ptr<float>(y);
    for (int x = 0; x < box.width; ++x) {
      if (seen[x] == 0 || object[x] == 0) continue;
      const float contour = params_.contour_variance * static_cast<float>(gradient[x]);
      const float expected = std::sqrt(deviation * deviation + contour * (1.0F / kGradientUnit));
      sum[x] += std::clamp(static_cast<float>(rest[x]) / kGrey / expected, -most, most);
      count[x] += 1;
    }
  }
}

cv::Mat LineResponse::Group(int group, const cv::Rect& box) const {
  const int views = static_cast<int>(views_.residuals.size());
  cv::Mat sums(box.size(), CV_32F, cv::Scalar(0)), counts(box.size(), CV_32F, cv::Scalar(0));
  for (int view = GroupBegin(group, groups_, views); view < GroupBegin(group + 1, groups_, views);
       ++view) {
    AddView(static_cast<std::size_t>(view), box, sums, counts);
  }
  for (int y = 0; y < box.height; ++y) {
    auto* sum = sums.ptr<float>(y);
    const auto* count = counts.ptr<float>(y);
    for (int x = 0; x < box.width; ++x) {
      sum[x] = count[x] > 0 ? sum[x] / std::sqrt(count[x]) : kUnseen;
    }
  }
  return sums;
}

std::vector<cv::Mat> LineResponse::Groups(const cv::Rect& box) const {
  std::vector<cv::Mat> groups;
  groups.reserve(static_cast<std::size_t>(groups_));
  for (int group = 0; group < groups_; ++group) groups.push_back(Group(group, box));
  return groups;
}

void LineResponse::UpdateBeside(std::span<const float> squares, int beside_px,
                                std::vector<float>& beside) const {
  const std::size_t length = squares.size();
  std::vector<double> sums(length + 1);
  std::vector<int> counts(length + 1);
  for (std::size_t i = 0; i < length; ++i) {
    const bool seen = !std::isnan(squares[i]);
    const float most = params_.max_beside_ratio * beside[i];
    sums[i + 1] = sums[i] + (seen ? std::min(squares[i], most) : 0);
    counts[i + 1] = counts[i] + (seen ? 1 : 0);
  }
  const auto reach = static_cast<std::size_t>(beside_px);
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t begin = i - std::min(i, reach);
    const std::size_t end = std::min(i + reach + 1, length);
    const int count = std::max(counts[end] - counts[begin], 1);
    beside[i] = static_cast<float>((sums[end] - sums[begin]) / count) * params_.beside_gain;
  }
}

void LineResponse::Whiten(std::vector<float>& squares, float noise, int beside_px) const {
  std::vector<float> seen;
  seen.reserve(squares.size());
  for (const float square : squares) {
    if (!std::isnan(square)) seen.push_back(square);
  }
  const float first = static_cast<float>(Median(std::move(seen))) * params_.first_medians + 1e-6F;
  std::vector<float> beside(squares.size(), first);
  for (int round = 0; round < params_.rounds; ++round) UpdateBeside(squares, beside_px, beside);
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const float least = std::max({beside[i], params_.min_beside_share * first, noise});
    squares[i] = std::isnan(squares[i]) ? 0 : std::min(squares[i] / least, params_.max_ratio);
  }
}

void LineResponse::AddEnergy(const std::vector<float>& sums, int length, LineSurroundings around,
                             std::vector<float>& energy) const {
  std::vector<float> even = BesideFlanks(sums, around.thin), odd(sums.size(), kUnseen);
  for (float& value : even) value *= value;
  const auto flank = static_cast<std::size_t>(params_.flank_px);
  for (std::size_t i = flank; i + flank < sums.size(); ++i) {
    const float difference = sums[i + flank] - sums[i - flank];
    odd[i] = difference * difference;
  }
  const float noise = params_.min_beside_variance * static_cast<float>(length);
  // Less the mean of two others the variance is one and a half, less another twice that of one.
  Whiten(even, around.thin > 0 ? 1.5F * noise : noise, around.beside);
  Whiten(odd, 2 * noise, around.beside);
  for (std::size_t i = 0; i < energy.size(); ++i) {
    energy[i] += (even[i] + params_.flank_weight * odd[i]) / (1 + params_.flank_weight);
  }
}

double LineResponse::ScoreOf(double energy) const {
  const double share = std::sqrt(static_cast<double>(groups_) / params_.max_groups);
  return std::sqrt(std::max(1 + (energy / groups_ - 1) * share, 0.0));
}

}  // namespace glint::photometric
