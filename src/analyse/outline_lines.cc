// SPDX-License-Identifier: Apache-2.0
#include "analyse/outline_lines.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <opencv2/imgproc.hpp>

#include "analyse/quadrilateral.h"
#include "base/mat.h"
#include "base/median.h"

namespace glint {
namespace {

/// Distance of the mean colours on both sides of an edge, a little away from it: large where two
/// surfaces meet, small across a stroke, a speck or the grain of wood.
double StepAcross(const cv::Mat& wide, cv::Point at, const cv::Vec2f& normal, float beside) {
  const auto colour = [&](float distance) {
    const int x =
        std::clamp(cvRound(static_cast<float>(at.x) + distance * normal[0]), 0, wide.cols - 1);
    const int y =
        std::clamp(cvRound(static_cast<float>(at.y) + distance * normal[1]), 0, wide.rows - 1);
    return cv::Vec3i(wide.at<cv::Vec3b>(y, x));
  };
  const cv::Vec3i step = colour(beside) - colour(-beside);
  return std::sqrt(step.dot(step));
}

float Median(const cv::Mat& values) {
  std::vector<float> all(values.begin<float>(), values.end<float>());
  return UpperMedian(all);
}

/// Angles and offsets of all lines, with the evidence that edge points give them.
class HoughSpace {
 public:
  /// @param angles  over half a turn
  HoughSpace(Size size, int angles)
      : angles_(angles),
        reach_(static_cast<int>(std::ceil(std::hypot(size.width, size.height)))),
        votes_(angles, 2 * reach_ + 1, CV_32F, cv::Scalar(0)) {
    for (int a = 0; a < angles_; ++a) {
      const double angle = a * std::numbers::pi / angles_;
      normals_.push_back({std::cos(angle), std::sin(angle)});
    }
  }

  void Vote(const EdgePoint& edge, int reach) {
    const double angle = std::atan2(edge.normal.y, edge.normal.x) / std::numbers::pi * angles_;
    const int middle = static_cast<int>(std::lround(angle)) + 2 * angles_;
    for (int a = middle - reach; a <= middle + reach; ++a) {
      const int row = a % angles_;
      const double offset = Dot(normals_[static_cast<std::size_t>(row)], edge.at);
      const int column = static_cast<int>(std::lround(offset)) + reach_;
      votes_.at<float>(row, column) += static_cast<float>(edge.strength);
    }
  }

  /// Lines at the local maxima, most votes first. @param window  of offsets, averaged before
  std::vector<EvidenceLine> Peaks(double least, std::size_t count, int window) const {
    cv::Mat smooth;
    cv::blur(votes_, smooth, {window, 1}, {-1, -1}, cv::BORDER_CONSTANT);
    struct Peak {
      float votes;
      int row, column;
    };
    std::vector<Peak> peaks;
    for (int row = 0; row < smooth.rows; ++row) {
      for (int column = 3; column < smooth.cols - 3; ++column) {
        const float votes = smooth.at<float>(row, column);
        if (3 * votes >= least && IsPeak(smooth, row, column))
          peaks.push_back({votes, row, column});
      }
    }
    std::ranges::stable_sort(peaks, std::greater<>(), &Peak::votes);
    if (peaks.size() > count) peaks.resize(count);
    std::vector<EvidenceLine> lines;
    for (const Peak& peak : peaks) {
      EvidenceLine line;
      line.normal = normals_[static_cast<std::size_t>(peak.row)];
      line.offset = peak.column - reach_;
      lines.push_back(line);
    }
    return lines;
  }

 private:
  bool IsPeak(const cv::Mat& smooth, int row, int column) const {
    const float votes = smooth.at<float>(row, column);
    for (int da = -2; da <= 2; ++da) {
      // Past 180 degrees the same line has the opposite normal and offset.
      const int a = (row + da + angles_) % angles_;
      const bool turned = row + da != a;
      for (int d = -2; d <= 2; ++d) {
        const int c = (turned ? 2 * reach_ - column : column) + d;
        const float other = smooth.at<float>(a, c);
        const bool earlier = da < 0 || (da == 0 && d < 0);
        if (other > votes || (earlier && other == votes)) return false;
      }
    }
    return true;
  }

  int angles_;
  int reach_;
  cv::Mat votes_;
  std::vector<Point> normals_;
};

/// Edge points near the line and along it.
std::vector<const EdgePoint*> PointsOf(const EvidenceLine& line,
                                       const std::vector<EdgePoint>& edges, double near,
                                       double along_cosine) {
  std::vector<const EdgePoint*> points;
  for (const EdgePoint& edge : edges) {
    if (std::abs(Dot(line.normal, edge.at) - line.offset) <= near &&
        std::abs(Dot(line.normal, edge.normal)) >= along_cosine)
      points.push_back(&edge);
  }
  return points;
}

/// Moves the line to the least squares through its points.
void Fit(EvidenceLine& line, const std::vector<const EdgePoint*>& points) {
  double weight = 0;
  double t = 0;
  double d = 0;
  double tt = 0;
  double td = 0;
  for (const EdgePoint* point : points) {
    const double position = line.Position(point->at);
    const double distance = Dot(line.normal, point->at) - line.offset;
    weight += point->strength;
    t += point->strength * position;
    d += point->strength * distance;
    tt += point->strength * position * position;
    td += point->strength * position * distance;
  }
  const double determinant = weight * tt - t * t;
  if (!(determinant > 1e-6 * weight * weight)) return;
  const double slope = (weight * td - t * d) / determinant;
  const double shift = (d - slope * t) / weight;
  const Point on = line.At(0) + line.normal * shift;
  const Point normal = line.normal - line.direction() * slope;
  line.normal = normal * (1 / Length(normal));
  line.offset = Dot(line.normal, on);
}

/// Sets where the line enters and leaves the picture. @return whether it does
bool Clip(EvidenceLine& line, Size size) {
  line.begin = -1e9;
  line.end = 1e9;
  const Point on = line.At(0);
  const Point along = line.direction();
  const auto clip = [&](double start, double speed, double most) {
    if (std::abs(speed) < 1e-9) return start >= 0 && start <= most;
    const double a = -start / speed;
    const double b = (most - start) / speed;
    line.begin = std::max(line.begin, std::min(a, b));
    line.end = std::min(line.end, std::max(a, b));
    return true;
  };
  return clip(on.x, along.x, size.width - 1) && clip(on.y, along.y, size.height - 1) &&
         line.end - line.begin >= 1;
}

void SetCoverage(EvidenceLine& line, const std::vector<const EdgePoint*>& points) {
  const auto length = static_cast<std::size_t>(line.end - line.begin) + 2;
  std::vector<float> evidence(length, 0.0F);
  for (const EdgePoint* point : points) {
    const auto at = static_cast<std::ptrdiff_t>(std::lround(line.Position(point->at) - line.begin));
    // A gap of up to four pixels between two points is bridged.
    for (std::ptrdiff_t i = at - 2; i <= at + 2; ++i) {
      if (i < 0 || i >= static_cast<std::ptrdiff_t>(length)) continue;
      float& here = evidence[static_cast<std::size_t>(i)];
      here = std::max(here, static_cast<float>(point->strength));
    }
  }
  line.covered.resize(length);
  std::partial_sum(evidence.begin(), evidence.end(), line.covered.begin());
}

EvidenceLine Border(Point normal, double offset, Size size, float evidence) {
  EvidenceLine line;
  line.normal = normal;
  line.offset = offset;
  line.border = true;
  Clip(line, size);
  line.covered.resize(static_cast<std::size_t>(line.end - line.begin) + 2);
  for (std::size_t i = 0; i < line.covered.size(); ++i)
    line.covered[i] = evidence * static_cast<float>(i);
  return line;
}

bool SameLine(const EvidenceLine& a, const EvidenceLine& b, double most) {
  const auto distance = [](const EvidenceLine& line, Point p) {
    return std::abs(Dot(line.normal, p) - line.offset);
  };
  return distance(a, b.At(b.begin)) < most && distance(a, b.At(b.end)) < most;
}

}  // namespace

ColourGradient GradientOf(const cv::Mat& rgb) {
  cv::Mat smooth;
  cv::GaussianBlur(rgb, smooth, {5, 5}, 0);
  cv::Mat dx;
  cv::Mat dy;
  cv::Sobel(smooth, dx, CV_16S, 1, 0, 3, 1, 0, cv::BORDER_REPLICATE);
  cv::Sobel(smooth, dy, CV_16S, 0, 1, 3, 1, 0, cv::BORDER_REPLICATE);
  ColourGradient gradient{cv::Mat(rgb.size(), CV_32F), cv::Mat(rgb.size(), CV_32FC2)};
  for (int y = 0; y < rgb.rows; ++y) {
    for (int x = 0; x < rgb.cols; ++x) {
      const auto& gx = dx.at<cv::Vec3s>(y, x);
      const auto& gy = dy.at<cv::Vec3s>(y, x);
      const double xx = gx[0] * gx[0] + gx[1] * gx[1] + gx[2] * gx[2];
      const double yy = gy[0] * gy[0] + gy[1] * gy[1] + gy[2] * gy[2];
      const double xy = gx[0] * gy[0] + gx[1] * gy[1] + gx[2] * gy[2];
      const double spread = std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy);
      const double largest = (xx + yy + spread) / 2;
      // Of the two expressions of the eigenvector, the one without cancellation.
      Point normal = xx >= yy ? Point{largest - yy, xy} : Point{xy, largest - xx};
      const double length = Length(normal);
      normal = length > 0 ? normal * (1 / length) : Point{1, 0};
      gradient.length.at<float>(y, x) = static_cast<float>(std::sqrt(largest));
      gradient.normal.at<cv::Vec2f>(y, x) = {static_cast<float>(normal.x),
                                             static_cast<float>(normal.y)};
    }
  }
  return gradient;
}

int FactorOf(Size frame, const EdgeParams& params) {
  const int longer = std::max(frame.width, frame.height);
  return std::max(1, (longer + params.longer_side_px / 2) / params.longer_side_px);
}

SmallPicture Shrink(const Plane& rgb, const EdgeParams& params) {
  const cv::Mat frame = AsMat(rgb);
  SmallPicture small;
  small.factor = FactorOf(rgb.size(), params);
  const int f = small.factor;
  small.rgb.create(frame.rows / f, frame.cols / f, CV_8UC3);
  const int width = small.rgb.cols;
  std::vector<int> sums(static_cast<std::size_t>(width) * 3);
  for (int y = 0; y < small.rgb.rows; ++y) {
    std::ranges::fill(sums, f * f / 2);
    for (int row = y * f; row < y * f + f; ++row) {
      const auto* pixels = frame.ptr<std::uint8_t>(row);
      for (int* sum = sums.data(); sum != sums.data() + sums.size(); sum += 3) {
        for (int column = 0; column < f; ++column, pixels += 3) {
          for (int c = 0; c < 3; ++c) sum[c] += pixels[c];
        }
      }
    }
    std::ranges::transform(sums, small.rgb.ptr<std::uint8_t>(y),
                           [&](int sum) { return static_cast<std::uint8_t>(sum / (f * f)); });
  }
  return small;
}

bool IsCrest(const ColourGradient& gradient, int x, int y) {
  constexpr float kSine = 0.3827F;  // of 22.5 degrees
  const float length = gradient.length.at<float>(y, x);
  const auto normal = gradient.normal.at<cv::Vec2f>(y, x);
  const int dx = std::abs(normal[0]) > kSine ? (normal[0] > 0 ? 1 : -1) : 0;
  const int dy = std::abs(normal[1]) > kSine ? (normal[1] > 0 ? 1 : -1) : 0;
  return gradient.length.at<float>(y - dy, x - dx) < length &&
         gradient.length.at<float>(y + dy, x + dx) <= length;
}

std::vector<EdgePoint> FindEdgePoints(const cv::Mat& rgb, const EdgeParams& params) {
  const ColourGradient gradient = GradientOf(rgb);
  cv::Mat wide;
  cv::blur(rgb, wide, {params.beside_window_px, params.beside_window_px});
  const float threshold =
      std::max(params.min_gradient_sobel, params.min_gradient_medians * Median(gradient.length));
  std::vector<EdgePoint> edges;
  for (int y = 1; y < rgb.rows - 1; ++y) {
    for (int x = 1; x < rgb.cols - 1; ++x) {
      if (gradient.length.at<float>(y, x) < threshold || !IsCrest(gradient, x, y)) continue;
      const auto normal = gradient.normal.at<cv::Vec2f>(y, x);
      const double step = StepAcross(wide, {x, y}, normal, params.beside_px);
      edges.push_back({{static_cast<double>(x), static_cast<double>(y)},
                       {normal[0], normal[1]},
                       std::min(1.0, step / params.full_step)});
    }
  }
  return edges;
}

double EvidenceLine::Covered(double from, double to) const {
  const auto at = [&](double position) {
    const double i = std::clamp(position - begin, 0.0, static_cast<double>(covered.size() - 1));
    return covered[static_cast<std::size_t>(i)];
  };
  return at(to) - at(from);
}

std::vector<EvidenceLine> FindLines(const std::vector<EdgePoint>& edges, Size size,
                                    const OutlineLineParams& params) {
  HoughSpace space(size, params.angles);
  const int turn = params.max_normal_turn_deg * params.angles / 180;
  for (const EdgePoint& edge : edges) space.Vote(edge, turn);
  const double shortest = params.min_evidence_share * std::max(size.width, size.height);
  const auto points_of = [&](const EvidenceLine& line, double near) {
    return PointsOf(line, edges, near, params.along_cosine);
  };
  std::vector<EvidenceLine> lines;
  for (EvidenceLine line : space.Peaks(shortest / 2, 4 * params.max_lines, params.vote_window_px)) {
    Fit(line, points_of(line, 2 * params.near_px));
    Fit(line, points_of(line, params.near_px));
    if (!Clip(line, size)) continue;
    SetCoverage(line, points_of(line, params.near_px));
    const bool known = std::ranges::any_of(lines, [&](const EvidenceLine& other) {
      return SameLine(line, other, params.same_line_px);
    });
    if (!known && line.covered.back() >= shortest) lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(lines, std::greater<>(),
                           [](const EvidenceLine& line) { return line.covered.back(); });
  if (lines.size() > params.max_lines) lines.resize(params.max_lines);
  lines.push_back(Border({0, 1}, 0, size, params.border_evidence));
  lines.push_back(Border({1, 0}, size.width - 1, size, params.border_evidence));
  lines.push_back(Border({0, 1}, size.height - 1, size, params.border_evidence));
  lines.push_back(Border({1, 0}, 0, size, params.border_evidence));
  return lines;
}

}  // namespace glint
