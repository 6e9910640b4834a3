// SPDX-License-Identifier: Apache-2.0
// What kinds of object there are.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string_view>

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

}  // namespace glint
