// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/view_coherence.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/outline/outline.h"
#include "base/mat.h"
#include "base/median.h"

namespace glint::photometric {
namespace {

/// Fine structure, CV_32S, in 1/Unit grey: integers, so that sums are exact.
cv::Mat Structure(const cv::Mat& grey, const ViewCoherenceParams& params) {
  cv::Mat near, around;
  cv::boxFilter(grey, near, CV_32S, {params.pixel_px, params.pixel_px}, {-1, -1}, false);
  cv::boxFilter(grey, around, CV_32S, {params.detail_px, params.detail_px}, {-1, -1}, false);
  return near * (params.detail_px * params.detail_px) -
         around * (params.pixel_px * params.pixel_px);
}

double Unit(const ViewCoherenceParams& params) {
  const double sides = static_cast<double>(params.pixel_px) * params.detail_px;
  return sides * sides;
}

/// The four bands around the object, without what blur at its rim and at the picture's border
/// reaches.
std::vector<cv::Rect> Bands(cv::Size picture, const ViewCoherenceParams& params) {
  const int border = params.detail_px / 2 + 1;
  const int width = kBackgroundMargin - 3 * border;
  if (width < 1) return {};
  const int across = picture.width - 2 * border, down = picture.height - 2 * border;
  return {{border, border, across, width},
          {border, picture.height - border - width, across, width},
          {border, border, width, down},
          {picture.width - border - width, border, width, down}};
}

/// A band's squares.
std::vector<cv::Rect> CellsOf(const cv::Rect& band, int side) {
  std::vector<cv::Rect> cells;
  for (int y = band.y; y < band.br().y; y += side) {
    for (int x = band.x; x < band.br().x; x += side) {
      cells.push_back(cv::Rect(x, y, side, side) & band);
    }
  }
  return cells;
}

}  // namespace

ViewCoherence::ViewCoherence(std::span<const cv::Mat> greys, const ViewCoherenceParams& params)
    : views_(static_cast<double>(greys.size())),
      unit_(Unit(params)),
      sums_(greys[0].size(), CV_64F, cv::Scalar(0)),
      squares_(greys[0].size(), CV_64F, cv::Scalar(0)) {
  cv::Mat structure;
  for (const cv::Mat& grey : greys) {
    Structure(grey, params).convertTo(structure, CV_64F);
    sums_ += structure;
    cv::accumulateSquare(structure, squares_);
  }
}

CoherenceSums ViewCoherence::In(const cv::Rect& box, const cv::Mat& where) const {
  CoherenceSums sums;
  for (int y = 0; y < box.height; ++y) {
    for (int x = 0; x < box.width; ++x) {
      if (!where.empty() && where.at<std::uint8_t>(y, x) == 0) continue;
      const cv::Point at = box.tl() + cv::Point(x, y);
      const double mean = sums_.at<double>(at) / views_ / unit_;
      sums.fixed += mean * mean;
      sums.all += squares_.at<double>(at) / views_ / unit_ / unit_;
      ++sums.pixels;
    }
  }
  return sums;
}

double CoherenceOfSurroundings(std::span<const StoredPlane> colours,
                               const ViewCoherenceParams& params, ThreadPool& pool) {
  if (colours.size() < 2) return 1;
  const cv::Size picture(colours[0].size().width, colours[0].size().height);
  const std::vector<cv::Rect> bands = Bands(picture, params);
  std::vector<std::vector<double>> shares(bands.size());
  pool.ParallelFor(std::ssize(bands), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const int reach = params.detail_px / 2 + 1;
    const cv::Rect box = cv::Rect(bands[at].x - reach, bands[at].y - reach,
                                  bands[at].width + 2 * reach, bands[at].height + 2 * reach) &
                         cv::Rect({0, 0}, picture);
    std::vector<cv::Mat> greys(colours.size());
    for (std::size_t view = 0; view < colours.size(); ++view) {
      const Plane band = colours[view].Part(box.x, box.y, {box.width, box.height});
      cv::cvtColor(AsMat(band), greys[view], cv::COLOR_RGB2GRAY);
    }
    const ViewCoherence coherence(greys, params);
    for (const cv::Rect& cell : CellsOf(bands[at], params.cell_px)) {
      shares[at].push_back(coherence.In(cell - box.tl()).Share());
    }
  });
  std::vector<double> all;
  for (const auto& band : shares) all.insert(all.end(), band.begin(), band.end());
  return all.empty() ? 1 : UpperMedian(all);
}

}  // namespace glint::photometric
