// SPDX-License-Identifier: Apache-2.0
// What kinds of object there are, and how much of their named parts is damaged.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// A named part of an object, in per cent of its width and height from the top left corner.
struct NamedArea {
  std::string_view name;  ///< also the stem of its pictures' file names
  int left = 0;
  int top = 0;
  int right = 100;
  int bottom = 100;

  /// Pixels of the part on an object of this size; at least one, inside the object.
  Rectangle On(Size size) const;
};

/// A kind of object.
struct ItemType {
  std::string_view name;  ///< the value of --item-type
  std::string_view help;  ///< one line for --help
  std::span<const NamedArea> areas;
  bool worn_corners = true;  ///< its corners can be worn down to pale paper
  bool printed = true;       ///< an object with an outline and print; else a bare surface
};

/// All item types, in the order of the documentation.
std::span<const ItemType> ItemTypes();

/// The item type of this name. Errors: INVALID_OPTION listing the names there are
absl::StatusOr<const ItemType*> FindItemType(std::string_view name);

/// Percentage of the seen pixels inside `box` that are marked; nothing when less than half of the
/// box was seen.
/// @param mask  kU8 on the host, 0 and 255
/// @param seen  kU8 on the host, size of `mask`: not 0 where the surface was visible
/// @param box   inside the planes, not empty
std::optional<double> DamagedPercent(const Plane& mask, const Plane& seen, const Rectangle& box);

/// The same over the whole surface.
std::optional<double> DamagedPercent(const Plane& mask, const Plane& seen);

/// DamagedPercent of every named part of an item type, in its order.
std::vector<NamedRegion> MeasureNamedRegions(const ItemType& type, const Plane& mask,
                                             const Plane& seen);

/// Percentage of the surface that is marked. @param mask  as above
double MarkedPercent(const Plane& mask);

/// Marked pixels per 100 of those in `among`; 0 when there are none. @param mask,among  as above
double MarkedPercent(const Plane& mask, const Plane& among);

/// Where both are marked: kU8 on the host, 0 and 255. @param a,b  as above
Plane Both(const Plane& a, const Plane& b);

/// Where nothing is marked: kU8 on the host, 0 and 255. @param mask  as above
Plane Unmarked(const Plane& mask);

}  // namespace glint
