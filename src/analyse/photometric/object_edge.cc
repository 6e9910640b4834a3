// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/object_edge.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/background.h"
#include "analyse/photometric/masks.h"
#include "analyse/photometric/outline.h"

namespace glint::photometric {
namespace {

constexpr int kStrip = 3;        // px deep: the colours of two such strips are compared
constexpr int kFirstEdge = -2;   // px inside the outline, that the edge may lie: the outline is
constexpr int kLastEdge = 1;     // fitted to within 1 px, and lies at -0.5
constexpr int kOutermost = -20;  // px outside the outline that are used
constexpr int kNearest = -5;     // px outside the outline: nearer are the edge, its blur and shadow
constexpr int kFirstStep = kOutermost + kStrip;
constexpr int kLastStep = kNearest - kStrip;
constexpr int kInnermost = kLastEdge + kStrip;
constexpr int kMinDepth = kInnermost + 2;       // of a gap: it fills the strips
constexpr int kHalfWindow = 30;                 // px along the outline
constexpr int kMinMouth = 12;                   // px of a gap's mouth in that window
constexpr int kEnds = 2;                        // px at both ends of a mouth: blur
constexpr double kClearer = 2.5;                // times the root mean square of the steps outside
constexpr double kMinStep = 1.5 * kColourUnit;  // that these are taken for, difference in Lab
constexpr int kScreen = 3;  // px, radius of what is closed: dots of a printed screen
constexpr int kWall = 3;    // px deep that are marked: nothing passes through

constexpr int kRows = kInnermost - kOutermost + 1;

/// Sums of colours along one side, row by row of the same depth, over the pixels that are asked.
class SideColours {
 public:
  SideColours(Side side, const std::array<cv::Mat, 3>& lab, cv::Size object,
              const std::vector<bool>& asked)
      : length_(static_cast<int>(asked.size())), sums_(kRows), counts_(asked.size() + 1, 0) {
    for (std::size_t i = 0; i < asked.size(); ++i) counts_[i + 1] = counts_[i] + (asked[i] ? 1 : 0);
    for (int row = 0; row < kRows; ++row) {
      auto& sums = sums_[static_cast<std::size_t>(row)];
      sums.resize(asked.size() + 1, {});
      for (int along = 0; along < length_; ++along) {
        const auto i = static_cast<std::size_t>(along);
        sums[i + 1] = sums[i];
        if (!asked[i]) continue;
        const cv::Point at = At(side, along, row + kOutermost, object) +
                             cv::Point(kBackgroundMargin, kBackgroundMargin);
        for (std::size_t c = 0; c < 3; ++c) sums[i + 1][c] += lab[c].at<std::uint16_t>(at);
      }
    }
  }

  /// Whether the object's edge shows around a place.
  bool ShowsEdge(int along) const {
    const auto first = static_cast<std::size_t>(std::max(along - kHalfWindow, 0));
    const auto end = static_cast<std::size_t>(std::min(along + kHalfWindow + 1, length_));
    const std::int64_t pixels = counts_[end] - counts_[first];
    if (pixels < kMinMouth) return false;
    std::array<std::array<std::int64_t, 3>, kRows> colours;
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t c = 0; c < 3; ++c)
        colours[row][c] = sums_[row][end][c] - sums_[row][first][c];
    }
    // Squared differences between the strips on both sides of a row.
    const auto step = [&](int depth) {
      const auto middle = static_cast<std::size_t>(depth - kOutermost);
      std::int64_t square = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        std::int64_t difference = 0;
        for (std::size_t i = 1; i <= kStrip; ++i) {
          difference += colours[middle + i][c] - colours[middle - i][c];
        }
        square += difference * difference;
      }
      return square;
    };
    std::int64_t edge = 0, outside = 0;
    for (int depth = kFirstEdge; depth <= kLastEdge; ++depth) edge = std::max(edge, step(depth));
    for (int depth = kFirstStep; depth <= kLastStep; ++depth) outside += step(depth);
    constexpr int kSteps = kLastStep - kFirstStep + 1;
    // Integers below 2^53: exact.
    const double least = kMinStep * kStrip * static_cast<double>(pixels);
    const double usual = std::max(static_cast<double>(outside) / kSteps, least * least);
    return static_cast<double>(edge) > kClearer * kClearer * usual;
  }

 private:
  int length_;
  std::vector<std::vector<std::array<std::int64_t, 3>>> sums_;  // per row, up to each place
  std::vector<std::int64_t> counts_;
};

/// Which places of a side lie deep enough in a wide gap's mouth to ask for an edge.
std::vector<bool> Asked(const std::vector<int>& depths) {
  std::vector<bool> asked(depths.size());
  int run = 0;  // deep places in a row
  for (std::size_t i = 0; i < depths.size(); ++i) {
    run = depths[i] >= kMinDepth ? run + 1 : 0;
    if (run > 2 * kEnds) asked[i - kEnds] = true;
  }
  return asked;
}

/// The places of a side whose gap lies behind an edge; one that cannot be asked says what the
/// nearest of its mouth says.
std::vector<bool> Behind(const std::vector<int>& depths, const SideColours& colours,
                         const std::vector<bool>& asked) {
  std::vector<bool> behind(depths.size());
  for (std::size_t first = 0; first < depths.size();) {
    std::size_t end = first;
    std::vector<std::size_t> told;
    for (; end < depths.size() && depths[end] > 0; ++end) {
      if (!asked[end]) continue;
      behind[end] = colours.ShowsEdge(static_cast<int>(end));
      told.push_back(end);
    }
    for (std::size_t i = first; i < end && !told.empty(); ++i) {
      const auto next = std::ranges::lower_bound(told, i);
      const bool before =
          next == told.end() || (next != told.begin() && i - *(next - 1) < *next - i);
      if (!asked[i]) behind[i] = behind[before ? *(next - 1) : *next];
    }
    first = end + 1;
  }
  return behind;
}

}  // namespace

cv::Mat BehindVisibleEdge(const std::array<cv::Mat, 3>& lab, const cv::Mat& gap) {
  cv::Mat wall(gap.size(), CV_8U, cv::Scalar(0)), whole;
  cv::morphologyEx(gap, whole, cv::MORPH_CLOSE, Disc(kScreen));
  for (const Side side : kSides) {
    const std::vector<int> depths = RunsFrom(side, whole, kMinDepth);
    const std::vector<bool> asked = Asked(depths);
    if (std::ranges::find(asked, true) == asked.end()) continue;
    const std::vector<bool> behind =
        Behind(depths, SideColours(side, lab, gap.size(), asked), asked);
    for (int along = 0; along < LengthOf(side, gap.size()); ++along) {
      if (!behind[static_cast<std::size_t>(along)]) continue;
      for (int deep = 0; deep < kWall; ++deep) {
        wall.at<std::uint8_t>(At(side, along, deep, gap.size())) = 255;
      }
    }
  }
  return wall;
}

}  // namespace glint::photometric
