// SPDX-License-Identifier: Apache-2.0
// Every number that decides which outline is taken for the object's, a struct per step. Lengths are
// small pixels, shares those of a diagonal, unless said otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "analyse/homography_fit.h"
#include "analyse/location/edge_segment_params.h"
#include "analyse/location/foreground_outline.h"
#include "analyse/location/printed_strip_params.h"
#include "analyse/outline_params.h"
#include "analyse/quadrilateral.h"
#include "base/params.h"

namespace glint {

/// How well four sides are an outline in one picture.
struct JudgingParams {
  using ColourPlaces = std::array<double, 3>;
  using CornerPlaces = std::array<double, 8>;

  /// Sobel units: what counts as an edge at all
  GLINT_PARAM(float, min_edge_sobel, 0, 5000) = 24;
  /// times the median gradient of the picture: grain is no edge
  GLINT_PARAM(float, min_edge_medians, 0, 100) = 1.6F;
  /// Sobel units: grain beyond that does not hide edges any more
  GLINT_PARAM(float, max_grain_sobel, 0, 5000) = 40;
  /// surroundings that an edge has to stand out from
  GLINT_PARAM(int, surroundings_px, 3, 1000) = 31;
  /// of the angle between an edge and a side that it belongs to: 28 degrees
  GLINT_PARAM(double, along_cosine, 0, 1) = 0.88;
  /// up to which a place may be off its side without loss
  GLINT_PARAM(int, lossless_reach_px, 0, 100) = 2;
  /// of an edge's strength, per pixel off its side, where the reach is longer than that
  GLINT_PARAM(double, loss_per_px, 0, 1) = 0.06;
  /// of a side at each end, where it is not probed: it may be round or hidden
  GLINT_PARAM(double, corner_share, 0, 0.49) = 0.08;
  /// a shorter side cannot be judged
  GLINT_PARAM(double, min_side_px, 1, 1000) = 8;
  /// in the picture that a side's support needs; one more than that
  GLINT_PARAM(int, min_side_places, 0, 72) = 4;
  /// from a side, on both of its sides, where the colours that it parts are taken
  GLINT_PARAM(ColourPlaces, colour_places_px, 0, 100) = {3, 5, 7};
  /// contrast (RGB) at which a step across a side is plain
  GLINT_PARAM(double, plain_step, 0.1, 442) = 20;
  /// of a side: where edges right beside the corners are looked for
  GLINT_PARAM(CornerPlaces, corner_places, 0, 1) = {0.02,  0.035, 0.05,  0.065,
                                                    0.935, 0.95,  0.965, 0.98};
  /// of a side's length: how far beyond its corners edges are looked for ...
  GLINT_PARAM(double, extension_share, 0, 10) = 0.3;
  /// ... at most
  GLINT_PARAM(double, max_extension_px, 0, 10000) = 40;
  /// beyond a corner that are left out ...
  GLINT_PARAM(double, extension_gap_px, 0, 100) = 3;
  /// ... and this share of the extension
  GLINT_PARAM(double, extension_gap_share, 0, 1) = 0.15;
  /// places along an extension
  GLINT_PARAM(std::size_t, extension_places, 2, 1000) = 14;
  /// of those in the picture that count; one more than that
  GLINT_PARAM(int, min_extension_places, 0, 1000) = 3;
  /// that an edge may lie off the extension
  GLINT_PARAM(int, extension_reach_px, 1, 100) = 2;
  /// of an outline's worth over the clip, lost to edges that go on beyond the corners
  GLINT_PARAM(double, extension_weight, 0, 1) = 0.6;
  /// of a side, next to its end, whose outside is compared with that of its extension
  GLINT_PARAM(double, surroundings_share, 0, 0.5) = 0.21;
  /// distance of colours (RGB) from which on what lies inside of an extension is not the table
  GLINT_PARAM(double, min_object_step, 0, 442) = 12;
  /// distance of colours (RGB) up to which what lies outside of it is the same table
  GLINT_PARAM(double, max_table_step, 0, 442) = 40;
  /// of the extensions at both ends of a side, where the object goes on: so much is chance ...
  GLINT_PARAM(double, min_passed_share, 0, 1) = 0.1;
  /// ... and from so much on the side is print
  GLINT_PARAM(double, print_passed_share, 0, 1) = 0.2;
  /// of an outline's worth over the clip, lost to a side that is print
  GLINT_PARAM(double, passed_weight, 0, 1) = 0.5;
  /// of the places of a side with an edge: with fewer it keeps its place when refitted
  GLINT_PARAM(double, min_refit_share, 0, 1) = 0.35;
  /// spread of the edges about a side that is not worth more weight
  GLINT_PARAM(double, min_refit_spread_px, 0.01, 100) = 0.5;
  /// of a side's length: how far its ends may be moved apart
  GLINT_PARAM(double, max_refit_turn_share, 0, 1) = 0.14;
  /// of the angle at which neighbouring sides meet
  GLINT_PARAM(double, min_corner_sine, 0, 1) = 0.1;
  /// times the reach: mean distance by which the corners of a refitted outline may move
  GLINT_PARAM(double, max_refit_reaches, 0, 100) = 3;
};

/// Which outlines one frame proposes.
struct ProposalParams {
  /// of the angle at which neighbouring sides meet: 22 degrees at least
  GLINT_PARAM(double, min_adjacent_sine, 0, 1) = 0.375;
  /// of the angle between opposite sides: 48 degrees at most
  GLINT_PARAM(double, max_opposite_sine, 0, 1) = 0.743;
  /// of the picture's longer side: how far out a corner may lie
  GLINT_PARAM(double, max_outside_share, 0, 10) = 0.12;
  /// between a corner and the nearest end of its line, that cost nothing
  GLINT_PARAM(double, free_corner_px, 0, 1000) = 8;
  /// lengths of a line that a corner may lie beyond its end ...
  GLINT_PARAM(double, max_beyond_lengths, 0.01, 100) = 1.7;
  /// ... or on this side of it
  GLINT_PARAM(double, max_within_lengths, 0.01, 100) = 0.4;
  /// of those limits: what the two lines of a corner may use together
  GLINT_PARAM(double, max_corner_cost, 0, 2) = 1.25;
  /// lines that meet both of two opposite ones
  GLINT_PARAM(std::size_t, max_common_lines, 2, 1000) = 30;
  /// of the picture: of an outline
  GLINT_PARAM(double, min_area_share, 0, 1) = 0.012;
  /// of the picture's longer side: of an outline's side
  GLINT_PARAM(double, min_side_share, 0, 1) = 0.045;
  /// times as long as the opposite side: perspective of a phone
  GLINT_PARAM(double, max_opposite_ratio, 1, 100) = 2.2;
  /// places of a side where any edge counts, before edges along it are looked for
  GLINT_PARAM(std::size_t, quick_places, 2, 1000) = 24;
  /// of those places, of every side
  GLINT_PARAM(double, min_quick_support, 0, 1) = 0.3;
  /// of one frame, that those places leave
  GLINT_PARAM(std::size_t, max_candidates, 1, 10000) = 240;
  /// that a side may be off
  GLINT_PARAM(int, reach_px, 1, 100) = 2;
  /// of every side
  GLINT_PARAM(double, min_side_support, 0, 1) = 0.3;
  /// mean of the sides
  GLINT_PARAM(double, min_support, 0, 1) = 0.5;
  /// power of the share of the picture, in the score
  GLINT_PARAM(double, area_exponent, 0, 10) = 0.1;
  /// of the score, lost to edges that go on beyond the corners
  GLINT_PARAM(double, extension_weight, 0, 1) = 0.5;
  /// outlines that one frame proposes
  GLINT_PARAM(std::size_t, max_proposals, 1, 1000) = 48;
};

/// How outlines are followed through the clip.
struct FollowingParams {
  /// mean corner distance of outlines that neighbouring frames both propose ...
  GLINT_PARAM(double, again_share, 0, 1) = 0.05;
  /// ... and this more
  GLINT_PARAM(double, again_px, 0, 100) = 2;
  /// matches inside an outline that say how it moved to the next frame
  GLINT_PARAM(std::size_t, min_shift_matches, 1, 1000) = 6;
  /// of a proposal's score, gained where both neighbours propose it, too
  GLINT_PARAM(double, again_gain, 0, 10) = 0.4;
  /// proposals that are followed at once, before those on the same way are dropped
  GLINT_PARAM(std::size_t, at_once, 1, 64) = 6;
  /// proposals that are followed through the clip
  GLINT_PARAM(std::size_t, max_tracks, 1, 1000) = 18;
  /// mean corner distance at which a proposal lies on a track ...
  GLINT_PARAM(double, on_track_share, 0, 1) = 0.015;
  /// ... and this more
  GLINT_PARAM(double, on_track_px, 0, 100) = 1.5;
  /// mean corner distance at which a frame itself proposes a followed outline ...
  GLINT_PARAM(double, proposed_share, 0, 1) = 0.012;
  /// ... and this more
  GLINT_PARAM(double, proposed_px, 0, 100) = 1.5;
  /// times an outline's size: features that move with it
  GLINT_PARAM(double, inside_sizes, 0.1, 10) = 1.04;
  /// times an outline's size: features beyond that belong to what lies around it
  GLINT_PARAM(double, outside_sizes, 0.1, 10) = 1.1;
  /// features around an outline that say how the rest moves
  GLINT_PARAM(std::size_t, min_outside_matches, 4, 65535) = 25;
  /// of those, that have to move as one: the grain of a table matches itself in many places; half
  /// of them suffice in any case
  GLINT_PARAM(double, min_agreeing_share, 0, 1) = 0.15;
  /// and so many of them at least
  GLINT_PARAM(std::size_t, min_agreeing_matches, 4, 65535) = 20;
  /// features inside, below which an outline is without print
  GLINT_PARAM(std::size_t, print_matches, 1, 65535) = 40;
  /// of an outline's area, from one frame to another
  GLINT_PARAM(double, min_growth, 0, 1) = 0.3;
  /// likewise
  GLINT_PARAM(double, max_growth, 1, 100) = 3.3;
  /// mean corner distance to the proposal that an outline without print may have become
  GLINT_PARAM(double, max_step_share, 0, 10) = 0.4;
  /// of the smaller area to the larger one of the two
  GLINT_PARAM(double, min_step_growth, 0, 1) = 0.6;
  /// times the median way of the print inside against the rest: that corners may show, at most. Of
  /// what turns about its own middle they go twice as far
  GLINT_PARAM(double, print_apart_gain, 1, 10) = 2;
  /// by which an outline moved unlike the rest: more says no more
  GLINT_PARAM(double, max_apart_share, 0, 10) = 0.1;
  /// of the picture's area: a smaller outline is lost
  GLINT_PARAM(double, min_area_share, 0, 1) = 0.004;
  /// that a side is looked for around where the print says it is
  GLINT_PARAM(int, print_reach_px, 1, 100) = 5;
  /// that a side is looked for around where the frame proposes it
  GLINT_PARAM(int, proposal_reach_px, 1, 100) = 3;
  /// that a side is looked for in a frame that following did not reach
  GLINT_PARAM(int, lost_reach_px, 1, 100) = 4;
  /// that a side may be off when it is judged
  GLINT_PARAM(int, judging_reach_px, 1, 100) = 2;
  /// mean support that refitting has to bring
  GLINT_PARAM(double, min_refit_gain, 0, 1) = 0.02;
  /// mean support of the sides, below which an outline is lost
  GLINT_PARAM(double, min_support, 0, 1) = 0.35;
  /// mean share of the sides in the picture, likewise
  GLINT_PARAM(double, min_seen, 0, 1) = 0.4;
  /// in turn that lose it, after which it is followed no further
  GLINT_PARAM(int, lost_frames, 1, 64) = 2;
  /// side of the picture of an outline's inside, which is compared from frame to frame
  GLINT_PARAM(int, patch_px, 16, 512) = 64;
  /// at the border of that picture that are not compared
  GLINT_PARAM(int, patch_border_px, 0, 7) = 4;
  /// in it: slower changes are light
  GLINT_PARAM(int, patch_light_px, 3, 255) = 31;
  /// deviation (grey), below which there is nothing in it to compare
  GLINT_PARAM(double, min_patch_deviation_grey, 0.01, 255) = 2.5;
  /// correlation at which it is the same inside
  GLINT_PARAM(double, min_likeness, 0, 1) = 0.5;
};

/// What is a border of one colour around a print. Colours are distances in RGB.
struct PrintedBorderParams {
  /// of the best form: what an outline with a border inside of it needs
  GLINT_PARAM(double, min_form, 0, 10) = 0.75;
  /// frames in which it is looked for
  GLINT_PARAM(std::size_t, frames, 1, 64) = 7;
  /// of these, that have to show it
  GLINT_PARAM(double, min_frames_share, 0, 1) = 0.5;
  /// places along a side
  GLINT_PARAM(std::size_t, places, 2, 1000) = 32;
  /// of a side at each end, without them: corners may be round
  GLINT_PARAM(double, corner_share, 0, 0.49) = 0.12;
  /// from a side, on both of its sides, where colours are clear of blur
  GLINT_PARAM(int, first_px, 1, 20) = 3;
  /// of the border: on every side
  GLINT_PARAM(double, min_width_px, 1, 100) = 5;
  /// of the outline's diagonal: on every side
  GLINT_PARAM(double, max_width_share, 0, 0.5) = 0.07;
  /// of the widest side to the narrowest: perspective, and a print off the middle
  GLINT_PARAM(double, max_width_ratio, 1, 100) = 2.5;
  /// the same, of a border whose outer edge needs no other proof
  GLINT_PARAM(double, max_even_ratio, 1, 100) = 1.6;
  /// frames in which such a border is looked for
  GLINT_PARAM(std::size_t, even_frames, 1, 64) = 15;
  /// of these, that have to show it
  GLINT_PARAM(double, min_even_share, 0, 1) = 0.3;
  /// brightness of the border at two sides: shadow and gloss
  GLINT_PARAM(double, max_light_ratio, 1, 100) = 2;
  /// of the border's colours across it, and, brightness and white apart, at its four sides
  GLINT_PARAM(double, max_unlike, 0, 442) = 18;
  /// between the border and what lies on the other side of the outline
  GLINT_PARAM(double, min_step, 0, 442) = 16;
  /// of a side's places that show the border: a thumb hides some
  GLINT_PARAM(double, min_side_share, 0, 1) = 0.55;
  /// of those, at which it ends at one straight edge ...
  GLINT_PARAM(double, min_straight_share, 0, 1) = 0.6;
  /// ... give or take this share of its width ...
  GLINT_PARAM(double, slack_share, 0, 1) = 0.2;
  /// ... or this
  GLINT_PARAM(double, min_slack_px, 0, 100) = 2;
};

/// Which of the outlines that ride on one motion is taken.
struct OutermostParams {
  using Depths = std::array<double, 3>;

  /// frames in which outlines are compared
  GLINT_PARAM(std::size_t, compared_frames, 2, 64) = 16;
  /// of these, in which outlines with moved sides are compared
  GLINT_PARAM(std::size_t, moved_frames, 2, 64) = 8;
  /// of these, in which colours are compared
  GLINT_PARAM(std::size_t, colour_frames, 2, 64) = 5;
  /// that a side may be off
  GLINT_PARAM(int, reach_px, 1, 100) = 3;
  /// of an outline in a frame in which it is judged
  GLINT_PARAM(double, min_area_px2, 0, 100000) = 50;
  /// of a side, below which a frame does not say how much of it has edges
  GLINT_PARAM(double, min_side_seen, 0, 1) = 0.5;
  /// of the form, lost where the sides lie outside the picture
  GLINT_PARAM(double, unseen_weight, 0, 1) = 0.6;
  /// of the form, lost where the corners have no edges
  GLINT_PARAM(double, corner_weight, 0, 1) = 0.15;
  /// share of edges right beside the corners that loses nothing
  GLINT_PARAM(double, full_corner_share, 0.01, 1) = 0.6;
  /// of a proposal's area to the followed outline's
  GLINT_PARAM(double, min_growth, 0, 1) = 0.2;
  /// likewise
  GLINT_PARAM(double, max_growth, 1, 1000) = 6;
  /// of the smaller area of the two
  GLINT_PARAM(double, min_shared, 0, 1) = 0.75;
  /// of its rank, that an outline gains with each frame which proposes it ...
  GLINT_PARAM(double, vote_gain, 0, 10) = 0.15;
  /// ... up to so many
  GLINT_PARAM(std::size_t, max_votes, 1, 64) = 8;
  /// of its form, that an outline gains if it is that of the foreground in every frame
  GLINT_PARAM(double, foreground_gain, 0, 10) = 0.2;
  /// that are judged
  GLINT_PARAM(std::size_t, max_outlines, 1, 1000) = 24;
  /// support of every side of an outline that may win
  GLINT_PARAM(double, min_side_support, 0, 1) = 0.4;
  /// of the best form: outlines of which a wider one is looked for
  GLINT_PARAM(double, good_form, 0, 10) = 0.8;
  /// of the best form: what a wider outline needs
  GLINT_PARAM(double, wider_form, 0, 10) = 0.94;
  /// likewise where it is much larger
  GLINT_PARAM(double, much_wider_form, 0, 10) = 0.98;
  /// of the area, from which on an outline is wider ...
  GLINT_PARAM(double, wider_growth, 1, 100) = 1.04;
  /// ... and much wider
  GLINT_PARAM(double, much_wider_growth, 1, 100) = 1.12;
  /// of the smaller area: what a wider outline encloses
  GLINT_PARAM(double, min_enclosed, 0, 1) = 0.9;
  /// of the narrower outline's, that a wider one needs
  GLINT_PARAM(double, min_votes_share, 0, 10) = 0.4;
  /// of the narrower outline's diagonal: places of a wider one that are new
  GLINT_PARAM(double, new_part_share, 0, 1) = 0.025;
  /// of a side: fewer new ones say nothing
  GLINT_PARAM(int, min_new_places, 1, 72) = 5;
  /// share of frames with an edge there, of every side
  GLINT_PARAM(double, min_new_support, 0, 1) = 0.5;
  /// of two objects, one around the other: of the area
  GLINT_PARAM(double, around_growth, 1, 100) = 1.08;
  /// mean distance of a side's corners from which on it is another side ...
  GLINT_PARAM(double, moved_side_share, 0, 1) = 0.006;
  /// ... and this more
  GLINT_PARAM(double, moved_side_px, 0, 100) = 1;
  /// places along a side whose colours are compared
  GLINT_PARAM(int, colour_places, 2, 1000) = 16;
  /// of a side at each end, without them
  GLINT_PARAM(double, colour_corner_share, 0, 0.49) = 0.1;
  /// of the way from side to side, where colours are taken
  GLINT_PARAM(Depths, colour_depths, 0, 1) = {0.25, 0.5, 0.75};
  /// likewise for the strip between the sides: its outer half, for it may begin on the object
  GLINT_PARAM(Depths, strip_depths, 0, 1) = {0.5, 0.7, 0.9};
  /// of the side's length, as far as the table's colours are looked at beyond it
  GLINT_PARAM(double, further_share, 0, 2) = 0.4;
  /// distances up to there at which they are looked at
  GLINT_PARAM(std::size_t, further_places, 1, 100) = 8;
  /// by which a strip may be brighter or darker than any of these and still be table (RGB)
  GLINT_PARAM(double, brightness_slack, 0, 442) = 20;
  /// of the difference in hue to that of colours, where brightness does not count
  GLINT_PARAM(double, hue_weight, 0, 100) = 1.5;
  /// of that way, beyond the sides
  GLINT_PARAM(double, min_strip_px, 0.1, 100) = 6;
  /// of a side at each end, whose colours are compared with those beyond that end
  GLINT_PARAM(double, end_share, 0.01, 0.5) = 0.3;
  /// distance of colours (RGB) below which what a wider outline takes in may be the table
  GLINT_PARAM(double, like_surroundings, 0, 442) = 20;
  /// likewise, of the distance to the colours inside
  GLINT_PARAM(double, like_surroundings_share, 0, 10) = 0.35;
  /// how far out another outline's line lies, for a side to be moved there: more than this ...
  GLINT_PARAM(double, min_side_shift_share, 0, 1) = 0.008;
  /// ... and less than this
  GLINT_PARAM(double, max_side_shift_share, 0, 1) = 0.09;
  /// of the diagonal: a side moves in to another group's line from so far on, as what two groups
  /// differ by less is how surely they were followed
  GLINT_PARAM(double, min_group_shift_share, 0, 1) = 0.02;
  /// difference of that between the side's ends
  GLINT_PARAM(double, max_side_turn_share, 0, 1) = 0.03;
  /// difference of lines that are one
  GLINT_PARAM(double, same_line_share, 0, 1) = 0.006;
  /// lines that one side is moved to
  GLINT_PARAM(std::size_t, max_side_lines, 0, 5) = 2;
};

/// Where else the side of an outline may be that its edges do not carry.
struct WeakSideParams {
  /// share of the side's places with an edge, over the frames: with more it is not weak
  GLINT_PARAM(double, max_weak_support, 0, 1) = 0.55;
  /// of every other side
  GLINT_PARAM(double, min_other_support, 0, 1) = 0.5;
  /// mean of the other sides
  GLINT_PARAM(double, min_mean_support, 0, 1) = 0.7;
  /// of its neighbours' lengths, that the side may move inwards ...
  GLINT_PARAM(double, max_inwards_share, 0, 1) = 0.4;
  /// ... and outwards
  GLINT_PARAM(double, max_outwards_share, 0, 1) = 0.25;
  /// of its neighbours' lengths, that one end may move more than the other
  GLINT_PARAM(double, max_turn_share, 0, 1) = 0.15;
  /// from one place that is tried to the next
  GLINT_PARAM(double, step_px, 1, 100) = 4;
  /// that the side may be off there
  GLINT_PARAM(int, coarse_reach_px, 1, 100) = 4;
  /// share of its places with an edge there
  GLINT_PARAM(double, min_support, 0, 1) = 0.3;
  /// between two places that are looked at again
  GLINT_PARAM(double, apart_px, 0, 1000) = 16;
  /// of those
  GLINT_PARAM(std::size_t, max_places, 0, 100) = 8;
  /// around each, that the best one is looked for ...
  GLINT_PARAM(int, fine_px, 0, 20) = 3;
  /// ... so many times
  GLINT_PARAM(int, fine_rounds, 1, 20) = 4;
  /// that the side may be off at these
  GLINT_PARAM(int, fine_reach_px, 1, 100) = 2;
  /// of the side, that are probed
  GLINT_PARAM(std::size_t, places, 2, 1000) = 24;
  /// share of those that lie in the picture
  GLINT_PARAM(double, min_seen, 0, 1) = 0.5;
  /// in which it is looked for
  GLINT_PARAM(std::size_t, frames, 2, 64) = 6;
  /// of a track's frames, that the print has to relate to its best one
  GLINT_PARAM(double, min_related_share, 0, 1) = 0.5;
};

/// Which followed outline is the object's.
struct ChoiceParams {
  /// of those that are followed, the ones that are compared with what lies around them
  GLINT_PARAM(std::size_t, max_compared, 1, 1000) = 5;
  /// of the others, those that lie at no place of these: a barcode has many outlines
  GLINT_PARAM(std::size_t, max_elsewhere, 0, 1000) = 2;
  /// of the frames, that propose an outline by themselves: more say no more
  GLINT_PARAM(double, full_proposed_share, 0.01, 1) = 0.25;
  /// of the score, lost by an outline that no frame proposes
  GLINT_PARAM(double, unproposed_loss, 0, 1) = 0.3;
  /// of that, won back by a motion of its own: 0 none, 1 all
  GLINT_PARAM(double, own_motion_proposes, 0, 1) = 1;
  /// of the score, that depends on the number of frames
  GLINT_PARAM(double, views_weight, 0, 1) = 0.75;
  /// added to the median likeness of the inside, which the score is multiplied by
  GLINT_PARAM(double, likeness_base, 0, 1) = 0.4;
  /// of that factor
  GLINT_PARAM(double, min_likeness_factor, 0, 1) = 0.3;
  /// by which a thing moves unlike the rest: less is none of its own
  GLINT_PARAM(double, min_apart_share, 0, 1) = 0.015;
  /// more than that, at which the motion surely is its own
  GLINT_PARAM(double, sure_apart_share, 0.0001, 1) = 0.03;
  /// frames in which two outlines are at the same place
  GLINT_PARAM(std::size_t, same_place_frames, 1, 64) = 4;
  /// of their areas together, for that
  GLINT_PARAM(double, same_place_shared, 0, 1) = 0.5;
  /// of the rank, gained by a motion of its own
  GLINT_PARAM(double, own_motion_gain, 0, 10) = 0.35;
  /// power of the share of the picture, in the rank
  GLINT_PARAM(double, area_exponent, 0, 10) = 0.12;
  /// of the frames, whose inside moves as one plane: more say no more
  GLINT_PARAM(double, full_rigid_share, 0.01, 1) = 0.9;
  /// of the confidence, lost where it never does
  GLINT_PARAM(double, unrigid_loss, 0, 1) = 0.5;
  /// of the picture: a smaller object that rests is believed less ...
  GLINT_PARAM(double, full_area_share, 0.0001, 1) = 0.12;
  /// ... and this less for one that moves by itself
  GLINT_PARAM(double, own_motion_area_share, 0, 1) = 0.07;
  /// times as long as wide: what is longer is rarely an object
  GLINT_PARAM(double, max_slenderness, 1, 1000) = 3.5;
  /// of the confidence, gained by a motion of its own
  GLINT_PARAM(double, own_motion_confidence, 0, 10) = 0.12;
};

/// Which frame shows an outline best. What it shows is a product of these.
struct ReferenceFrameParams {
  /// power of the share of the object in the picture
  GLINT_PARAM(double, coverage_exponent, 0, 10) = 3;
  /// power of its area
  GLINT_PARAM(double, area_exponent, 0, 10) = 0.25;
  /// added to the mean support of its sides
  GLINT_PARAM(double, support_base, 0, 10) = 0.3;
  /// power of the mean square of the Laplacian inside
  GLINT_PARAM(double, sharpness_exponent, 0, 10) = 0.25;
  /// added to the root of the share of the picture, up to 1, while outlines are compared
  GLINT_PARAM(double, compared_area_base, 0, 10) = 0.3;
  /// added to the mean support of the sides, likewise
  GLINT_PARAM(double, compared_support_base, 0, 10) = 0.5;
};

/// How the object is looked for over the whole clip.
struct ObjectSearchParams {
  /// that are searched, over the whole clip
  GLINT_PARAM(std::size_t, max_frames, 1, 64) = 24;
  /// of the frames, made small
  GLINT_PARAM(EdgeParams, edges);
  /// of the frames, made small: they relate an outline's frames
  GLINT_PARAM(FeatureParams, features) = {.max_features = 1500, .fast_threshold_grey = 8};
  /// of those features inside an outline
  GLINT_PARAM(MatchParams, matches) = {.min_matches = 14, .min_inliers = 10, .ransac_px = 2.5};
  GLINT_PARAM(SegmentParams, segments);
  GLINT_PARAM(JudgingParams, judging);
  GLINT_PARAM(ProposalParams, proposals);
  GLINT_PARAM(ForegroundParams, foreground);
  GLINT_PARAM(FollowingParams, following);
  GLINT_PARAM(OutermostParams, outermost);
  GLINT_PARAM(PrintedBorderParams, border);
  GLINT_PARAM(PrintedStripParams, strip);
  GLINT_PARAM(WeakSideParams, weak_side);
  GLINT_PARAM(ChoiceParams, choice);
  GLINT_PARAM(ReferenceFrameParams, reference_frame);
  /// added to the support of the weakest side, which an outline's worth is multiplied by up to 1
  GLINT_PARAM(double, weakest_side_base, 0, 1) = 0.4;
  /// mean corner distance of outlines that are one ...
  GLINT_PARAM(double, same_outline_share, 0, 1) = 0.02;
  /// ... and this more
  GLINT_PARAM(double, same_outline_px, 0, 100) = 1;
  /// confidence under which there is no object
  GLINT_PARAM(double, min_confidence, 0, 1) = 0.7;
  /// with which the edges alone tell the object: else its colours are asked, too
  GLINT_PARAM(double, min_edge_confidence, 0, 1) = 0.8;
  /// of the object, that its best frame has to show
  GLINT_PARAM(double, min_coverage, 0, 1) = 0.8;
  /// of the object, that a frame which counts shows
  GLINT_PARAM(double, counted_coverage, 0, 1) = 0.6;
  /// of the frames that are searched, which have to count; fewer where few are searched
  GLINT_PARAM(std::size_t, min_views, 1, 64) = 6;
  /// of the best frame's coverage, that the reference has to show
  GLINT_PARAM(double, min_of_best_coverage, 0, 1) = 0.98;
  /// of the golden frames' outline: one that sure and around what the search found is the object,
  /// and that a panel printed on it
  GLINT_PARAM(double, sure_confidence, 0, 1) = 0.9;
  /// of that outline's reach from its middle: so far beyond it a panel's corners may lie
  GLINT_PARAM(double, panel_slack, 0, 1) = 0.05;
  /// corners of two ways of finding that agree
  GLINT_PARAM(double, agreeing_share, 0, 1) = 0.012;

  /// Mean corner distance below which an outline and another one are the same, small pixels.
  double SameOutlinePx(const Quadrilateral& outline) const {
    return same_outline_share * Diagonal(outline) + same_outline_px;
  }

  /// Frames that have to show the object, of those that are searched.
  std::size_t EnoughViews(std::size_t searched) const {
    return std::min(min_views, (2 * searched + 2) / 3);
  }
};

}  // namespace glint
