// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/line_bridges.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/lines/line_ends.h"
#include "base/mat.h"

namespace glint::photometric {
namespace {

/// One end of a line that is long enough to point anywhere.
struct PointingEnd {
  std::size_t line;
  double length;  ///< of the line, from end to end
  LineEnd end;
};

/// Between two ends, by their places in the list of all.
struct Bridge {
  std::size_t from, to;
  double length;
};

cv::Point PlaceOf(const LineEnd& end) { return {static_cast<int>(end.x), static_cast<int>(end.y)}; }

double Between(const LineEnd& a, const LineEnd& b) { return std::hypot(b.x - a.x, b.y - a.y); }

std::vector<PointingEnd> PointingEnds(const Lines& lines, const LineBridgeParams& params) {
  const std::vector<std::vector<cv::Point>> pixels = LinePixels(lines);
  std::vector<PointingEnd> ends;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (std::ssize(pixels[i]) < params.min_length_px) continue;
    const LineEnd one = EndOf(pixels[i], -1, params.end_px);
    const LineEnd other = EndOf(pixels[i], 1, params.end_px);
    const double length = Between(one, other);
    if (length < params.min_length_px) continue;
    ends.push_back({i, length, one});
    ends.push_back({i, length, other});
  }
  return ends;
}

/// Whether a line goes on at one end towards another end.
bool PointsAt(const LineEnd& end, const LineEnd& at, double max_turn_deg) {
  const double dx = at.x - end.x, dy = at.y - end.y;
  const double along = dx * std::cos(end.radians) + dy * std::sin(end.radians);
  return along >= std::hypot(dx, dy) * std::cos(max_turn_deg * std::numbers::pi / 180);
}

/// All that may be bridged, the narrowest first.
std::vector<Bridge> PossibleBridges(const std::vector<PointingEnd>& ends,
                                    const LineBridgeParams& params) {
  std::vector<Bridge> bridges;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t j = i + 1; j < ends.size(); ++j) {
      const PointingEnd &a = ends[i], &b = ends[j];
      const double length = Between(a.end, b.end);
      if (a.line != b.line && length <= params.max_gap_share * std::min(a.length, b.length) &&
          PointsAt(a.end, b.end, params.max_turn_deg) &&
          PointsAt(b.end, a.end, params.max_turn_deg)) {
        bridges.push_back({i, j, length});
      }
    }
  }
  std::ranges::stable_sort(bridges, {}, &Bridge::length);
  return bridges;
}

}  // namespace

Plane BridgeLines(const Lines& lines, const Plane& count, const LineBridgeParams& params) {
  cv::Mat mask(lines.ids.height(), lines.ids.width(), CV_8U, cv::Scalar(0));
  const std::vector<PointingEnd> ends = PointingEnds(lines, params);
  std::vector<bool> bridged(ends.size());
  for (const Bridge& bridge : PossibleBridges(ends, params)) {
    if (bridged[bridge.from] || bridged[bridge.to]) continue;
    bridged[bridge.from] = bridged[bridge.to] = true;
    cv::line(mask, PlaceOf(ends[bridge.from].end), PlaceOf(ends[bridge.to].end), cv::Scalar(255));
  }
  cv::dilate(mask, mask, cv::Mat::ones(3, 3, CV_8U));
  mask.setTo(0, AsMat(count) == 0);
  return AsPlane(mask);
}

}  // namespace glint::photometric
