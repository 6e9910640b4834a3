// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/line_visibility.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// A pixel of a ridge.
struct RidgePixel {
  int x, y;
  std::size_t line;
  float inverse_noise;  ///< per 1/64 grey
};

std::vector<RidgePixel> RidgePixels(const Lines& lines, const Albedo& albedo,
                                    const NoiseModel& noise) {
  const Plane& ids = lines.ids;
  std::vector<RidgePixel> pixels;
  for (int y = 0; y < ids.height(); ++y) {
    const auto* row = ids.Row<std::int32_t>(y);
    const auto* extension =
        lines.extensions.empty() ? nullptr : lines.extensions.Row<std::uint8_t>(y);
    for (int x = 0; x < ids.width(); ++x) {
      if (row[x] == 0 || (extension != nullptr && extension[x] != 0)) continue;
      const float inverse = InverseNoise(noise, albedo.gradient.Row<std::int32_t>(y)[x],
                                         albedo.curvature.Row<std::int32_t>(y)[x]);
      pixels.push_back({x, y, static_cast<std::size_t>(row[x] - 1), inverse / kGrey});
    }
  }
  return pixels;
}

/// How one view shows the lines.
std::vector<LineVisibility> VisibilityInView(const std::vector<RidgePixel>& ridge,
                                             std::size_t lines, const Plane& residual,
                                             const Plane& valid) {
  std::vector<LineVisibility> visibility(lines);
  for (const RidgePixel& pixel : ridge) {
    if (valid.Row<std::uint8_t>(pixel.y)[pixel.x] == 0) continue;
    LineVisibility& line = visibility[pixel.line];
    line.sum += residual.Row<std::int16_t>(pixel.y)[pixel.x] * pixel.inverse_noise;
    ++line.pixels;
  }
  return visibility;
}

/// What the mean of a line has to be in a view that shows it, deviations of the noise.
double NeededMean(const LineVisibility& line, const LineVisibilityParams& params) {
  const auto pixels = static_cast<double>(std::max<std::int64_t>(line.pixels, 1));
  return params.min_deviations * std::sqrt(std::min(params.full_pixels / pixels, 1.0));
}

template <typename T>
std::vector<T> Kept(std::vector<T> all, const std::vector<bool>& kept) {
  std::vector<T> some;
  some.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept[i]) some.push_back(std::move(all[i]));
  }
  return some;
}

}  // namespace

std::vector<std::vector<LineVisibility>> MeasureLineVisibility(
    std::span<const StoredPlane> residuals, std::span<const Plane> valid, const Albedo& albedo,
    const NoiseModel& noise, const Lines& lines, ThreadPool& pool) {
  const std::vector<RidgePixel> ridge = RidgePixels(lines, albedo, noise);
  std::vector<std::vector<LineVisibility>> views(residuals.size());
  pool.ParallelFor(static_cast<std::int64_t>(views.size()), [&](std::int64_t index) {
    const auto view = static_cast<std::size_t>(index);
    views[view] = VisibilityInView(ridge, lines.paths.size(), residuals[view].Whole(), valid[view]);
  });
  return views;
}

void CountVisibleViews(std::span<const std::vector<LineVisibility>> views,
                       const LineVisibilityParams& params, std::vector<PhotometricLine>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    double best = -1;
    for (std::size_t view = 0; view < views.size(); ++view) {
      const LineVisibility& line = views[view][i];
      if (100 * line.pixels < params.min_valid_percent * lines[i].path.pixels) continue;
      const double strength = std::abs(line.Mean());
      ++lines[i].seen;
      lines[i].shown += strength >= NeededMean(line, params) ? 1 : 0;
      if (strength > best) {
        best = strength;
        lines[i].best_view = static_cast<int>(view);
      }
    }
  }
}

std::vector<PhotometricLine> KeepVisibleLines(const LineVisibilityParams& params, Lines& lines,
                                              std::vector<std::vector<LineVisibility>>& views) {
  std::vector<PhotometricLine> found;
  found.reserve(lines.paths.size());
  for (const LinePath& path : lines.paths) found.push_back({.path = path});
  CountVisibleViews(views, params, found);
  std::vector<bool> kept;
  kept.reserve(found.size());
  for (PhotometricLine& line : found) {
    if (line.path.bare) line.shown = line.seen;
    const bool by_itself = line.path.bare || line.path.flanked;
    kept.push_back(by_itself || line.shown >= params.min_views);
  }
  if (std::ranges::all_of(kept, std::identity())) return found;
  lines = KeepLines(std::move(lines), kept);
  for (auto& view : views) view = Kept(std::move(view), kept);
  return Kept(std::move(found), kept);
}

}  // namespace glint::photometric
