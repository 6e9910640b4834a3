// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_row_print.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "analyse/photometric/print/evenness.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

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

bool HasContour(const StraightLine& row, std::span<const PaperDash> dashes,
                const cv::Mat& whiteness, const DashRowPrintParams& params) {
  if (whiteness.empty()) return false;
  const RowSides sides(row, whiteness, params);
  const std::vector<int> gaps = GapsOf(row, dashes, params);
  if (std::ssize(gaps) >= params.min_gaps_px &&
      sides.HaveContour(gaps, -params.reach_px, params.reach_px)) {
    return true;
  }
  std::vector<int> all(static_cast<std::size_t>(row.length()));
  std::iota(all.begin(), all.end(), row.begin);
  return sides.HaveContour(all, -params.far_px, -params.near_px) ||
         sides.HaveContour(all, params.near_px, params.far_px);
}

}  // namespace glint::photometric
