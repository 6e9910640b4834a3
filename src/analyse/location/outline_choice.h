// SPDX-License-Identifier: Apache-2.0
// Which of the outlines that were followed is the object's.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyse/location/outline_track.h"
#include "base/thread_pool.h"

namespace glint {

/// An object in the frames that show it.
struct ObjectTrack {
  std::map<std::size_t, Quadrilateral> outlines;  ///< by frame (place in the clip), small pixels
  std::map<std::size_t, double> coverage;         ///< likewise: share of it in the picture
  std::map<std::size_t, double> shows;  ///< likewise: how well the frame would serve as reference
  std::size_t best = 0;                 ///< the frame that shows most of it, large and sharp
  double confidence = 0;                ///< 0..1 that these are the sides of one object
  bool plain = false;                   ///< too little print inside to follow it by that
  bool widened = false;                 ///< OutlineGroup::widened
};

/// The object among the outlines that were followed: straight sides that end at its corners, found
/// again in frame after frame, that part two colours and move by themselves; of those that move as
/// one the outermost. Nothing without outlines.
std::optional<ObjectTrack> ChooseObject(const SearchedClip& clip, std::vector<OutlineTrack> tracks,
                                        ThreadPool& pool, const ObjectSearchParams& params);

}  // namespace glint
