// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <algorithm>
#include <cstddef>

#include "analyse/homography_fit.h"
#include "analyse/outline_lines.h"
#include "base/params.h"

namespace glint {

/// How the object is looked for over the whole clip. Lengths in small pixels unless said otherwise.
struct ObjectSearchParams {
  /// of the frames, made small
  EdgeParams edges;
  /// Sobel units: of a crest of the gradient that a segment goes over
  float min_segment_sobel = 14;
  /// of the angle between a crest and its segment: 15 degrees
  double segment_cosine = 0.966;
  /// mean distance of a segment's crests from the straight line
  double max_segment_rms_px = 1;
  /// shorter segments are left out
  double min_segment_px = 10;
  /// distance of segments that lie on one straight line
  double collinear_px = 2.5;
  /// of the angle between them: 4 degrees
  double collinear_cosine = 0.99756;
  /// straight lines of one frame
  std::size_t max_lines = 110;
  /// of the picture: of an outline
  double min_area_share = 0.012;
  /// of the picture's longer side: of an outline's side
  double min_side_share = 0.045;
  /// of the frames, made small: they relate an outline's frames
  FeatureParams features = {.max_features = 1500, .fast_threshold_grey = 8};
  /// of those features inside an outline
  MatchParams matches = {.min_matches = 14, .min_inliers = 10, .ransac_px = 2.5};
  /// that are searched, over the whole clip
  std::size_t max_frames = 24;
  /// of one frame, before their surroundings are looked at
  std::size_t max_candidates = 240;
  /// outlines that one frame proposes
  std::size_t max_proposals = 48;
  /// proposals that are followed through the clip
  std::size_t max_tracks = 18;
  /// of those, the ones whose sides are compared with what lies around them
  std::size_t max_compared = 5;
  /// frames in which two outlines are compared
  std::size_t compared_frames = 16;

  /// Sobel units: what counts as an edge at all
  float min_edge_sobel = 24;
  /// times the median gradient of the picture: grain is no edge
  float min_edge_medians = 1.6F;
  /// Sobel units: grain beyond that does not hide edges any more
  float max_grain_sobel = 40;
  /// surroundings that an edge has to stand out from
  int surroundings_px = 31;
  /// of the angle between an edge and a side that it belongs to: 28 degrees
  double along_cosine = 0.88;
  /// contrast (RGB) at which a step across a side is plain
  double plain_step = 20;
  /// weight of edges beyond the corners, where a real corner ends
  double extension_weight = 0.6;

  /// of every side, of an outline that is proposed
  double min_side_support = 0.3;
  /// mean of the sides, likewise
  double min_support = 0.5;
  /// of the diagonal: mean corner distance of outlines that are one
  double same_outline_share = 0.02;
  /// of the best form: what a wider outline needs
  double wider_form = 0.94;
  /// likewise where it is larger by an eighth or more
  double much_wider_form = 0.98;
  /// of the diagonal: how far one side may go outwards to another line
  double max_side_shift_share = 0.09;

  /// distance of colours (RGB) below which what a wider outline takes in may be the table
  double like_surroundings = 20;
  /// likewise, of the distance to the colours inside
  double like_surroundings_share = 0.35;

  /// confidence under which there is no object
  double min_confidence = 0.7;
  /// of the object, that its best frame has to show
  double min_coverage = 0.8;
  /// of the object, that a frame which counts shows
  double counted_coverage = 0.6;
  /// of the frames that are searched, which have to count; fewer where few are searched
  std::size_t min_views = 6;
  /// of the best frame's coverage, that the reference has to show
  double least_of_best_coverage = 0.98;
  /// of the diagonal: corners of two ways of finding that agree
  double agreeing_share = 0.012;

  /// Frames that have to show the object, of those that are searched.
  std::size_t EnoughViews(std::size_t searched) const {
    return std::min(min_views, (2 * searched + 2) / 3);
  }

  GLINT_PARAMS(self, visit) {
    visit("edges", self.edges);
    visit("min_segment_sobel", self.min_segment_sobel, 0, 5000);
    visit("segment_cosine", self.segment_cosine, 0, 1);
    visit("max_segment_rms_px", self.max_segment_rms_px, 0.1, 10);
    visit("min_segment_px", self.min_segment_px, 2, 1000);
    visit("collinear_px", self.collinear_px, 0.1, 100);
    visit("collinear_cosine", self.collinear_cosine, 0, 1);
    visit("max_lines", self.max_lines, 4, 1000);
    visit("min_area_share", self.min_area_share, 0, 1);
    visit("min_side_share", self.min_side_share, 0, 1);
    visit("features", self.features);
    visit("matches", self.matches);
    visit("max_frames", self.max_frames, 1, 64);
    visit("max_candidates", self.max_candidates, 1, 10000);
    visit("max_proposals", self.max_proposals, 1, 1000);
    visit("max_tracks", self.max_tracks, 1, 1000);
    visit("max_compared", self.max_compared, 1, 1000);
    visit("compared_frames", self.compared_frames, 1, 64);
    visit("min_edge_sobel", self.min_edge_sobel, 0, 5000);
    visit("min_edge_medians", self.min_edge_medians, 0, 100);
    visit("max_grain_sobel", self.max_grain_sobel, 0, 5000);
    visit("surroundings_px", self.surroundings_px, 3, 1000);
    visit("along_cosine", self.along_cosine, 0, 1);
    visit("plain_step", self.plain_step, 0.1, 442);
    VisitChoice(self, visit);
  }

 private:
  /// Those by which outlines are compared and judged.
  template <class Self, class Visitor>
  static void VisitChoice(Self& self, Visitor&& visit) {
    visit("extension_weight", self.extension_weight, 0, 1);
    visit("min_side_support", self.min_side_support, 0, 1);
    visit("min_support", self.min_support, 0, 1);
    visit("same_outline_share", self.same_outline_share, 0, 1);
    visit("wider_form", self.wider_form, 0, 10);
    visit("much_wider_form", self.much_wider_form, 0, 10);
    visit("max_side_shift_share", self.max_side_shift_share, 0, 1);
    visit("like_surroundings", self.like_surroundings, 0, 442);
    visit("like_surroundings_share", self.like_surroundings_share, 0, 10);
    visit("min_confidence", self.min_confidence, 0, 1);
    visit("min_coverage", self.min_coverage, 0, 1);
    visit("counted_coverage", self.counted_coverage, 0, 1);
    visit("min_views", self.min_views, 1, 64);
    visit("least_of_best_coverage", self.least_of_best_coverage, 0, 1);
    visit("agreeing_share", self.agreeing_share, 0, 1);
  }
};

}  // namespace glint
