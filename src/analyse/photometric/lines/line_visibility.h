// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyse/photometric/lines/line_paths.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/photometric_stages.h"
#include "glint/plane.h"
#include "glint/stored_plane.h"

namespace glint::photometric {

/// What decides that a view shows a line.
struct LineVisibilityParams {
  /// that show a line: what no light ever shows is print
  GLINT_PARAM(int, min_views, 0, 255) = 1;
  /// mean residual along the ridge, in deviations of the noise
  GLINT_PARAM(double, min_deviations, 0, 1000) = 1.0;
  /// of a ridge: one with more of them needs less, as the noise of a mean falls with their root
  GLINT_PARAM(int, full_pixels, 1, 100000) = 200;
  /// of a ridge: a view with fewer pixels says nothing
  GLINT_PARAM(int, min_valid_percent, 0, 100) = 50;
};

/// A line, and which views show it.
struct PhotometricLine {
  LinePath path;
  int shown = 0;      ///< views in which it differs from its surroundings as params ask
  int seen = 0;       ///< views in which at least half of its ridge is valid
  int best_view = 0;  ///< the view that shows it most clearly
  double width = 0;   ///< mean along the line, object pixels
};

/// How one view shows one line.
struct LineVisibility {
  double sum = 0;           ///< of its residuals along the ridge, with their sign, in units of the
                            ///< expected noise
  std::int64_t pixels = 0;  ///< valid ones on the ridge

  double Mean() const { return pixels == 0 ? 0 : sum / static_cast<double>(pixels); }
};

/// How every view shows every line, without its extensions: a line that is followed farther is no
/// less visible.
/// @param residuals  kS16 on the host, one per view
/// @return per view, per line
std::vector<std::vector<LineVisibility>> MeasureLineVisibility(
    std::span<const StoredPlane> residuals, std::span<const Plane> valid, const Albedo& albedo,
    const NoiseModel& noise, const Lines& lines, ThreadPool& pool);

/// Counts for each line the views that show it, and finds the one that does so best.
/// @param lines  as found; their views are filled in
void CountVisibleViews(std::span<const std::vector<LineVisibility>> views,
                       const LineVisibilityParams& params, std::vector<PhotometricLine>& lines);

/// Leaves out the lines that too few views show. All that see a bare one show it;
/// a flanked one is left, whatever its ridge shows.
/// @param views  of all lines; left out, too
/// @return those that are left, with their views
std::vector<PhotometricLine> KeepVisibleLines(const LineVisibilityParams& params, Lines& lines,
                                              std::vector<std::vector<LineVisibility>>& views);

}  // namespace glint::photometric
