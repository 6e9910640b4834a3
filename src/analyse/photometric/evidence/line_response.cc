// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/evidence/line_response.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "analyse/photometric/evidence/line_response_loops.h"
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
  const ResidualSpread spread{.deviation = deviations_[view],
                              .contour_variance = params_.contour_variance,
                              .max_sigmas = params_.max_residual_sigmas};
  if (!(spread.deviation > 0)) return;
  const Plane residual = views_.residuals[view].Part(box.x, box.y, {box.width, box.height});
  for (int y = 0; y < box.height; ++y) {
    const ResidualRow row{
        .residuals = {residual.Row<std::int16_t>(y), static_cast<std::size_t>(box.width)},
        .valid = views_.valid[view].Row<std::uint8_t>(box.y + y) + box.x,
        .surface = views_.surface.Row<std::uint8_t>(box.y + y) + box.x,
        .gradients = views_.gradient.Row<std::int32_t>(box.y + y) + box.x};
    AddInDeviations(row, spread, sums.ptr<float>(y), counts.ptr<float>(y));
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
    DivideByRoots({sums.ptr<float>(y), static_cast<std::size_t>(box.width)}, counts.ptr<float>(y));
  }
  return sums;
}

std::vector<cv::Mat> LineResponse::Groups(const cv::Rect& box) const {
  std::vector<cv::Mat> groups;
  groups.reserve(static_cast<std::size_t>(groups_));
  for (int group = 0; group < groups_; ++group) groups.push_back(Group(group, box));
  return groups;
}

void LineResponse::AddEnergies(const std::vector<float>& sums, int length, int beside,
                               std::span<const ThinEnergy> energies) const {
  std::vector<std::vector<float>> rows;  // what is squared: the odd response, then even ones
  rows.emplace_back(sums.size(), kUnseen);
  const auto flank = static_cast<std::size_t>(params_.flank_px);
  for (std::size_t i = flank; i + flank < sums.size(); ++i) {
    rows[0][i] = sums[i + flank] - sums[i - flank];
  }
  for (const ThinEnergy& thin : energies) rows.push_back(BesideFlanks(sums, thin.lines));
  std::vector<SquaredResponses> responses;
  // Less the mean of two others the variance is one and a half, less another twice that of one.
  const float noise = params_.min_beside_variance * static_cast<float>(length);
  responses.push_back({.squares = rows[0], .noise = 2 * noise});
  for (std::size_t k = 0; k < energies.size(); ++k) {
    responses.push_back(
        {.squares = rows[k + 1], .noise = energies[k].lines > 0 ? 1.5F * noise : noise});
  }
  for (std::vector<float>& row : rows) {
    for (float& value : row) value *= value;
  }
  Whiten(responses, {.beside = beside,
                     .rounds = params_.rounds,
                     .first_medians = params_.first_medians,
                     .max_beside_ratio = params_.max_beside_ratio,
                     .beside_gain = params_.beside_gain,
                     .min_beside_share = params_.min_beside_share,
                     .max_ratio = params_.max_ratio});
  for (std::size_t k = 0; k < energies.size(); ++k) {
    std::span<float> energy = energies[k].energy;
    for (std::size_t i = 0; i < energy.size(); ++i) {
      energy[i] +=
          (rows[k + 1][i] + params_.flank_weight * rows[0][i]) / (1 + params_.flank_weight);
    }
  }
}

void LineResponse::AddEnergy(const std::vector<float>& sums, int length, LineSurroundings around,
                             std::vector<float>& energy) const {
  const ThinEnergy thin{.lines = around.thin, .energy = energy};
  AddEnergies(sums, length, around.beside, {&thin, 1});
}

double LineResponse::ScoreOf(double energy) const {
  const double share = std::sqrt(static_cast<double>(groups_) / params_.max_groups);
  return std::sqrt(std::max(1 + (energy / groups_ - 1) * share, 0.0));
}

}  // namespace glint::photometric
