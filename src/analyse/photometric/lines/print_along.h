// SPDX-License-Identifier: Apache-2.0
// What the print shows along a straight line.
#pragma once

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/print/evenness.h"
#include "base/params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// How much more is asked of a line that print runs with.
struct PrintAlongParams {
  /// from a line to the places beside it whose albedo is compared
  GLINT_PARAM(int, strip_px, 1, 50) = 4;
  /// of the score, more where all that is seen across the line is print that runs with it
  GLINT_PARAM(double, print_cost, 0, 10) = 1.2;
  /// from which on it is
  GLINT_PARAM(double, print_grey, 1, 255) = 15;
  /// added to the deviation along the line
  GLINT_PARAM(double, noise_grey, 0.01, 255) = 2;
  /// the mean over that: print that runs with a line is the same all along, print that it crosses
  /// is not; above, there is doubt
  GLINT_PARAM(double, min_evenness, 0, 100) = 0.3;
  /// and so much more on top of it all doubt
  GLINT_PARAM(double, evenness_range, 0.01, 100) = 0.5;
};

/// The albedo on a line and beside it, means along it in grey values.
struct PrintAlong {
  double brighter = 0;  ///< than the brighter one of its sides; less than 0: than neither
  Evenness step;        ///< between its sides
  Evenness stroke;      ///< by which it is darker than its sides
};
/// @param albedo  kS16 on the host, 1/64 grey
/// @param begin   px along the line, from which on it is asked
PrintAlong MeasurePrintAlong(const StraightLine& line, int begin, const Plane& albedo,
                             const PrintAlongParams& params);

/// What a line's score has to be multiplied with, 1 where no print runs with it.
double CostOf(const PrintAlong& print, const PrintAlongParams& params);

}  // namespace glint::photometric
