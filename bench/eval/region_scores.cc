// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/region_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "bench/eval/plot.h"
#include "bench/eval/score.h"

namespace glint {
namespace {

cv::Mat Disc() {
  constexpr int kSide = 2 * kScoreTolerance + 1;
  return cv::getStructuringElement(cv::MORPH_ELLIPSE, {kSide, kSide});
}

/// The boxes of all ids.
std::map<int, cv::Rect> BoxesOf(const cv::Mat& ids) {
  std::map<int, cv::Rect> boxes;
  for (int y = 0; y < ids.rows; ++y) {
    const auto* row = ids.ptr<std::int32_t>(y);
    for (int x = 0; x < ids.cols; ++x) {
      if (row[x] > 0) boxes[row[x]] |= cv::Rect(x, y, 1, 1);
    }
  }
  return boxes;
}

cv::Rect Grown(const cv::Rect& box, cv::Size within) {
  const cv::Rect grown(box.x - kScoreTolerance, box.y - kScoreTolerance,
                       box.width + 2 * kScoreTolerance, box.height + 2 * kScoreTolerance);
  return grown & cv::Rect({0, 0}, within);
}

}  // namespace

RegionScores ScoreRegions(const ScanLabels& labels, const Plane& marks,
                          const std::map<int, double>& scores) {
  RegionScores result;
  const cv::Mat ids = AsMat(marks);
  const cv::Mat truth = AsMat(labels.ids) > 0;
  result.true_pixels = cv::countNonZero(truth);
  cv::Mat near_truth;
  cv::dilate(truth, near_truth, Disc());
  struct Ranked {
    double score;
    int id;
    cv::Rect box;
  };
  std::vector<Ranked> order;
  for (const auto& [id, box] : BoxesOf(ids)) {
    const auto known = scores.find(id);
    order.push_back({known == scores.end() ? 0 : known->second, id, box});
  }
  std::ranges::stable_sort(order, std::greater(), &Ranked::score);
  cv::Mat missing = truth.clone();  // what no region so far is near to
  for (const Ranked& region : order) {
    const cv::Rect box = Grown(region.box, ids.size());
    const cv::Mat own = ids(box) == region.id;
    cv::Mat near;
    cv::dilate(own, near, Disc());
    cv::Mat left = missing(box);
    result.regions.push_back({.score = region.score,
                              .pixels = cv::countNonZero(own),
                              .right = cv::countNonZero(own & near_truth(box)),
                              .recalled = cv::countNonZero(left & near)});
    left.setTo(0, near);
  }
  return result;
}

std::vector<CurvePoint> PrecisionRecall(std::span<const RegionScores> scans) {
  std::vector<RegionScore> all;
  std::int64_t known = 0;
  for (const RegionScores& scan : scans) {
    all.insert(all.end(), scan.regions.begin(), scan.regions.end());
    known += scan.true_pixels;
  }
  std::vector<CurvePoint> curve;
  if (known == 0) return curve;
  std::ranges::stable_sort(all, std::greater(), &RegionScore::score);
  RegionScore sum;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum.pixels += all[i].pixels;
    sum.right += all[i].right;
    sum.recalled += all[i].recalled;
    if (i + 1 < all.size() && all[i + 1].score == all[i].score) continue;
    curve.push_back({all[i].score, static_cast<double>(sum.right) / double(sum.pixels),
                     static_cast<double>(sum.recalled) / double(known)});
  }
  return curve;
}

double AveragePrecision(std::span<const CurvePoint> curve) {
  double area = 0, recall = 0;
  for (const CurvePoint& point : curve) {
    area += (point.recall - recall) * point.precision;
    recall = point.recall;
  }
  return area;
}

std::string CurvePlot(std::span<const CurvePoint> curve) {
  const SquarePlot plot(fmt::format("Precision and recall of pixels; average precision {:.3f}",
                                    AveragePrecision(curve)),
                        "recall", "precision");
  std::string svg = plot.Begin();
  std::string path;
  for (const CurvePoint& point : curve) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", plot.X(point.recall),
                        plot.Y(point.precision));
  }
  svg +=
      fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#b3261e\" stroke-width=\"2\"/>\n", path);
  for (const CurvePoint& point : curve) {
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"#b3261e\"><title>score "
        "{:.3f}: precision {:.3f}, recall {:.3f}</title></circle>\n",
        plot.X(point.recall), plot.Y(point.precision), point.score, point.precision, point.recall);
  }
  return svg + SquarePlot::End();
}

}  // namespace glint
