// SPDX-License-Identifier: Apache-2.0
// The checks that every stage, of every backend, makes on what it is given. All give OK, or
// INTERNAL with both shapes in the message: whoever calls a stage has made a mistake, not who asked
// for a scan.
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "glint/plane.h"
#include "glint/stored_plane.h"

namespace glint {

/// Longest side that stages accept, pixels: coordinates in 1/1024 px then fit into 32 bits.
inline constexpr int kMaxSide = 1 << 20;

/// The plane has this type, lies on this device, and its sides are min_side..kMaxSide.
/// @param what  the argument, for the message: "edges: luma"
absl::Status CheckPlane(std::string_view what, const Plane& plane, PixelType type, Device device,
                        int min_side = 1);

/// Each plane passes CheckPlane and has the size of the first.
absl::Status CheckPlanes(std::string_view what, std::span<const Plane> planes, PixelType type,
                         Device device, int min_side = 1);
absl::Status CheckPlanes(std::string_view what, std::span<const StoredPlane> planes, PixelType type,
                         Device device, int min_side = 1);

/// What a stored plane is, without its pixels, for CheckPlane.
Plane ShapeOf(const StoredPlane& plane);

/// The pixels of the plane can be numbered with 31 bits.
absl::Status CheckNumbering(std::string_view what, const Plane& plane);

/// The sides of something to be made are 1..kMaxSide.
absl::Status CheckSize(std::string_view what, Size size);

/// Two spans that belong together have matching lengths.
absl::Status CheckCount(std::string_view what, std::size_t count, std::size_t needed);

}  // namespace glint
