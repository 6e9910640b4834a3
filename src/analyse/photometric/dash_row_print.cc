// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/dash_row_print.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
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

/// Whether a contour of the print runs along the gaps.
bool HaveContour(const StraightLine& row, const std::vector<int>& gaps, const cv::Mat& whiteness,
                 const DashRowPrintParams& params) {
  const auto whiteness_at = [&](int along, int across) {
    const cv::Point at = row.At(along, across);
    return whiteness.at<std::uint8_t>(std::clamp(at.y, 0, whiteness.rows - 1),
                                      std::clamp(at.x, 0, whiteness.cols - 1));
  };
  const int last = params.reach_px - params.step_px;
  for (int across = -params.reach_px; across <= last; ++across) {
    Evenness step;
    for (const int along : gaps) {
      step.Add(std::int64_t{kGrey} *
               (whiteness_at(along, across + params.step_px) - whiteness_at(along, across)));
    }
    if (std::abs(step.Mean()) >= params.min_step_grey &&
        step.Ratio(params.noise_grey) >= params.min_evenness) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsBarePaper(const StraightLine& row, std::span<const PaperDash> dashes,
                 const PaperDashes& paper, const DashRowPrintParams& params) {
  if (!TurnToPaper(dashes, paper.colour, params) || !HaveLikeSides(dashes, params)) return false;
  if (paper.whiteness.empty()) return true;
  const std::vector<int> gaps = GapsOf(row, dashes, params);
  return std::ssize(gaps) < params.min_gaps_px || !HaveContour(row, gaps, paper.whiteness, params);
}

}  // namespace glint::photometric
