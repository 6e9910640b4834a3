// SPDX-License-Identifier: Apache-2.0
// The outlines that ride on one motion, compared in all of its frames.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyse/location/outline_shapes.h"
#include "analyse/location/outline_track.h"

namespace glint {

struct ObjectTrack;

/// An outline in a track's reference frame, and what all frames say of it.
struct CarriedOutline {
  Quadrilateral corners{};      ///< small pixels of the reference frame
  std::size_t votes = 0;        ///< frames that propose it
  std::size_t foregrounds = 0;  ///< of those, the ones whose foreground it is
  double proposed = 0;          ///< the best score of those
  std::array<double, 4> support{};
  std::array<std::array<double, kSideSamples>, 4> found{};  ///< share of frames with an edge there
  std::array<double, 4> passed{};  ///< per side: how much of the object goes on beyond it, 0..1
  double plain_form = 0;           ///< `form`, whether a side is print or not
  double form = 0;                 ///< how well it looks like the outline of an object, 0..1
};

/// One motion and its best outline.
struct OutlineGroup {
  std::map<std::size_t, Homography> motion;  ///< from the reference frame to each frame
  std::vector<std::size_t> frames;           ///< in which outlines are compared
  CarriedOutline best;
  /// sides of outlines, in the reference frame, beyond which the object goes on: they are print
  std::vector<OutlineSide> printed;
  double rigid = 1;    ///< share of frames whose print fits the motion
  bool plain = false;  ///< too little print to say so
  /// sides of `best` have been moved out over print (printed_border.h, printed_strip.h)
  bool widened = false;
};

/// Brings the frames' proposals that lie where a track does into one frame, judges each in all
/// frames, and takes the outermost that looks like an outline there. Nothing when none does.
std::optional<OutlineGroup> FindOutermost(const SearchedClip& clip, const OutlineTrack& track,
                                          const ObjectSearchParams& params);

/// Moves each side of the group's outline that is another thing's, or a line of the table, in to a
/// side of the other groups' outlines: a group that shows the joint of two boards plainer than the
/// object's own side may know of no other outline.
/// @param others  of the same frames, or some of them; others are left out
void LeaveOutSurroundings(const SearchedClip& clip, std::span<const OutlineGroup* const> others,
                          const ObjectSearchParams& params, OutlineGroup& group);

/// Whether `outer` encloses `inner` in the frames that both have, is clearly larger, and has edges
/// where it is not the inner one.
bool IsAround(const SearchedClip& clip, const OutlineGroup& outer, const OutlineGroup& inner,
              const ObjectSearchParams& params);

/// Moves the group's outline out over a border of one colour and one width around it, whose outer
/// edge may be as dark and as brown as the table: what ends at four straight lines, equally far
/// from a panel and unlike what lies beyond, is no table, however little edge there is.
void AddEvenBorder(const SearchedClip& clip, PrintedBorderParams params, OutlineGroup& group);

/// Moves the group's outline out over strips of print along its sides.
void AddPrintedStrips(const SearchedClip& clip, const PrintedStripParams& params,
                      OutlineGroup& group);

/// The group's outline in every frame of its motion, and the frame that shows it best.
ObjectTrack ShowObject(const SearchedClip& clip, const OutlineGroup& group,
                       const ObjectSearchParams& params);

}  // namespace glint
