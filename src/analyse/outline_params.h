// SPDX-License-Identifier: Apache-2.0
// Every number that decides where the object's outline is in single frames, a struct per step.
#pragma once

#include <cstddef>

#include "base/params.h"

namespace glint {

/// Which pixels of a small picture lie on an edge, and what an edge counts.
struct EdgeParams {
  /// of the small picture, about
  GLINT_PARAM(int, longer_side_px, 64, 10000) = 640;
  /// Sobel units: an edge of about 4 grey values
  GLINT_PARAM(float, min_gradient_sobel, 0, 5000) = 24;
  /// times the median gradient of the picture: grain is no edge
  GLINT_PARAM(float, min_gradient_medians, 0, 100) = 1.5F;
  /// small pixels from an edge to the colours it parts
  GLINT_PARAM(float, beside_px, 0, 100) = 4;
  /// of the square that such a colour is the mean of
  GLINT_PARAM(int, beside_window_px, 1, 99) = 5;
  /// distance of two colours (RGB) that certainly are two surfaces
  GLINT_PARAM(double, full_step, 1, 442) = 24;
};

/// Which straight lines of edges may be sides of the object.
struct OutlineLineParams {
  /// of lines, over half a turn, that edge points vote for
  GLINT_PARAM(int, angles, 16, 3600) = 180;
  /// that an edge point's normal may be off, when it votes
  GLINT_PARAM(int, max_normal_turn_deg, 0, 89) = 4;
  /// across a line, over which votes are averaged before the most are looked for
  GLINT_PARAM(int, vote_window_px, 1, 99) = 3;
  /// small pixels from a line to its edge points
  GLINT_PARAM(double, near_px, 0.1, 100) = 1.8;
  /// of the angle between their normals: 15 degrees
  GLINT_PARAM(double, along_cosine, 0, 1) = 0.966;
  /// with the most evidence
  GLINT_PARAM(std::size_t, max_lines, 4, 1000) = 72;
  /// evidence of a line by the longer side of the picture
  GLINT_PARAM(double, min_evidence_share, 0, 1) = 0.08;
  /// per pixel of the picture's border: it might be where the object goes on
  GLINT_PARAM(float, border_evidence, 0, 1) = 0.5F;
  /// distance of two lines, at both ends, that are one
  GLINT_PARAM(double, same_line_px, 0, 100) = 2.5;
};

/// Which four lines are an outline, and what it is worth. Lengths in small pixels.
struct QuadrilateralParams {
  /// of the angle between opposite sides: within 37 degrees of parallel
  GLINT_PARAM(double, max_opposite_sine, 0, 1) = 0.6;
  /// of the angle at which neighbours meet: 40 degrees at least
  GLINT_PARAM(double, min_adjacent_sine, 0, 1) = 0.64;
  /// of the picture
  GLINT_PARAM(double, min_area_share, 0, 1) = 0.05;
  /// of the picture's shorter side
  GLINT_PARAM(double, min_side_share, 0, 1) = 0.12;
  /// of the longer side: how far out a corner may lie
  GLINT_PARAM(double, max_outside_share, 0, 1) = 0.12;
  /// of a side, at both ends: no evidence is expected there
  GLINT_PARAM(double, corner_share, 0, 0.5) = 0.06;
  /// share of a side that is in the picture
  GLINT_PARAM(double, min_in_view, 0, 1) = 0.5;
  /// of every side
  GLINT_PARAM(double, min_side_support, 0, 1) = 0.3;
  /// of the outline
  GLINT_PARAM(double, min_support, 0, 1) = 0.45;
  /// candidates whose colours are compared
  GLINT_PARAM(std::size_t, max_examined, 1, 1000000) = 1000;
  /// along a side, where colours are taken
  GLINT_PARAM(int, colour_samples, 1, 1000) = 24;
  /// colours are taken this far from the side
  GLINT_PARAM(int, nearest_colour_px, 0, 100) = 3;
  /// to this far
  GLINT_PARAM(int, farthest_colour_px, 0, 100) = 6;
  /// of a side's inner colours, that are found nowhere outside: so many, and it loses no evidence;
  /// half of a side may look like what is around it
  GLINT_PARAM(double, own_colours_share, 0.01, 1) = 0.5;
  /// of its evidence, that a side keeps which has fewer, at least
  GLINT_PARAM(double, min_kept_share, 0, 1) = 0.2;
  /// evidence lost by a side with surroundings of its own
  GLINT_PARAM(double, unlike_surroundings_loss, 0, 1) = 0.3;
  /// distance of colours (RGB) that count as the same
  GLINT_PARAM(double, like_colour, 0, 442) = 18;
  /// of the diagonal: mean corner distance of two outlines that are one
  GLINT_PARAM(double, same_outline_share, 0, 1) = 0.01;
};

/// How the sides of an outline are fitted to the edges beside them. Lengths in frame pixels.
struct RefinementParams {
  /// of a side, at both ends: left out
  GLINT_PARAM(double, corner_share, 0, 0.49) = 0.06;
  /// between profiles across a side
  GLINT_PARAM(double, spacing_px, 0.1, 100) = 2;
  /// of a side: they lie nearer together when there would be fewer
  GLINT_PARAM(int, min_profiles, 1, 1000) = 8;
  /// of a side: they lie farther apart when there would be more
  GLINT_PARAM(int, max_profiles, 8, 100000) = 400;
  /// between the samples of a profile
  GLINT_PARAM(double, profile_step_px, 0.1, 4) = 0.5;
  /// of an edge's contrast, lost at the far end of the reach
  GLINT_PARAM(double, reach_loss, 0, 1) = 0.5;
  /// of a side, whose pairs are tried as lines
  GLINT_PARAM(std::size_t, max_anchors, 2, 1000) = 28;
  /// distance of the colours four samples apart on an edge (RGB)
  GLINT_PARAM(double, min_contrast, 0, 442) = 12;
  /// edges this near agree with a line
  GLINT_PARAM(double, on_line_px, 0.01, 100) = 1.2;
  /// edges farther off have no weight (Tukey)
  GLINT_PARAM(double, outlier_px, 0.01, 100) = 2.5;
  /// rounds of the fit, with new weights each
  GLINT_PARAM(int, fit_rounds, 1, 100) = 8;
  /// of a side, or it stays where it was
  GLINT_PARAM(std::size_t, min_edges, 2, 1000) = 4;
  /// share of the profiles in the frame, or the side stays where it was
  GLINT_PARAM(double, min_in_view, 0, 1) = 0.5;
  /// share of the edges that agree, or the side stays where it was
  GLINT_PARAM(double, min_support, 0, 1) = 0.25;
  /// of the angle at which neighbouring sides meet, or all stay where they were
  GLINT_PARAM(double, min_corner_sine, 0, 1) = 0.2;
  /// how far the last round looks for edges
  GLINT_PARAM(double, finest_reach_px, 0.5, 100) = 3;
};

/// When the outlines of several frames are one.
struct ConsensusParams {
  /// of the diagonal: mean corner distance of one outline
  GLINT_PARAM(double, same_outline_share, 0.0001, 1) = 0.015;
  /// times the score of an outline that is the same: what another frame's needs to be taken instead
  GLINT_PARAM(double, same_outline_gain, 1, 100) = 1.02;
  /// frame pixels that a corner may lie outside and still be seen
  GLINT_PARAM(double, in_view_px, 0, 1000) = 2;
  /// of a fitted side that counts
  GLINT_PARAM(double, min_side_support, 0, 1) = 0.4;
  /// of the diagonal: sides of several frames that agree
  GLINT_PARAM(double, near_median_share, 0, 1) = 0.004;
  /// sides nearer together agree in any case
  GLINT_PARAM(double, min_near_px, 0, 100) = 2;
};

/// When a part of the frame is taken for the object because it moves unlike the rest.
struct MovingRegionParams {
  /// frame pixels of flow against the median
  GLINT_PARAM(double, min_motion_px, 0, 1000) = 1.5;
  /// diameter of the disc that specks are opened away and gaps closed with
  GLINT_PARAM(int, opening_px, 1, 1000) = 15;
  /// of the frame
  GLINT_PARAM(double, min_area_share, 0, 1) = 0.1;
  /// of the frame: more is the camera's own motion
  GLINT_PARAM(double, max_area_share, 0, 1) = 0.8;
};

}  // namespace glint
