// SPDX-License-Identifier: Apache-2.0
// The border of one colour that cards, photographs and pages have around what is printed on them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>

#include "analyse/location/object_search_params.h"
#include "analyse/location/outline_track.h"

namespace glint {

/// Whether a border runs around an outline, right inside of it: of one colour on all four sides
/// whatever light falls on it, about as wide everywhere, ended by straight edges of the print, and
/// unlike what lies outside. No table puts such a frame around a print; so where one does, the
/// outline is the object's rim, and one at the border's inner edge a printed panel, however much
/// plainer the panel's edges are.
/// @param motion   from the outline's frame to each of `frames`
/// @param outline  small pixels
bool HasPrintedBorder(const SearchedClip& clip, const std::map<std::size_t, Homography>& motion,
                      std::span<const std::size_t> frames, const Quadrilateral& outline,
                      const PrintedBorderParams& params);

/// Where the border ends that runs around a printed panel: the rim, in the panel's frame. Nothing
/// where too few of the frames show a border of one colour, about as wide on all four sides, that
/// ends at straight edges.
std::optional<Quadrilateral> RimAroundPanel(const SearchedClip& clip,
                                            const std::map<std::size_t, Homography>& motion,
                                            std::span<const std::size_t> frames,
                                            const Quadrilateral& panel,
                                            const PrintedBorderParams& params);

}  // namespace glint
