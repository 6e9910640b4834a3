// SPDX-License-Identifier: Apache-2.0
// Dots of bare paper amid print: specks of ink that broke off, too small to have a direction.
#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "base/params.h"
#include "base/thread_pool.h"

namespace glint::photometric {

/// What is a dot of paper. Object pixels.
struct PaperDotParams {
  using Distances = std::array<int, 2>;

  /// by which it is whiter than anything around
  GLINT_PARAM(double, min_grey, 1, 255) = 12;
  /// from its middle, where that is compared, all round
  GLINT_PARAM(Distances, around_px, 1, 20) = {3, 4};
  /// from what is around to paper, the part by which it is whiter
  GLINT_PARAM(double, min_lost_share, 0, 1) = 0.25;
  /// by which paper is whiter than what is around: on bare paper no ink can be lost
  GLINT_PARAM(double, min_ink_grey, 0, 255) = 40;
  /// by which any channel may be darker than what is around: ink that is gone leaves none of its
  /// own
  GLINT_PARAM(double, max_channel_drop, 0, 255) = 8;
  /// from the object's sides
  GLINT_PARAM(int, rim_px, 0, 100) = 6;
};

/// Finds dots of paper: each is the whitest pixel of its own.
/// @param colour     CV_8UC3, R, G, B: the object, the median of its views
/// @param whiteness  CV_8U, of that size: WhitenessOf
/// @param surface    CV_8U, of that size: not 0 where the object is looked at
/// @param paper      the whiteness of paper
/// @return row by row
std::vector<cv::Point> FindPaperDots(const cv::Mat& colour, const cv::Mat& whiteness,
                                     const cv::Mat& surface, int paper,
                                     const PaperDotParams& params, ThreadPool& pool);

/// Which dots a line goes on with. Object pixels.
struct DotRowParams {
  /// of a row from the line's end, to either side
  GLINT_PARAM(double, end_offset_px, 0, 20) = 2;
  /// by which it may be turned
  GLINT_PARAM(double, end_turn_deg, 0, 45) = 5;
  /// of a row
  GLINT_PARAM(double, max_length_px, 1, 1000) = 160;
  /// of a dot from it
  GLINT_PARAM(double, max_offset_px, 0.1, 20) = 1.5;
  /// between two that follow each other
  GLINT_PARAM(double, max_gap_px, 1, 1000) = 100;
  /// rows of so many dots that would go on with a line if all dots lay anywhere
  GLINT_PARAM(double, max_by_chance, 0, 10) = 0.0005;
  /// in a row
  GLINT_PARAM(int, min_dots, 1, 100) = 2;
  /// to either side of a row's middle, where dots are counted, and of the row, where no parallel
  /// may have as many: they are a pattern
  GLINT_PARAM(int, nearby_px, 10, 1000) = 100;
};

/// The row of dots that a line goes on with: of all straight rows ahead of its end, the one that
/// would least be there by chance, if dots lay anywhere, as dense as they are nearby or in all.
/// That is the number of false alarms of an a-contrario test (Desolneux, Moisan, Morel: Meaningful
/// Alignments, 2000), which asks more of a row the more rows there are to try.
/// @param tip   where the line ends, and where it points; its own length does not matter
/// @param size  of the object
/// @return from 0 to the last dot; nothing where no row is as rare as asked
std::optional<StraightLine> StretchOverDots(const StraightLine& tip,
                                            const std::vector<cv::Point>& dots, cv::Size size,
                                            const DotRowParams& params);

}  // namespace glint::photometric
