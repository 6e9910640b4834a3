// SPDX-License-Identifier: Apache-2.0
// Straight lines that were looked for as such, and how they join the lines that are known.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/lines/line_paths.h"
#include "base/params.h"
#include "base/rounding.h"
#include "glint/plane.h"

namespace glint::photometric {

/// A straight line from `begin` to `end` px along a direction from a point. Object pixels.
struct StraightLine {
  double x = 0, y = 0;          ///< the point
  double cosine = 1, sine = 0;  ///< of the direction
  int begin = 0, end = 0;       ///< both are on the line

  /// A pixel of it, or of its parallel `across` px to the side.
  cv::Point At(int along, int across = 0) const {
    return {RoundToInt(x + along * cosine - across * sine),
            RoundToInt(y + along * sine + across * cosine)};
  }
  int length() const { return end - begin + 1; }
};

/// A line that was found.
struct FoundLine {
  StraightLine line;
  double score = 0;        ///< of the same meaning as `needed`
  double needed = 0;       ///< that was asked of it
  bool bare = false;       ///< LinePath::bare
  bool flanked = false;    ///< LinePath::flanked
  bool continues = false;  ///< the line before it: both are one
};

/// Leaves out lines of which more than a share lies near known ones.
/// @param near_px  to either side of these
std::vector<FoundLine> WithoutKnown(std::vector<FoundLine> found, const Lines& known, int near_px,
                                    double max_share);

/// Leaves out lines of which more than a share lies near ones before them.
/// @param found   the surest first
/// @param object  of which they are lines
std::vector<FoundLine> ApartFromSurer(std::vector<FoundLine> found, int near_px, double max_share,
                                      cv::Size object);

/// What of a found line is new.
struct AddedLineParams {
  /// around a line that is known, where nothing is added
  GLINT_PARAM(int, known_px, 0, 50) = 4;
  /// of a line, that is known: it ends where the evidence says
  GLINT_PARAM(double, max_known_share, 0, 1) = 0.3;
  /// of a line, that is left when what is known is taken off
  GLINT_PARAM(int, min_new_px, 1, 1000) = 10;
  /// of one of bare paper, that have a known line near: it is of that paper, too; more than those
  /// of one that only crosses it
  GLINT_PARAM(int, min_bare_px, 1, 1000) = 12;
  /// of one with flanks, that has a known line near: it is that one, and its ridge need not be seen
  GLINT_PARAM(double, min_flanked_share, 0, 1) = 0.7;
  /// across, from one with flanks to a known line beside so much of it that it is one of that one's
  /// flanks, unless it is of bare paper: nothing is added
  GLINT_PARAM(int, flank_px, 0, 50) = 12;
};

/// Adds lines to those that are known, one by one, each without what is known by then; one that is
/// a flank of a known line is left out. Known lines that run along one of bare paper become bare
/// themselves, those that run with one that has flanks have them.
/// @param found   the surest first
/// @param energy  kS32 on the host, 1/kEnergyUnit
/// @return all lines; `mask` is set where those are that were added
Lines AddFoundLines(Lines lines, const std::vector<FoundLine>& found, const Plane& energy,
                    const AddedLineParams& params);

}  // namespace glint::photometric
