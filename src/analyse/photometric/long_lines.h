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
  double min_short_mean = 2.4;   ///< mean evidence over 41 px, in units of the surroundings'
  double min_medium_mean = 1.9;  ///< over 81 px
  double min_long_mean = 1.6;    ///< over 161 px
  double max_evidence = 3.0;     ///< of a pixel: one strong spot is no line
  double max_turn_steps = 1.5;   ///< of a pixel's direction from the line's, in 180/16 degrees
  int rim_px = 14;               ///< along the rim, not used by lines that run with it
  double print_cost = 0.6;       ///< of the mean asked for, more where print explains the line
  double beside_share = 0.15;    ///< of print: that much more than beside it is no doubt
  double beside_range = 0.35;    ///< and so much more on top of it all doubt
  double print_share = 0.55;     ///< of print on a line, above which there is doubt
  double print_range = 0.3;      ///< and so much more on top of it all doubt
  double stroke_cost = 1.5;      ///< of the mean, more where a dark stroke of ink is the line
  double stroke_share = 0.7;     ///< of a line that lies on strokes: above, there is doubt
  double stroke_range = 0.3;     ///< and so much more on top of it all doubt
  int parallel_px = 10;          ///< to a contour that runs with a line: what codecs smear of it
  double parallel_share = 0.75;  ///< of the line that the contour runs with: above, there is doubt
  double parallel_range = 0.15;  ///< and so much more on top of it all doubt
  double support_share = 0.6;    ///< of a line's length that is marked around its middle
  double min_crest = 1.25;       ///< evidence of a ridge pixel that is marked
  double max_mark_turn_steps = 1.8;  ///< of its direction
  int min_extent_px = 8;             ///< of what is marked in one piece, width or height

  GLINT_PARAMS(self, visit) {
    visit("min_short_mean", self.min_short_mean, 0, 100);
    visit("min_medium_mean", self.min_medium_mean, 0, 100);
    visit("min_long_mean", self.min_long_mean, 0, 100);
    visit("max_evidence", self.max_evidence, 0.1, 100);
    visit("max_turn_steps", self.max_turn_steps, 0, 8);
    visit("rim_px", self.rim_px, 0, 200);
    visit("print_cost", self.print_cost, 0, 10);
    visit("beside_share", self.beside_share, 0, 1);
    visit("beside_range", self.beside_range, 0.01, 1);
    visit("print_share", self.print_share, 0, 1);
    visit("print_range", self.print_range, 0.01, 1);
    visit("stroke_cost", self.stroke_cost, 0, 10);
    visit("stroke_share", self.stroke_share, 0, 1);
    visit("stroke_range", self.stroke_range, 0.01, 1);
    visit("parallel_px", self.parallel_px, 0, 20);
    visit("parallel_share", self.parallel_share, 0, 1);
    visit("parallel_range", self.parallel_range, 0.01, 1);
    visit("support_share", self.support_share, 0, 1);
    visit("min_crest", self.min_crest, 0, 100);
    visit("max_mark_turn_steps", self.max_mark_turn_steps, 0, 8);
    visit("min_extent_px", self.min_extent_px, 0, 1000);
  }
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
