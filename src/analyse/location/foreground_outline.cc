// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/foreground_outline.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/quadrilateral.h"

namespace glint {
namespace {

/// A colour of the ground.
struct GroundColour {
  cv::Vec3f mean;
  cv::Matx33f inverse;  // of its covariance
};

/// Pixels of the band along the border, CV_32FC3 in one column.
cv::Mat BandOf(const cv::Mat& lab, const ForegroundParams& params) {
  const int band = std::max(1, static_cast<int>(params.band_share * std::max(lab.rows, lab.cols)));
  std::vector<cv::Vec3f> pixels;
  for (int y = 0; y < lab.rows; y += params.band_step_px) {
    const bool whole = y < band || y >= lab.rows - band;
    for (int x = 0; x < lab.cols; x += params.band_step_px) {
      if (!whole && x >= band && x < lab.cols - band) continue;
      pixels.push_back(lab.at<cv::Vec3f>(y, x));
    }
  }
  return cv::Mat(pixels, true);
}

/// Which of the ground's colours each pixel of the band has, CV_32S: k-means (Lloyd 1982) from
/// equal shares of the pixels by brightness, so that nothing is left to chance.
cv::Mat LabelsOf(const cv::Mat& band, const ForegroundParams& params) {
  std::vector<int> order(static_cast<std::size_t>(band.rows));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int i) { return band.at<cv::Vec3f>(i)[0]; });
  cv::Mat labels(band.rows, 1, CV_32S);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t label = i * static_cast<std::size_t>(params.colours) / order.size();
    labels.at<int>(order[i]) = static_cast<int>(label);
  }
  cv::kmeans(band.reshape(1), params.colours, labels, {cv::TermCriteria::COUNT, params.rounds, 0},
             1, cv::KMEANS_USE_INITIAL_LABELS);
  return labels;
}

/// The mean and the spread of some pixels, summed in their order: the same on every processor.
GroundColour ColourOf(const std::vector<cv::Vec3f>& pixels, double spread) {
  const auto count = static_cast<double>(pixels.size());
  cv::Vec3d sum(0, 0, 0);
  for (const cv::Vec3f& pixel : pixels) sum += cv::Vec3d(pixel);
  const cv::Vec3d mean = sum / count;
  cv::Matx33d squares = cv::Matx33d::zeros();
  for (const cv::Vec3f& pixel : pixels) {
    const cv::Vec3d away = cv::Vec3d(pixel) - mean;
    squares += away * away.t();
  }
  const cv::Matx33d covariance = squares * (1 / count) + cv::Matx33d::eye() * (spread * spread);
  return {cv::Vec3f(mean), cv::Matx33f(covariance.inv())};
}

std::vector<GroundColour> GroundOf(const cv::Mat& lab, const ForegroundParams& params) {
  const cv::Mat band = BandOf(lab, params);
  if (band.rows < params.colours) return {};
  const cv::Mat labels = LabelsOf(band, params);
  std::vector<GroundColour> ground;
  for (int colour = 0; colour < params.colours; ++colour) {
    std::vector<cv::Vec3f> pixels;
    for (int i = 0; i < band.rows; ++i) {
      if (labels.at<int>(i) == colour) pixels.push_back(band.at<cv::Vec3f>(i));
    }
    const double least = std::max(1.0, params.min_colour_share * band.rows);
    if (static_cast<double>(pixels.size()) >= least) {
      ground.push_back(ColourOf(pixels, params.spread));
    }
  }
  return ground;
}

/// Not 0 where a pixel is unlike every colour of the ground.
cv::Mat UnlikeGround(const cv::Mat& lab, const std::vector<GroundColour>& ground,
                     const ForegroundParams& params) {
  const auto least = static_cast<float>(params.min_deviations * params.min_deviations);
  cv::Mat unlike(lab.size(), CV_8U, cv::Scalar(0));
  for (int y = 0; y < lab.rows; ++y) {
    const auto* pixels = lab.ptr<cv::Vec3f>(y);
    auto* row = unlike.ptr<std::uint8_t>(y);
    for (int x = 0; x < lab.cols; ++x) {
      const bool like = std::ranges::any_of(ground, [&](const GroundColour& colour) {
        const cv::Vec3f away = pixels[x] - colour.mean;
        return away.dot(colour.inverse * away) <= least;
      });
      row[x] = like ? 0 : 255;
    }
  }
  return unlike;
}

/// The parts that are large enough, without specks and holes.
cv::Mat LargeParts(const cv::Mat& unlike, const ForegroundParams& params) {
  const auto square = [](int side) { return cv::Mat::ones(side, side, CV_8U); };
  cv::Mat parts;
  cv::morphologyEx(unlike, parts, cv::MORPH_OPEN, square(params.opening_px));
  cv::morphologyEx(parts, parts, cv::MORPH_CLOSE, square(params.closing_px));
  std::vector<std::vector<cv::Point>> outlines;
  cv::findContours(parts, outlines, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_SIMPLE);
  const double least = params.min_part_share * static_cast<double>(parts.total());
  std::erase_if(outlines, [&](const auto& outline) { return cv::contourArea(outline) < least; });
  cv::Mat large(parts.size(), CV_8U, cv::Scalar(0));
  cv::drawContours(large, outlines, -1, cv::Scalar(255), cv::FILLED);
  return large;
}

/// Where two edges meet if the one between them is left out, and how much that adds to the area.
struct Corner {
  Point at;
  double added = std::numeric_limits<double>::infinity();
};

/// Leaves out the edge from `from` to `to`. @param before,behind  the corners beside these
Corner WithoutEdge(Point before, Point from, Point to, Point behind) {
  const Point a = from - before, b = to - behind;
  const double sine = Cross(a, b);
  if (std::abs(sine) < 1e-9) return {};
  const double along_a = Cross(behind - before, b) / sine;
  const double along_b = Cross(behind - before, a) / sine;
  if (along_a < 1 || along_b < 1) return {};  // they part
  const Point at = before + a * along_a;
  return {at, std::abs(Cross(to - from, at - from)) / 2};
}

}  // namespace

std::optional<Quadrilateral> QuadrilateralAround(const cv::Mat& polygon) {
  cv::Mat exact;
  polygon.convertTo(exact, CV_64F);
  std::vector<Point> corners;
  for (int i = 0; i < exact.rows; ++i) {
    const auto corner = exact.at<cv::Vec2d>(i);
    corners.push_back({corner[0], corner[1]});
  }
  while (corners.size() > 4) {
    const std::size_t count = corners.size();
    Corner best;
    std::size_t edge = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Corner one = WithoutEdge(corners[(i + count - 1) % count], corners[i],
                                     corners[(i + 1) % count], corners[(i + 2) % count]);
      if (one.added < best.added) best = one, edge = i;
    }
    if (!std::isfinite(best.added)) return std::nullopt;
    corners[edge] = best.at;
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>((edge + 1) % count));
  }
  if (corners.size() < 4) return std::nullopt;
  return Quadrilateral{corners[0], corners[1], corners[2], corners[3]};
}

cv::Mat FindForeground(const cv::Mat& rgb, const ForegroundParams& params) {
  cv::Mat smooth, lab;
  cv::GaussianBlur(rgb, smooth, {}, params.blur_px);
  cv::cvtColor(smooth, lab, cv::COLOR_RGB2Lab);
  lab.convertTo(lab, CV_32F);
  const std::vector<GroundColour> ground = GroundOf(lab, params);
  return LargeParts(UnlikeGround(lab, ground, params), params);
}

std::optional<Quadrilateral> OutlineOfForeground(const cv::Mat& foreground) {
  std::vector<cv::Point> pixels;
  cv::findNonZero(foreground, pixels);
  if (pixels.size() < 4) return std::nullopt;
  cv::Mat hull;
  cv::convexHull(pixels, hull);
  auto outline = QuadrilateralAround(hull);
  if (outline && Area(*outline) < 0) std::swap((*outline)[1], (*outline)[3]);
  return outline;
}

}  // namespace glint
