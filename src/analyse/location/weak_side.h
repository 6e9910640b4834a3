// SPDX-License-Identifier: Apache-2.0
// A side of an outline that its edges do not carry, looked for anew.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "analyse/location/outline_track.h"

namespace glint {

/// Which frames show an outline, and how it lies there.
struct OutlineViews {
  const SearchedClip& clip;
  const std::map<std::size_t, Homography>& motion;  ///< from the outline's frame to each frame
  const std::vector<std::size_t>& frames;           ///< of these, the ones to look at
};

/// Whether one side of an outline is weak and the others are not.
/// @param support  of its sides over the frames, 0..1
bool HasWeakSide(const std::array<double, 4>& support, const WeakSideParams& params);

/// The outline with its weakest side moved along its neighbours to where most edges are, in the
/// frames together: a side whose print is as dark as the shadow beside it has too few edges in any
/// single frame to be a line there, and a line of the table's grain stands in for it. Over the
/// frames only the object's own edges stay on the object.
/// @param corners  of an outline in its frame, small pixels
/// @param support  of its sides over the frames, 0..1
/// @return at most params.max_places, those with most edges first; none unless HasWeakSide
std::vector<Quadrilateral> SearchWeakSide(const OutlineViews& views, const Quadrilateral& corners,
                                          const std::array<double, 4>& support,
                                          const WeakSideParams& params);

}  // namespace glint
