// SPDX-License-Identifier: Apache-2.0
// Lines that are decided as lines: long faint ones that no part of gives away.
#pragma once

#include "analyse/photometric/print_contours.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What decides that the evidence along a straight line is more than chance and print explain.
struct LongLineParams {
  /// mean evidence over 41 px, in units of the surroundings'
  GLINT_PARAM(double, min_short_mean, 0, 100) = 2.4;
  /// over 81 px
  GLINT_PARAM(double, min_medium_mean, 0, 100) = 1.9;
  /// over 161 px
  GLINT_PARAM(double, min_long_mean, 0, 100) = 1.6;
  /// of a pixel: one strong spot is no line
  GLINT_PARAM(double, max_evidence, 0.1, 100) = 3.0;
  /// of a pixel's direction from the line's, in 180/16 degrees
  GLINT_PARAM(double, max_turn_steps, 0, 8) = 1.5;
  /// along the rim, not used by lines that run with it
  GLINT_PARAM(int, rim_px, 0, 200) = 14;
  /// of the mean asked for, more where print explains the line
  GLINT_PARAM(double, print_cost, 0, 10) = 0.6;
  /// of print: that much more than beside it is no doubt
  GLINT_PARAM(double, beside_share, 0, 1) = 0.15;
  /// and so much more on top of it all doubt
  GLINT_PARAM(double, beside_range, 0.01, 1) = 0.35;
  /// of print on a line, above which there is doubt
  GLINT_PARAM(double, print_share, 0, 1) = 0.55;
  /// and so much more on top of it all doubt
  GLINT_PARAM(double, print_range, 0.01, 1) = 0.3;
  /// of the mean, more where a dark stroke of ink is the line
  GLINT_PARAM(double, stroke_cost, 0, 10) = 1.5;
  /// of a line that lies on strokes: above, there is doubt
  GLINT_PARAM(double, stroke_share, 0, 1) = 0.7;
  /// and so much more on top of it all doubt
  GLINT_PARAM(double, stroke_range, 0.01, 1) = 0.3;
  /// to a contour that runs with a line: what codecs smear of it
  GLINT_PARAM(int, parallel_px, 0, 20) = 10;
  /// of the line that the contour runs with: above, there is doubt
  GLINT_PARAM(double, parallel_share, 0, 1) = 0.75;
  /// and so much more on top of it all doubt
  GLINT_PARAM(double, parallel_range, 0.01, 1) = 0.15;
  /// of a line's length that is marked around its middle
  GLINT_PARAM(double, support_share, 0, 1) = 0.6;
  /// evidence of a ridge pixel that is marked
  GLINT_PARAM(double, min_crest, 0, 100) = 1.25;
  /// of its direction
  GLINT_PARAM(double, max_mark_turn_steps, 0, 8) = 1.8;
  /// of what is marked in one piece, width or height
  GLINT_PARAM(int, min_extent_px, 0, 1000) = 8;
};

/// The mean evidence over 41, 81 and 161 px along lines of 48 directions through each ridge pixel,
/// against what such means are where nothing is: false alarms of straight segments as in A.
/// Desolneux, L. Moisan, J.-M. Morel, "Meaningful Alignments", IJCV 2000. Where the print has a
/// line of its own on the very line and none on its parallels, more is asked.
/// @param energy      kS32 on the host, 1/kEnergyUnit (NormaliseBySurroundings)
/// @param directions  kU8 on the host: LineEvidence::direction
/// @param ridges      kU8 on the host, 0 and 255: crests of more than min_crest
/// @return kS32: on ridge pixels of such lines what the mean is of what was needed, 1/256; else 0
Plane FindLongLines(const Plane& energy, const Plane& directions, const Plane& ridges,
                    const PrintContours& print, const LongLineParams& params, ThreadPool& pool);

}  // namespace glint::photometric
