// SPDX-License-Identifier: Apache-2.0
// A strip of one colour that is printed along a side of an object: a comic's title bar.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>

#include "analyse/location/object_search_params.h"
#include "analyse/location/outline_track.h"

namespace glint {

/// The outline with each side moved out over a strip that is printed there. Where such a strip is
/// nearly as dark as the table, the picture beside it has the plainer edge by far; as both outlines
/// lie within a few pixels of each other, no frame proposes the object's own.
/// A strip ends at a straight edge in the frames together; it is coloured as what lies beyond it is
/// in no light; and it ends where the object does, its outer edge with it.
/// @param motion   from the outline's frame to each of `frames`
/// @param outline  small pixels
/// @return nothing where no side has such a strip
std::optional<Quadrilateral> WithPrintedStrips(const SearchedClip& clip,
                                               const std::map<std::size_t, Homography>& motion,
                                               std::span<const std::size_t> frames,
                                               const Quadrilateral& outline,
                                               const PrintedStripParams& params);

}  // namespace glint
