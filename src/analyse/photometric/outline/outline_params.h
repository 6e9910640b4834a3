// SPDX-License-Identifier: Apache-2.0
// What decides where the outline has gaps and worn corners; apart from the steps, whose headers
// need OpenCV.
#pragma once

#include "base/params.h"

namespace glint::photometric {

/// What decides which pixels around the object tell the background's colours.
struct BackgroundParams {
  /// at the picture's border that are not used: resampled edges
  GLINT_PARAM(int, border_px, 0, 10) = 3;
  /// at the outline that are not used: blur and shadow
  GLINT_PARAM(int, outline_px, 0, 10) = 4;
  /// sigma of the colours
  GLINT_PARAM(double, smoothing_px, 0.1, 10) = 1.0;
  /// of the ring around a pixel, grows with the object
  GLINT_PARAM(double, reach_px, 1, 10000) = 60;
  /// with fewer in reach, look three times as far
  GLINT_PARAM(int, min_ring_pixels, 1, 1000000) = 50;
  /// of the ring's colours, in 8-bit units squared
  GLINT_PARAM(double, min_variance_lab2, 0.01, 10000) = 9;
};

/// What decides that an edge shows. Depths are px inside the outline; the outline is fitted to
/// within 1 px, and lies at -0.5.
struct ObjectEdgeParams {
  /// deep: the colours of two such strips are compared
  GLINT_PARAM(int, strip_px, 1, 4) = 3;
  /// depth of the first place of the edge
  GLINT_PARAM(int, first_edge_px, -3, 0) = -2;
  /// and of the last
  GLINT_PARAM(int, last_edge_px, 0, 3) = 1;
  /// depth of the first pixels outside that are used
  GLINT_PARAM(int, outermost_px, -24, -16) = -20;
  /// and of the last: nearer are the edge, its blur and shadow
  GLINT_PARAM(int, nearest_px, -7, -3) = -5;
  /// along the outline
  GLINT_PARAM(int, half_window_px, 0, 1000) = 30;
  /// of a gap's mouth in that window
  GLINT_PARAM(int, min_mouth_px, 1, 1000) = 5;
  /// at both ends of a mouth that are not used: blur
  GLINT_PARAM(int, mouth_end_px, 0, 100) = 1;
  /// times the root mean square of the steps outside ...
  GLINT_PARAM(double, min_clarity, 0, 100) = 2.5;
  /// ... that these are taken for at least, difference in Lab
  GLINT_PARAM(double, min_step_lab, 0.01, 255) = 1.5;
  /// a step so large, difference in Lab, ...
  GLINT_PARAM(double, plain_step_lab, 0, 255) = 2.6;
  /// ... shows with this clarity already: the grain of wood is a clear pattern itself
  GLINT_PARAM(double, min_plain_clarity, 0, 100) = 1.2;
  /// beside a thick object its shadow deepens up to the edge: a step that turns this back by so
  /// much, difference in Lab, ...
  GLINT_PARAM(double, min_rise_lab, 0, 255) = 3;
  /// ... over so much of a mouth in that window, ...
  GLINT_PARAM(int, min_rise_mouth_px, 1, 1000) = 12;
  /// ... shows with this clarity, of it and of the steps outside less their mean
  GLINT_PARAM(double, min_rise_clarity, 0, 100) = 2.5;
  /// along the outline: print has both signs of a step in a row, which its mean hides, so that the
  /// median step of pieces so long is taken, too. It shows an edge with ...
  GLINT_PARAM(int, piece_px, 2, 1000) = 8;
  /// ... this clarity and ...
  GLINT_PARAM(double, min_pieces_clarity, 0, 100) = 2.5;
  /// ... this size, difference in Lab
  GLINT_PARAM(double, min_pieces_step_lab, 0, 255) = 3;
  /// between two places where the edge shows: it goes on there
  GLINT_PARAM(int, bridged_px, 0, 1000) = 24;
  /// of a mouth that is nowhere deep enough to be asked, from which on it is no gap
  GLINT_PARAM(int, long_shallow_px, 1, 10000) = 60;
  /// radius of what is closed: dots of a printed screen
  GLINT_PARAM(int, screen_px, 0, 50) = 3;
  /// deep that are marked: nothing passes through
  GLINT_PARAM(int, wall_px, 1, 8) = 3;
};

/// What decides which gaps are tears, and where they go on.
struct TearParams {
  /// times as deep as its mouth is wide
  GLINT_PARAM(int, min_slenderness, 0, 1000) = 2;
  /// times as deep as it is wide on average: thinner ones are printed
  GLINT_PARAM(int, max_slenderness, 1, 100000) = 25;
  /// of the object: a deeper gap is something else
  GLINT_PARAM(double, max_depth_share, 0, 1) = 0.35;
  /// times as deep as the gap, at most
  GLINT_PARAM(int, max_continuation, 1, 100) = 3;
  /// beside the gap, grows with the object
  GLINT_PARAM(double, lips_px, 0, 100) = 3;
  /// of the colours around, grows with the object
  GLINT_PARAM(double, colour_reach_px, 1, 60) = 10;
  /// from them, 8-bit Lab
  GLINT_PARAM(int, min_difference_lab, 0, 441) = 12;
};

/// What decides that a gap is a tear by the margin of bare paper that it crosses.
struct TornMarginParams {
  /// of paper's lightness: lighter is no tear's shadow, whatever its colour ...
  GLINT_PARAM(double, max_lightness, 0, 1) = 0.35;
  /// ... and as dark is the darkest pixel, right across, ...
  GLINT_PARAM(double, max_darkest_lightness, 0, 1) = 0.12;
  /// ... and the median of all
  GLINT_PARAM(double, max_median_lightness, 0, 1) = 0.2;
  /// inwards from the tear's mouth, where a margin is looked for beside it; grows with the object
  GLINT_PARAM(double, depth_px, 1, 100) = 12;
  /// beside the tear, from there: the torn edges, their blur and shadow
  GLINT_PARAM(int, from_px, 0, 100) = 5;
  /// and to there
  GLINT_PARAM(int, to_px, 1, 100) = 14;
  /// of what lies there on either side, that is as light and colourless as paper
  GLINT_PARAM(double, min_paper_share, 0, 1) = 0.75;
};

/// What decides that torn paper shows a tear. Lengths in px grow with the object, but for the least
/// width and what may change from one depth to the next.
struct TornPaperParams {
  /// of the object's pixels, brighter ones tell the colour of paper
  GLINT_PARAM(double, paper_quantile, 0, 1) = 0.998;
  /// of paper's lightness: as light are the two edges of a tear ...
  GLINT_PARAM(double, min_edge_lightness, 0, 1) = 0.7;
  /// ... and so near to its a and b, 8-bit Lab
  GLINT_PARAM(double, max_edge_chroma_lab, 0, 255) = 20;
  /// of paper's lightness: as dark is the darkest pixel between them, right across ...
  GLINT_PARAM(double, max_gap_lightness, 0, 1) = 0.6;
  /// ... and the median of all
  GLINT_PARAM(double, max_median_lightness, 0, 1) = 0.47;
  /// inside the outline, where a tear has begun
  GLINT_PARAM(double, mouth_px, 0, 100) = 8;
  /// at its mouth
  GLINT_PARAM(int, min_width_px, 1, 100) = 3;
  /// anywhere
  GLINT_PARAM(double, max_width_px, 1, 1000) = 28;
  /// that a tear may widen from one depth to the next
  GLINT_PARAM(int, max_widening_px, 0, 100) = 3;
  /// without one, that a tear goes on across
  GLINT_PARAM(int, max_missed_px, 0, 100) = 3;
  /// deep
  GLINT_PARAM(double, min_depth_px, 1, 1000) = 16;
  /// times as deep as its mouth is wide
  GLINT_PARAM(double, min_slenderness, 0, 100) = 1.5;
  /// of the object: a deeper one is something else
  GLINT_PARAM(double, max_depth_share, 0, 1) = 0.35;
  /// of the width of its outer third: as wide is the inner one
  GLINT_PARAM(double, max_tip_share, 0, 1) = 0.72;
  /// of its depths have both edges
  GLINT_PARAM(double, min_filled_share, 0, 1) = 0.8;
  /// tears that show by the margin which they cross
  GLINT_PARAM(TornMarginParams, margin);
};

/// What decides that a gap is covered by something. Lengths in px, beside the gap's mouth.
struct CoveredRimParams {
  /// difference in Lab of the surroundings to those right beside them at either end: another thing
  GLINT_PARAM(double, min_step_lab, 0, 255) = 8;
  /// times the root mean square of such differences elsewhere along the side, which has ...
  GLINT_PARAM(double, min_clarity, 0, 100) = 3;
  /// ... so many places to say so
  GLINT_PARAM(int, min_places, 1, 1000) = 6;
  /// from either end, that are not used: blur and shadow
  GLINT_PARAM(int, end_px, 0, 100) = 5;
  /// beyond that, which count as beside; grows with the object
  GLINT_PARAM(double, beside_px, 1, 1000) = 30;
  /// from one width that is tried to the next
  GLINT_PARAM(double, width_ratio, 1.01, 10) = 1.25;
  /// of colours, in 8-bit units squared
  GLINT_PARAM(double, min_variance_lab2, 0.01, 10000) = 9;
  /// of the thing, half of that, grows with the object: a finger's
  GLINT_PARAM(double, min_half_width_px, 0, 1000) = 9;
  /// of the side: what is longer is the table
  GLINT_PARAM(double, max_side_share, 0, 1) = 0.5;
  /// of a colour to those of the thing, squared, in their spreads: it is the thing's
  GLINT_PARAM(double, max_front_distance, 0, 10000) = 7;
  /// inside of the rim, where such colours are looked for; as deep again
  GLINT_PARAM(int, rim_px, 1, 50) = 3;
  /// of what lies there, that has them: else the thing ends at the rim
  GLINT_PARAM(double, min_rim_share, 0, 1) = 0.5;
  /// times the thing's width, that it may reach inwards ...
  GLINT_PARAM(double, reach_widths, 0, 100) = 3;
  /// ... and to either side
  GLINT_PARAM(double, reach_widths_aside, 0, 100) = 0.8;
  /// radius of what is opened: thin leaks into print
  GLINT_PARAM(int, opened_px, 0, 50) = 4;
  /// of the thing's width, up to which it may touch those limits: print of its colours goes on
  GLINT_PARAM(double, max_limit_share, 0, 100) = 0.25;
  /// around the thing, grows with the object: its shadow, and where it slides
  GLINT_PARAM(double, margin_px, 0, 200) = 40;
};

/// What is fine structure of a view.
struct ViewCoherenceParams {
  /// side of the box that is a pixel's own: noise in it averages out
  GLINT_PARAM(int, pixel_px, 1, 15) = 3;
  /// side of the box around it that is taken off: light
  GLINT_PARAM(int, detail_px, 3, 63) = 9;
  /// side of the squares that the surroundings are cut into
  GLINT_PARAM(int, cell_px, 4, 500) = 16;
};

/// Which gaps show print: what moves with the object before surroundings that do not.
struct PrintedGapParams {
  /// share of the surroundings' structure that stays beside the object: with more it lies still
  GLINT_PARAM(double, max_surroundings, 0, 1) = 0.5;
  /// the same for a small or thin gap
  GLINT_PARAM(double, max_thin_surroundings, 0, 1) = 0.7;
  /// share of the gap's own, with which it is print
  GLINT_PARAM(double, min_inside, 0, 1) = 0.7;
  /// of the share that moves beside the object, what moves in a gap that is print: where the table
  /// moves little beside it, print has to stay where it is
  GLINT_PARAM(double, max_moving_share, 0, 1) = 0.43;
  /// of a gap from its boundary inwards, which stays where it is, whatever shows in the gap
  GLINT_PARAM(int, boundary_px, 0, 100) = 5;
  /// the same of a small or thin gap, one of which less than min_pixels is left
  GLINT_PARAM(int, thin_boundary_px, 0, 100) = 2;
  /// mean square of such a gap's structure: the bare paper and the shadow of a slit stay where they
  /// are, too, and have more
  GLINT_PARAM(double, max_thin_structure_grey2, 0, 65025) = 300;
  /// that are left: fewer say nothing
  GLINT_PARAM(int, min_pixels, 1, 10000) = 12;
  /// mean square of the structure there: less is noise
  GLINT_PARAM(double, min_structure_grey2, 0, 10000) = 0.5;
  /// that show all of it: fewer say nothing
  GLINT_PARAM(std::size_t, min_views, 2, 64) = 8;
  GLINT_PARAM(ViewCoherenceParams, coherence);
};

/// Which gaps are things before the object that some views show without them.
struct PassingOccluderParams {
  /// around a gap, where views are made equally bright
  GLINT_PARAM(int, beside_px, 1, 100) = 12;
  /// longer side of the part of a view that is compared: larger ones are made small
  GLINT_PARAM(int, max_side_px, 16, 10000) = 192;
  /// from the median of all views, on average over the gap: of one that shows something else
  GLINT_PARAM(double, min_unlike_grey, 0, 255) = 20;
  /// that do so, and agree on what
  GLINT_PARAM(std::size_t, min_views, 1, 64) = 3;
  /// of the difference between their median and that of all: how far one that agrees is from theirs
  GLINT_PARAM(double, max_apart_share, 0, 1) = 0.4;
  /// of the median gradient along the gap's boundary in the median of all: what theirs has there
  GLINT_PARAM(double, max_edge_share, 0, 1) = 0.5;
  /// around such a gap, that is covered, too: a hand moves, and its edge answers as a line does
  GLINT_PARAM(int, margin_px, 0, 100) = 8;
};

/// What decides whether a gap ends at an edge.
struct GapEdgeParams {
  /// outside of the gap, where the object's colour is taken: clear of blur
  GLINT_PARAM(int, beside_px, 1, 50) = 3;
  /// of the object's rim, where it is not: the background shines in
  GLINT_PARAM(int, border_px, 0, 50) = 5;
  /// around such a place, whose part of the gap is compared with it
  GLINT_PARAM(int, reach_px, 1, 100) = 8;
  /// of a gap without its boundary: with fewer the boundary counts, too
  GLINT_PARAM(int, min_inside_pixels, 0, 1000) = 5;
  /// difference of the two, 8-bit Lab, that is an edge
  GLINT_PARAM(double, min_step_lab, 0, 441) = 8;
  /// of the places, with an edge
  GLINT_PARAM(double, min_share, 0, 1) = 0.87;
  /// fewer say nothing
  GLINT_PARAM(int, min_places, 0, 1000) = 10;
};

/// What decides whether a gap has the hue of what lies outside of it. Differences of a and b, 8-bit
/// Lab.
struct GapChromaParams {
  /// from a gap's lips inwards: its middle, clear of their blur
  GLINT_PARAM(double, min_middle_px, 1, 100) = 4;
  /// of its middle: fewer say nothing
  GLINT_PARAM(int, min_middle_pixels, 1, 1000) = 3;
  /// around a gap, what lies outside of the object there is compared; grows with the object
  GLINT_PARAM(double, reach_px, 1, 1000) = 20;
  /// of that: fewer say nothing
  GLINT_PARAM(int, min_beside_pixels, 1, 1000) = 50;
  /// between both, in the shade that fits best
  GLINT_PARAM(double, max_difference_lab, 0, 255) = 3.8;
  /// or so many times the spread of the surroundings: of a pattern
  GLINT_PARAM(double, max_spreads, 0, 100) = 2.5;
};

/// What decides that corners were cut to a quarter of a circle.
struct RoundedCornerParams {
  /// of the circle, grows with the object: what is less round is worn ...
  GLINT_PARAM(double, min_radius_px, 1, 1000) = 18;
  /// ... and what is rounder has lost a corner
  GLINT_PARAM(double, max_radius_px, 1, 1000) = 45;
  /// of the radius that the corner's area tells: so far off are tried
  GLINT_PARAM(double, radius_doubt, 0, 1) = 0.25;
  /// from one side, where the corner may begin: what lies before it is blurred
  GLINT_PARAM(int, max_offset_px, 0, 20) = 4;
  /// of what a corner lacks or such a corner would, what both do: one cut off straight has 0.84
  GLINT_PARAM(double, min_overlap, 0, 1) = 0.87;
  /// of a corner's radius: another has no more
  GLINT_PARAM(double, max_ratio, 1, 10) = 1.15;
  /// of what such a corner lacks: where three corners show as much of it, what they show counts
  GLINT_PARAM(double, min_common_share, 0, 1) = 0.7;
};

/// What decides where the outline has gaps. Distances to the background's colours are squared, in
/// their spreads.
struct OutlineParams {
  /// nearer is certainly background
  GLINT_PARAM(float, gap_distance, 0, 10000) = 9;
  /// of how far the object around is: nearer is, too
  GLINT_PARAM(float, gap_object_share, 0, 1) = 0.1F;
  /// more than that says nothing
  GLINT_PARAM(double, max_distance, 0, 1000) = 400;
  /// around, more on large objects: blur does not shrink
  GLINT_PARAM(double, object_reach_px, 0, 1000) = 12;
  /// shadow and blur along a gap: three limits, the laxest of which that does not leak is taken
  GLINT_PARAM(float, tight_growth_distance, 0, 10000) = 12;
  /// see tight_growth_distance
  GLINT_PARAM(float, growth_distance, 0, 10000) = 16;
  /// see tight_growth_distance
  GLINT_PARAM(float, lax_growth_distance, 0, 10000) = 25;
  /// from the outline that a gap reaches: print in the table's colour and a misfit are shallower
  GLINT_PARAM(int, seed_depth_px, 0, 40) = 8;
  /// that deep
  GLINT_PARAM(int, min_seed_pixels, 1, 10000) = 8;
  /// straight inwards from the outline: places of a gap's mouth that count
  GLINT_PARAM(int, mouth_depth_px, 1, 40) = 6;
  /// that a gap may be wider than its mouth, grows with the object
  GLINT_PARAM(double, mouth_widening_px, 0, 1000) = 2;
  /// that growth may widen a gap, grows with the object
  GLINT_PARAM(double, max_widening_px, 0, 1000) = 2;
  /// times as large that growth may make a gap: more is print behind it
  GLINT_PARAM(double, max_growth, 1, 1000) = 3;
  /// that growth may widen a gap's mouth, grows with the object
  GLINT_PARAM(double, max_mouth_growth_px, 0, 1000) = 12;
  /// of half the width of a gap: what is thinner may be a branch of it
  GLINT_PARAM(double, branch_width_share, 0, 1) = 0.4;
  /// of a corner that is compared, grows with the object
  GLINT_PARAM(double, corner_px, 0, 10000) = 80;
  /// of a common corner shape
  GLINT_PARAM(int, min_corner_pixels, 1, 10000) = 20;
  /// which corners are so
  GLINT_PARAM(RoundedCornerParams, rounded_corners);
  /// that the common shape is widened
  GLINT_PARAM(int, corner_margin_px, 0, 50) = 2;
  /// that damage is drawn wider
  GLINT_PARAM(int, dilation_px, 0, 50) = 2;
  /// of its own pixels, that a gap cuts off from the rest of the object: with more it is a contour
  GLINT_PARAM(double, max_cut_off_share, 0, 100) = 0.3;
  /// inside the outline where no line is looked for: the background shines in
  GLINT_PARAM(int, rim_px, 0, 50) = 3;
  GLINT_PARAM(BackgroundParams, background);
  GLINT_PARAM(ObjectEdgeParams, edge);
  GLINT_PARAM(TearParams, tears);
  GLINT_PARAM(TornPaperParams, torn_paper);
  GLINT_PARAM(CoveredRimParams, covered);
  GLINT_PARAM(GapEdgeParams, gap_edges);
  GLINT_PARAM(GapChromaParams, gap_chroma);
  GLINT_PARAM(PrintedGapParams, printed_gaps);
  GLINT_PARAM(PassingOccluderParams, passing_occluders);
};

/// What decides that a corner is worn. Lengths in px grow with the object, but for depths of
/// starts.
struct WornCornerParams {
  /// of a side that belong to the corner
  GLINT_PARAM(double, corner_px, 0, 10000) = 60;
  /// of a side whose further part tells the rim's colour
  GLINT_PARAM(double, compared_px, 0, 10000) = 180;
  /// from the outline inwards: so far a corner is compared
  GLINT_PARAM(double, rim_depth_px, 0, 1000) = 14;
  /// from the outline: nearer, the background shines through
  GLINT_PARAM(float, rim_start_px, 0, 1000) = 2;
  /// the same for the rim's colour, which must be clean
  GLINT_PARAM(float, reference_start_px, 0, 1000) = 4;
  /// that tell the rim's colour
  GLINT_PARAM(int, min_reference_pixels, 1, 1000000) = 50;
  /// of it, 8-bit Lab
  GLINT_PARAM(double, max_spread_lab, 0, 255) = 6;
  /// from it, 8-bit Lab
  GLINT_PARAM(double, min_difference_lab, 0, 441) = 18;
  /// from it, in its spread
  GLINT_PARAM(double, min_difference_spreads, 0, 100) = 5;
  /// of a worn corner
  GLINT_PARAM(int, min_worn_pixels, 1, 1000000) = 12;
  /// times as far along the sides and inwards, what is pale is followed
  GLINT_PARAM(double, followed, 1, 10) = 2;
  /// of all that, at a corner: what goes on beyond it is print
  GLINT_PARAM(double, min_corner_share, 0, 1) = 0.7;
  /// outside of the outline, where the table begins: nearer are blur and shadow
  GLINT_PARAM(int, table_px, 0, 20) = 6;
  /// of its mean colour to the nearest table's, 8-bit Lab, but for what is darker: less is a corner
  /// that is cut round
  GLINT_PARAM(double, min_table_step_lab, 0, 441) = 12;
};

}  // namespace glint::photometric
