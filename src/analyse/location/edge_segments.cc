// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/edge_segments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <utility>

#include "analyse/quadrilateral.h"

namespace glint {
namespace {

/// Sums of points with weights, and the straight line through them.
class LineSums {
 public:
  void Add(Point p, double weight) {
    weight_ += weight;
    at_ = at_ + p * weight;
    xx_ += weight * p.x * p.x;
    xy_ += weight * p.x * p.y;
    yy_ += weight * p.y * p.y;
  }
  Point Middle() const { return at_ * (1 / weight_); }
  /// Unit vector along the line, and the mean square of what lies beside it.
  std::pair<Point, double> Fit() const {
    const Point m = Middle();
    const double xx = xx_ / weight_ - m.x * m.x;
    const double xy = xy_ / weight_ - m.x * m.y;
    const double yy = yy_ / weight_ - m.y * m.y;
    const double spread = std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy);
    Point along = xx >= yy ? Point{xx - yy + spread, 2 * xy} : Point{2 * xy, yy - xx + spread};
    const double length = Length(along);
    along = length > 0 ? along * (1 / length) : Point{1, 0};
    return {along, (xx + yy - spread) / 2};
  }

 private:
  double weight_ = 0;
  Point at_;
  double xx_ = 0, xy_ = 0, yy_ = 0;
};

/// Pixels on the crest of the gradient that no segment has taken.
cv::Mat Crests(const ColourGradient& gradient, float least) {
  cv::Mat crests(gradient.length.size(), CV_8U, cv::Scalar(0));
  for (int y = 1; y < crests.rows - 1; ++y) {
    const auto* length = gradient.length.ptr<float>(y);
    for (int x = 1; x < crests.cols - 1; ++x) {
      if (length[x] >= least && IsCrest(gradient, x, y)) crests.at<std::uint8_t>(y, x) = 1;
    }
  }
  return crests;
}

/// Grows segments over crests.
class SegmentGrower {
 public:
  SegmentGrower(const ColourGradient& gradient, const SegmentParams& params)
      : gradient_(gradient), params_(params), free_(Crests(gradient, params.min_crest_sobel)) {}

  /// Adds the segments around a crest pixel, unless it is taken.
  void From(cv::Point seed, std::vector<EdgeLine>& segments) {
    if (free_.at<std::uint8_t>(seed) == 0) return;
    Take(seed);
    for (std::size_t i = 0; i < region_.size(); ++i) Spread(region_[i]);
    AddStraight(region_, segments);
  }

 private:
  void Take(cv::Point seed) {
    region_.assign(1, seed);
    free_.at<std::uint8_t>(seed) = 0;
    const auto n = gradient_.normal.at<cv::Vec2f>(seed);
    turned_ = {static_cast<double>(n[0]), static_cast<double>(n[1])};
  }

  /// Takes the free neighbours that point the way the region does.
  void Spread(cv::Point p) {
    for (int y = std::max(1, p.y - 1); y <= std::min(free_.rows - 2, p.y + 1); ++y) {
      for (int x = std::max(1, p.x - 1); x <= std::min(free_.cols - 2, p.x + 1); ++x) {
        if (free_.at<std::uint8_t>(y, x) == 0) continue;
        const auto n = gradient_.normal.at<cv::Vec2f>(y, x);
        const double cosine =
            (turned_.x * n[0] + turned_.y * n[1]) / std::max(1e-9, Length(turned_));
        if (std::abs(cosine) < params_.crest_cosine) continue;
        free_.at<std::uint8_t>(y, x) = 0;
        const double sign = cosine < 0 ? -1 : 1;
        turned_ = turned_ + Point{sign * n[0], sign * n[1]};
        region_.push_back({x, y});
      }
    }
  }

  /// Adds the segment through a region; of a bent one those of its parts on both sides of the
  /// place that lies farthest off.
  void AddStraight(const std::vector<cv::Point>& region, std::vector<EdgeLine>& segments) const {
    if (static_cast<double>(region.size()) < params_.min_length_px / 2) return;
    LineSums sums;
    for (const cv::Point p : region) sums.Add(At(p), 1);
    const auto [along, beside] = sums.Fit();
    if (beside <= params_.max_rms_px * params_.max_rms_px) {
      AddSegment(region, sums.Middle(), along, segments);
      return;
    }
    const Point middle = sums.Middle();
    const Point axis = along;
    const auto farthest = std::ranges::max_element(
        region, {}, [&](cv::Point p) { return std::abs(Cross(axis, At(p) - middle)); });
    const double split = Dot(axis, At(*farthest) - middle);
    std::array<std::vector<cv::Point>, 2> parts;
    for (const cv::Point p : region) {
      parts[Dot(axis, At(p) - middle) < split ? 0 : 1].push_back(p);
    }
    for (const auto& part : parts) {
      if (part.size() < region.size()) AddStraight(part, segments);
    }
  }

  void AddSegment(const std::vector<cv::Point>& region, Point middle, Point along,
                  std::vector<EdgeLine>& segments) const {
    double begin = 0;
    double end = 0;
    for (const cv::Point p : region) {
      const double t = Dot(At(p) - middle, along);
      begin = std::min(begin, t);
      end = std::max(end, t);
    }
    if (end - begin < params_.min_length_px) return;
    segments.push_back({{middle + along * begin, middle + along * end}, end - begin});
  }

  static Point At(cv::Point p) { return {static_cast<double>(p.x), static_cast<double>(p.y)}; }

  const ColourGradient& gradient_;
  const SegmentParams& params_;
  cv::Mat free_;
  std::vector<cv::Point> region_;
  Point turned_;  // sum of the region's normals, turned to one side
};

/// A segment as seen along another one.
struct Overlap {
  std::size_t index;
  double begin, end;
};

/// Takes, of the segments on one straight line with a seed, those that gaps do not part from it.
std::vector<std::size_t> WithoutGaps(std::vector<Overlap> on_line, std::size_t seed, double length,
                                     const SegmentParams& params) {
  std::vector<std::size_t> taken = {seed};
  double begin = 0;
  double end = length;
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t i = 0; i < on_line.size();) {
      const Overlap& other = on_line[i];
      const double gap = std::max(other.begin - end, begin - other.end);
      const double longer = std::max(end - begin, other.end - other.begin);
      if (gap >= std::max(params.max_gap_px, params.max_gap_share * longer) ||
          gap >= params.max_short_gap_share * longer) {
        ++i;
        continue;
      }
      begin = std::min(begin, other.begin);
      end = std::max(end, other.end);
      taken.push_back(other.index);
      on_line.erase(on_line.begin() + static_cast<std::ptrdiff_t>(i));
      grown = true;
    }
  }
  return taken;
}

/// The line through segments, weighted by their lengths.
EdgeLine Through(const std::vector<EdgeLine>& segments, const std::vector<std::size_t>& taken) {
  LineSums sums;
  double covered = 0;
  for (const std::size_t i : taken) {
    sums.Add(segments[i].ends.from, segments[i].covered);
    sums.Add(segments[i].ends.to, segments[i].covered);
    covered += segments[i].covered;
  }
  const Point middle = sums.Middle();
  const Point along = sums.Fit().first;
  double begin = 1e9;
  double end = -1e9;
  for (const std::size_t i : taken) {
    for (const Point p : {segments[i].ends.from, segments[i].ends.to}) {
      begin = std::min(begin, Dot(p - middle, along));
      end = std::max(end, Dot(p - middle, along));
    }
  }
  return {{middle + along * begin, middle + along * end}, std::min(covered, end - begin)};
}

/// The free segments that lie on one straight line with a seed.
std::vector<Overlap> OnLineWith(const std::vector<EdgeLine>& segments, std::size_t seed,
                                const std::vector<bool>& taken, const SegmentParams& params) {
  const OutlineSide& line = segments[seed].ends;
  const Point along = (line.to - line.from) * (1 / Distance(line.from, line.to));
  std::vector<Overlap> on_line;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (taken[i] || i == seed) continue;
    const OutlineSide& other = segments[i].ends;
    const double beside = std::max(std::abs(Cross(along, other.from - line.from)),
                                   std::abs(Cross(along, other.to - line.from)));
    if (beside >= params.collinear_px) continue;
    const double cosine =
        std::abs(Dot(along, other.to - other.from)) / Distance(other.from, other.to);
    if (cosine < params.collinear_cosine) continue;
    const double a = Dot(along, other.from - line.from);
    const double b = Dot(along, other.to - line.from);
    on_line.push_back({i, std::min(a, b), std::max(a, b)});
  }
  return on_line;
}

void KeepLongest(std::vector<EdgeLine>& lines, std::size_t count) {
  std::ranges::stable_sort(lines, std::greater<>(), &EdgeLine::covered);
  if (lines.size() > count) lines.resize(count);
}

std::vector<EdgeLine> JoinedOnce(std::vector<EdgeLine> segments, const SegmentParams& params) {
  KeepLongest(segments, params.max_segments);
  std::vector<bool> taken(segments.size());
  std::vector<EdgeLine> joined;
  for (std::size_t i = 0; i < segments.size() && joined.size() < params.max_joined; ++i) {
    if (taken[i]) continue;
    const double length = Distance(segments[i].ends.from, segments[i].ends.to);
    const auto together = WithoutGaps(OnLineWith(segments, i, taken, params), i, length, params);
    for (const std::size_t one : together) taken[one] = true;
    joined.push_back(Through(segments, together));
  }
  return joined;
}

}  // namespace

std::vector<EdgeLine> FindSegments(const ColourGradient& gradient, const SegmentParams& params) {
  SegmentGrower grower(gradient, params);
  std::vector<EdgeLine> segments;
  for (int y = 1; y < gradient.length.rows - 1; ++y) {
    for (int x = 1; x < gradient.length.cols - 1; ++x) {
      grower.From({x, y}, segments);
    }
  }
  KeepLongest(segments, params.max_segments);
  return segments;
}

std::vector<EdgeLine> JoinSegments(const std::vector<EdgeLine>& segments,
                                   const SegmentParams& params) {
  // What is joined runs straighter than its parts, and so finds further ones.
  std::vector<EdgeLine> joined = JoinedOnce(JoinedOnce(segments, params), params);
  KeepLongest(joined, params.max_lines);
  return joined;
}

}  // namespace glint
