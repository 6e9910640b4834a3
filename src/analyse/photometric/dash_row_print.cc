// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/dash_row_print.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "analyse/photometric/evenness.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// Whether dashes turn the colour of their sides towards paper, each by its length.
bool TurnToPaper(std::span<const PaperDash> dashes, const cv::Vec3d& paper,
                 const DashRowPrintParams& params) {
  cv::Vec3d gain(0, 0, 0), way(0, 0, 0);
  for (const PaperDash& dash : dashes) {
    gain += dash.length * dash.gain;
    way += dash.length * (paper - dash.ink);
  }
  const double least = std::cos(params.max_turn_deg * std::numbers::pi / 180);
  return gain.dot(way) >= least * cv::norm(gain) * cv::norm(way);
}

/// Whether the sides of dashes are of one print.
bool HaveLikeSides(std::span<const PaperDash> dashes, const DashRowPrintParams& params) {
  double length = 0, differ = 0;
  for (const PaperDash& dash : dashes) {
    length += dash.length;
    differ += dash.length * dash.side_share;
  }
  return differ <= params.max_side_share * length;
}

/// The places along a row where no dash is.
std::vector<int> GapsOf(const StraightLine& row, std::span<const PaperDash> dashes,
                        const DashRowPrintParams& params) {
  std::vector<int> gaps;
  for (int along = row.begin; along <= row.end; ++along) {
    const auto covers = [&](const PaperDash& dash) {
      const double middle = (dash.x - row.x) * row.cosine + (dash.y - row.y) * row.sine;
      return std::abs(along - middle) <= dash.length / 2 + params.end_px;
    };
    if (std::ranges::none_of(dashes, covers)) gaps.push_back(along);
  }
  return gaps;
}

/// The print beside a row.
class RowSides {
 public:
  RowSides(const StraightLine& row, const cv::Mat& whiteness, const DashRowPrintParams& params)
      : row_(row), whiteness_(whiteness), params_(params) {}

  /// Whether a contour runs along places of the row, from one distance across to another.
  bool HaveContour(const std::vector<int>& places, int from, int to) const {
    for (int across = from; across + params_.step_px <= to; ++across) {
      Evenness step;
      for (const int along : places) {
        step.Add(std::int64_t{kGrey} *
                 (WhitenessAt(along, across + params_.step_px) - WhitenessAt(along, across)));
      }
      if (std::abs(step.Mean()) >= params_.min_step_grey &&
          step.Ratio(params_.noise_grey) >= params_.min_evenness) {
        return true;
      }
    }
    return false;
  }

 private:
  int WhitenessAt(int along, int across) const {
    const cv::Point at = row_.At(along, across);
    return whiteness_.at<std::uint8_t>(std::clamp(at.y, 0, whiteness_.rows - 1),
                                       std::clamp(at.x, 0, whiteness_.cols - 1));
  }

  const StraightLine& row_;
  const cv::Mat& whiteness_;
  const DashRowPrintParams& params_;
};

}  // namespace

bool IsBarePaper(const StraightLine& row, std::span<const PaperDash> dashes,
                 const PaperDashes& paper, const DashRowPrintParams& params) {
  if (!TurnToPaper(dashes, paper.colour, params) || !HaveLikeSides(dashes, params)) return false;
  if (paper.whiteness.empty()) return true;
  const RowSides sides(row, paper.whiteness, params);
  const std::vector<int> gaps = GapsOf(row, dashes, params);
  if (std::ssize(gaps) >= params.min_gaps_px &&
      sides.HaveContour(gaps, -params.reach_px, params.reach_px)) {
    return false;
  }
  std::vector<int> all(static_cast<std::size_t>(row.length()));
  std::iota(all.begin(), all.end(), row.begin);
  return !sides.HaveContour(all, -params.far_px, -params.near_px) &&
         !sides.HaveContour(all, params.near_px, params.far_px);
}

}  // namespace glint::photometric
