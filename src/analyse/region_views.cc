// SPDX-License-Identifier: Apache-2.0
#include "analyse/region_views.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "base/host_call.h"
#include "base/mat.h"
#include "base/median.h"
#include "base/status_macros.h"

namespace glint {
namespace {

/// A stretch of one row.
struct Run {
  int y, begin, end;
};

/// Where a region lies, and what lies around it.
struct RegionPixels {
  std::vector<Run> inside, around;
};

std::vector<Run> RunsOf(const cv::Mat& mask, cv::Point at) {
  std::vector<Run> runs;
  for (int y = 0; y < mask.rows; ++y) {
    const auto* row = mask.ptr<std::uint8_t>(y);
    const auto* const end = row + mask.cols;
    for (const auto* from = std::find(row, end, 255); from != end;) {
      const auto* const to = std::find(from, end, 0);
      runs.push_back(
          {at.y + y, at.x + static_cast<int>(from - row), at.x + static_cast<int>(to - row)});
      from = std::find(to, end, 255);
    }
  }
  return runs;
}

RegionPixels PixelsOf(const DefectRegion& region, const Plane& labels, int around) {
  const Rectangle& box = region.box;
  const cv::Rect window =
      cv::Rect(box.x - around, box.y - around, box.width + 2 * around, box.height + 2 * around) &
      cv::Rect(0, 0, labels.width(), labels.height());
  const cv::Mat ids = AsMat(labels)(window);
  const cv::Mat inside = ids == region.id;
  cv::Mat near;
  cv::dilate(inside, near, cv::Mat::ones(2 * around + 1, 2 * around + 1, CV_8U));
  return {RunsOf(inside, window.tl()), RunsOf(near & (ids == 0), window.tl())};
}

/// Sums over the valid pixels of runs.
struct Sum {
  std::int64_t value = 0, valid = 0, all = 0;
};

Sum SumOf(const std::vector<Run>& runs, const Plane& grey, const Plane& valid) {
  Sum sum;
  for (const Run& run : runs) {
    const auto *g = grey.Row<std::uint8_t>(run.y), *v = valid.Row<std::uint8_t>(run.y);
    for (int x = run.begin; x < run.end; ++x) {
      sum.value += v[x] != 0 ? g[x] : 0;
      sum.valid += v[x] != 0 ? 1 : 0;
    }
    sum.all += run.end - run.begin;
  }
  return sum;
}

/// Brightness of the region by that of its surroundings, less 1; nothing where the view does not
/// show enough of both.
std::optional<double> ContrastOf(const RegionPixels& pixels, const Plane& grey,
                                 const Plane& valid) {
  const Sum in = SumOf(pixels.inside, grey, valid), around = SumOf(pixels.around, grey, valid);
  if (in.valid == 0 || 2 * in.valid < in.all) return std::nullopt;
  if (around.value == 0 || 2 * around.valid < around.all) return std::nullopt;
  const double ratio = static_cast<double>(in.value) * static_cast<double>(around.valid) /
                       (static_cast<double>(in.valid) * static_cast<double>(around.value));
  return ratio - 1;
}

RegionVisibility Summarise(const std::vector<std::optional<double>>& views,
                           const VisibilityParams& params) {
  std::vector<double> seen;
  for (const auto& view : views) {
    if (view) seen.push_back(*view);
  }
  RegionVisibility visibility{.seen = static_cast<int>(seen.size())};
  if (seen.empty()) return visibility;
  const double median = UpperMedian(seen);
  const double span = std::max(std::abs(median) / 2, params.min_tolerance);
  double most = -1;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!views[i] || std::abs(*views[i] - median) > span) continue;
    ++visibility.shown;
    if (std::abs(*views[i]) <= most) continue;
    most = std::abs(*views[i]);
    visibility.best = static_cast<int>(i);
  }
  return visibility;
}

}  // namespace

absl::StatusOr<std::vector<RegionVisibility>> FindRegionVisibility(
    const ViewStack& views, const Plane& labels, std::span<const DefectRegion> regions,
    StageSet& stages, ThreadPool& pool, const VisibilityParams& params) {
  std::vector<RegionPixels> pixels;
  GLINT_RETURN_IF_ERROR(HostCall("regions", [&] {
    for (const DefectRegion& region : regions)
      pixels.push_back(PixelsOf(region, labels, params.surroundings_px));
  }));
  std::vector<std::vector<std::optional<double>>> out(
      regions.size(), std::vector<std::optional<double>>(views.greys.size()));
  for (std::size_t view = 0; view < views.greys.size() && !regions.empty(); ++view) {
    GLINT_ASSIGN_OR_RETURN(const auto grey, stages.backend->Download(views.greys[view]));
    GLINT_ASSIGN_OR_RETURN(const auto valid, stages.backend->Download(views.valid[view]));
    pool.ParallelFor(std::ssize(regions), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      out[at][view] = ContrastOf(pixels[at], grey, valid);
    });
  }
  std::vector<RegionVisibility> visibilities;
  visibilities.reserve(out.size());
  for (const auto& region : out) visibilities.push_back(Summarise(region, params));
  return visibilities;
}

void Describe(const RegionVisibility& visibility, const ViewStack& views, DefectRegion& region) {
  region.views = visibility.shown;
  region.confidence = visibility.Share();
  region.best_frame = FrameOf(views, visibility.best);
}

std::optional<std::int64_t> FrameOf(const ViewStack& views, int view) {
  const auto at = static_cast<std::size_t>(view);
  if (at >= views.sources.size()) return std::nullopt;
  return views.sources[at].frame;
}

double Margin(double evidence, double needed) {
  return 2 * evidence <= needed ? 0 : 1 - needed / (2 * evidence);
}

}  // namespace glint
