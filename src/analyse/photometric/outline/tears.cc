// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/tears.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/photometric/pixels/masks.h"

namespace glint::photometric {
namespace {

/// Pixels that differ from the median of their surroundings.
cv::Mat Different(const cv::Mat& colour, double scale, const TearParams& params) {
  cv::Mat lab, around;
  cv::cvtColor(colour, lab, cv::COLOR_RGB2Lab);
  cv::medianBlur(lab, around,
                 2 * std::max(1, static_cast<int>(params.colour_reach_px * scale)) + 1);
  const int min_square = params.min_difference_lab * params.min_difference_lab;
  cv::Mat different(lab.size(), CV_8U);
  for (int y = 0; y < lab.rows; ++y) {
    const auto* a = lab.ptr<cv::Vec3b>(y);
    const auto* b = around.ptr<cv::Vec3b>(y);
    for (int x = 0; x < lab.cols; ++x) {
      int square = 0;
      for (int c = 0; c < 3; ++c) square += (a[x][c] - b[x][c]) * (a[x][c] - b[x][c]);
      different.at<std::uint8_t>(y, x) = square > min_square ? 255 : 0;
    }
  }
  return different;
}

/// A narrow gap as seen from the side it opens to.
struct Tear {
  Side side{};
  int depth = 0;
  double width = 0;          ///< mean
  double at = 0, slope = 0;  ///< its middle lies `at + slope * deep` along the side
};

/// How far along the side a pixel lies, and how deep: the inverse of At.
std::pair<int, int> FromSide(Side side, cv::Point p, cv::Size size) {
  switch (side) {
    case Side::kTop:
      return {p.x, p.y};
    case Side::kRight:
      return {p.y, size.width - 1 - p.x};
    case Side::kBottom:
      return {p.x, size.height - 1 - p.y};
    case Side::kLeft:
      return {p.y, p.x};
  }
  return {};
}

/// The only side that the pixels touch, and how many of them do.
std::optional<std::pair<Side, int>> Mouth(const std::vector<cv::Point>& pixels, cv::Size size) {
  std::optional<std::pair<Side, int>> mouth;
  for (const Side side : kSides) {
    const auto touching = std::ranges::count_if(
        pixels, [&](cv::Point p) { return FromSide(side, p, size).second == 0; });
    if (touching == 0) continue;
    if (mouth) return std::nullopt;
    mouth.emplace(side, static_cast<int>(touching));
  }
  return mouth;
}

std::optional<Tear> AsTear(const std::vector<cv::Point>& pixels, cv::Size size,
                           const TearParams& params) {
  const auto mouth = Mouth(pixels, size);
  if (!mouth) return std::nullopt;
  Tear tear{.side = mouth->first};
  for (const cv::Point p : pixels) {
    tear.depth = std::max(tear.depth, FromSide(tear.side, p, size).second + 1);
  }
  if (tear.depth < params.min_slenderness * mouth->second ||
      tear.depth > params.max_depth_share * DepthOf(tear.side, size)) {
    return std::nullopt;
  }
  tear.width = static_cast<double>(pixels.size()) / tear.depth;
  // A straight line through its inner two thirds: at the mouth the lips stand apart.
  double n = 0, sum_d = 0, sum_a = 0, sum_dd = 0, sum_da = 0;
  for (const cv::Point p : pixels) {
    const auto [along, deep] = FromSide(tear.side, p, size);
    if (3 * deep < tear.depth) continue;
    n += 1;
    sum_d += deep;
    sum_a += along;
    sum_dd += static_cast<double>(deep) * deep;
    sum_da += static_cast<double>(deep) * along;
  }
  const double spread = n * sum_dd - sum_d * sum_d;
  if (spread <= 0) return std::nullopt;
  tear.slope = (n * sum_da - sum_d * sum_a) / spread;
  tear.at = (sum_a - tear.slope * sum_d) / n;
  return tear;
}

/// Where the tear may go on. Masks are CV_8U, 0 and 255.
struct Corridor {
  cv::Mat pixels;
  cv::Mat closing;  ///< those of them that the tear reaches as its lips close
  cv::Mat ahead;    ///< all that is as deep as the corridor begins, or deeper
  int end = 0;      ///< as deep as that
};

/// What is so deep behind a side, or deeper.
cv::Rect BehindSide(Side side, int deep, cv::Size size) {
  const cv::Point a = At(side, 0, deep, size);
  const cv::Point b = At(side, LengthOf(side, size) - 1, DepthOf(side, size) - 1, size);
  return {cv::Point(std::min(a.x, b.x), std::min(a.y, b.y)),
          cv::Point(std::max(a.x, b.x) + 1, std::max(a.y, b.y) + 1)};
}

Corridor CorridorOf(const Tear& tear, cv::Size size, double scale, const TearParams& params) {
  Corridor corridor{.pixels = cv::Mat(size, CV_8U, cv::Scalar(0)),
                    .closing = cv::Mat(size, CV_8U, cv::Scalar(0)),
                    .ahead = cv::Mat(size, CV_8U, cv::Scalar(0)),
                    .end = params.max_continuation * tear.depth};
  const double lips = params.lips_px * scale;
  const double reach = tear.width / 2 + lips;
  const double length = corridor.end - tear.depth;
  corridor.end = std::min(corridor.end, DepthOf(tear.side, size));
  const int begin = std::max(tear.depth - 2, 0);
  corridor.ahead(BehindSide(tear.side, begin, size)).setTo(255);
  for (int deep = begin; deep < corridor.end; ++deep) {
    const double middle = tear.at + tear.slope * deep;
    const double closing = tear.width / 2 + lips * std::min(1.0, 1 - (deep - tear.depth) / length);
    const int first = std::max(0, static_cast<int>(std::ceil(middle - reach)));
    const int last =
        std::min(LengthOf(tear.side, size) - 1, static_cast<int>(std::floor(middle + reach)));
    for (int along = first; along <= last; ++along) {
      const cv::Point at = At(tear.side, along, deep, size);
      corridor.pixels.at<std::uint8_t>(at) = 255;
      if (std::abs(along - middle) <= closing) corridor.closing.at<std::uint8_t>(at) = 255;
    }
  }
  return corridor;
}

/// What differs at the corridor's sides, but not parts of so many pixels, which are print that the
/// tear has met.
cv::Mat AtItsSides(const cv::Mat& different, const Corridor& corridor, std::size_t most) {
  const Components parts = FindComponents(different & corridor.ahead & (corridor.closing == 0), 8);
  const std::vector<int> pixels = parts.CountIn(different);
  std::vector<bool> few;
  few.reserve(pixels.size());
  for (const int count : pixels) few.push_back(static_cast<std::size_t>(count) < most);
  return parts.Select(few) & corridor.pixels;
}

/// Whether some of these pixels are so deep.
bool Reaches(const cv::Mat& pixels, Side side, int deep) {
  const cv::Rect box = cv::boundingRect(pixels);
  if (box.empty()) return false;
  const cv::Point last = box.br() - cv::Point(1, 1);
  return std::max(FromSide(side, box.tl(), pixels.size()).second,
                  FromSide(side, last, pixels.size()).second) >= deep;
}

bool IsPrinted(const std::vector<cv::Point>& pixels, cv::Size size, int max_slenderness) {
  const auto mouth = Mouth(pixels, size);
  if (!mouth) return false;
  std::int64_t depth = 0;
  for (const cv::Point p : pixels) {
    depth = std::max<std::int64_t>(depth, FromSide(mouth->first, p, size).second + 1);
  }
  return depth * depth > max_slenderness * std::ssize(pixels);
}

}  // namespace

cv::Mat PrintedLinesAmong(const cv::Mat& gaps, const TearParams& params) {
  const Components components = FindComponents(gaps, 8);
  std::vector<bool> printed(static_cast<std::size_t>(components.count));
  for (int i = 1; i < components.count; ++i) {
    std::vector<cv::Point> pixels;
    cv::findNonZero(components.labels == i, pixels);
    printed[static_cast<std::size_t>(i)] = IsPrinted(pixels, gaps.size(), params.max_slenderness);
  }
  return components.Select(printed);
}

cv::Mat ContinueTears(const cv::Mat& colour, const cv::Mat& gaps, double scale,
                      const TearParams& params) {
  cv::Mat more(gaps.size(), CV_8U, cv::Scalar(0));
  const Components components = FindComponents(gaps, 8);
  if (components.count < 2) return more;
  const cv::Mat different = Different(colour, scale, params);
  for (int i = 1; i < components.count; ++i) {
    const cv::Mat gap = components.labels == i;
    std::vector<cv::Point> pixels;
    cv::findNonZero(gap, pixels);
    const auto tear = AsTear(pixels, gaps.size(), params);
    if (!tear) continue;
    const Corridor corridor = CorridorOf(*tear, gaps.size(), scale, params);
    const cv::Mat both = (different & corridor.pixels) | gap;
    const cv::Mat further = ComponentsTouching(both, gap, 8) & (gap == 0);
    // A tear ends somewhere; what runs through is a contour of the print that it has met.
    if (Reaches(further, tear->side, corridor.end - 1)) continue;
    const std::size_t most = static_cast<std::size_t>(params.max_continuation) * pixels.size();
    const cv::Mat own = further & (corridor.closing | AtItsSides(different, corridor, most));
    more |= ComponentsTouching(own | gap, gap, 8) & (gap == 0);
  }
  return more;
}

}  // namespace glint::photometric
