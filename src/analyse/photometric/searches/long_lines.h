// SPDX-License-Identifier: Apache-2.0
// Lines that are decided as lines: long faint ones that no part of gives away.
#pragma once

#include <array>

#include "analyse/photometric/print/print_contours.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What decides that the evidence along a straight or bowed line is more than chance and print
/// explain.
struct LongLineParams {
  using Lengths = std::array<int, 3>;

  /// of a short, a medium and a long line, from its middle to its ends
  GLINT_PARAM(Lengths, half_lengths_px, 1, 500) = {20, 40, 80};
  /// mean evidence over a short line, in units of the surroundings'
  GLINT_PARAM(double, min_short_mean, 0, 100) = 2.4;
  /// over a medium one
  GLINT_PARAM(double, min_medium_mean, 0, 100) = 1.9;
  /// over a long one
  GLINT_PARAM(double, min_long_mean, 0, 100) = 1.5;
  /// of min_long_mean: where the mean of a shorter line is less, no longer one is tried
  GLINT_PARAM(double, min_hopeful_share, 0, 1) = 0.6;
  /// that a line may bend to either side
  GLINT_PARAM(double, bend_px, 0, 20) = 1.2;
  /// by which both ends of a long line may lie to one side of its middle's direction: creases are
  /// seldom straight
  GLINT_PARAM(Lengths, bows_px, 0, 50) = {4, 8, 12};
  /// mean evidence over a bowed one: more are tried
  GLINT_PARAM(double, min_bow_mean, 0.1, 100) = 1.62;
  /// of the mean over the straight one through its middle, that a bow needs
  GLINT_PARAM(double, min_bow_gain, 1, 10) = 1.3;
  /// of what a bow needs, that either half of it has: half of a strong line is no bow
  GLINT_PARAM(double, min_bow_half_share, 0, 1) = 0.8;
  /// over a short line in its middle, or no bow is tried
  GLINT_PARAM(double, min_bow_short_mean, 0, 100) = 1.3;
  /// of a pixel: one strong spot is no line
  GLINT_PARAM(double, max_evidence, 0.1, 100) = 3.0;
  /// of a pixel's direction from the line's, in 180/16 degrees
  GLINT_PARAM(double, max_turn_steps, 0, 8) = 1.5;
  /// along the rim, not used by lines that run with it
  GLINT_PARAM(int, rim_px, 0, 200) = 14;
  /// between the rim's direction and that of a line that runs with it, in 180/16 degrees
  GLINT_PARAM(double, max_rim_turn_steps, 0, 8) = 1.0;
  /// of the mean asked for, more where print explains the line
  GLINT_PARAM(double, print_cost, 0, 10) = 0.6;
  /// from a line to its parallels, on either side, whose print is that beside it
  GLINT_PARAM(Lengths, beside_px, 1, 100) = {11, 16, 22};
  /// of print: that much more than beside it is no doubt
  GLINT_PARAM(double, beside_share, 0, 1) = 0.15;
  /// and so much more on top of it all doubt
  GLINT_PARAM(double, beside_range, 0.01, 1) = 0.35;
  /// of print on a line, above which there is doubt
  GLINT_PARAM(double, print_share, 0, 1) = 0.55;
  /// and so much more on top of it all doubt
  GLINT_PARAM(double, print_range, 0.01, 1) = 0.3;
  /// to a contour that runs with a line: what codecs smear of it
  GLINT_PARAM(int, parallel_px, 0, 20) = 10;
  /// from one place where such a contour is looked for to the next
  GLINT_PARAM(int, parallel_step_px, 1, 20) = 2;
  /// of the line that the contour runs with: above, there is doubt
  GLINT_PARAM(double, parallel_share, 0, 1) = 0.75;
  /// and so much more on top of it all doubt
  GLINT_PARAM(double, parallel_range, 0.01, 1) = 0.15;
  /// from a line to the strips whose albedo is compared with its own and with each other
  GLINT_PARAM(int, strip_px, 2, 20) = 5;
  /// of a line from its middle to its ends: on shorter ones print may change by chance
  GLINT_PARAM(int, min_uneven_half_px, 1, 500) = 40;
  /// added to the deviation along a line of an edge or a stroke of the print
  GLINT_PARAM(double, print_noise_grey, 0.01, 255) = 2;
  /// of an edge or a stroke of the print over that deviation: up to that
  /// it is no print that runs with the line
  GLINT_PARAM(double, uneven_print, 0, 100) = 0.35;
  /// and so much more on top of it: it is, as far as anything said so
  GLINT_PARAM(double, uneven_range, 0.01, 100) = 0.35;
  /// of a line's length that is marked around its middle
  GLINT_PARAM(double, support_share, 0, 1) = 0.6;
  /// through one pixel of a piece that is marked, each from a middle and at an angle of its own:
  /// chance lifts one line over what is needed, a crease many
  GLINT_PARAM(int, min_lines, 1, 1000) = 3;
  /// evidence of a ridge pixel that is marked
  GLINT_PARAM(double, min_crest, 0, 100) = 1.25;
  /// of its direction
  GLINT_PARAM(double, max_mark_turn_steps, 0, 8) = 1.8;
  /// by which marked pixels are widened to be one piece
  GLINT_PARAM(int, link_px, 0, 50) = 2;
  /// of what is marked in one piece, width or height
  GLINT_PARAM(int, min_extent_px, 0, 1000) = 8;
};

/// The mean evidence over three lengths along lines of 48 directions through each ridge pixel, the
/// longest bowed, too,
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
