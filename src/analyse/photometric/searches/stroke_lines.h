// SPDX-License-Identifier: Apache-2.0
// Lines that are white strokes of the print.
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/lines/line_paths.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What tells a white stroke that answers to the light from a crease. Object pixels.
struct StrokeLineParams {
  /// of a line: a few look like anything, as of a tick across a printed one
  GLINT_PARAM(std::size_t, min_places, 1, 1000) = 40;
  /// of a line to either side of a place, that tells its direction there
  GLINT_PARAM(int, direction_px, 2, 100) = 12;
  /// across, where its brightest lies
  GLINT_PARAM(int, middle_px, 0, 10) = 2;
  /// from a place, the farthest that its outlines lie: the darkest on either side
  GLINT_PARAM(int, outline_px, 1, 50) = 6;
  /// from there to the print beyond the outline
  GLINT_PARAM(int, beyond_px, 1, 50) = 3;
  /// by which that print is brighter than the outline, or it is none: that is a line, too
  GLINT_PARAM(double, min_beyond_grey, 0, 255) = 8;
  /// by which the stroke is brighter than the lighter of both outlines, on average over all places,
  /// those without both counted as 0: ink beside paper; a dent's shadow has less
  GLINT_PARAM(double, min_stroke_grey, 0.1, 255) = 26;
  /// around a line, that it may be drawn
  GLINT_PARAM(int, drawn_px, 0, 20) = 3;
};

/// Which lines are white strokes of the print, a speech balloon's tail say: along much of each of
/// them dark outlines run on both sides. Paper between two lines of ink is never quite as sharp in
/// one view as in another, which shows as light that comes and goes.
/// @param lines   the pixels of each, on the object
/// @param albedo  kS16 on the host, 1/64 grey
/// @return per line
std::vector<bool> AreStrokes(const std::vector<std::vector<cv::Point>>& lines, const Plane& albedo,
                             const StrokeLineParams& params, ThreadPool& pool);

/// The lines without those that are white strokes.
Lines DropStrokes(Lines lines, const Plane& albedo, const StrokeLineParams& params,
                  ThreadPool& pool);

}  // namespace glint::photometric
