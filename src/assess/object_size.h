// SPDX-License-Identifier: Apache-2.0
// How large the filmed object is in millimetres, as given or as usual for its type.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "glint/assessment.h"
#include "glint/plane.h"

namespace glint {

/// A size that many objects share.
struct SizePreset {
  std::string_view name;       ///< the value of --size
  std::string_view title;      ///< "trading card"
  double width_mm = 0;         ///< the shorter side
  double height_mm = 0;        ///< the longer one
  std::string_view item_type;  ///< assumed for this type; empty: for none
};

std::span<const SizePreset> SizePresets();

/// A size as people write it: "63x88mm", "6.3 x 8.8 cm", "2.5x3.5in", or a preset's name; width
/// first, though the object is laid over it so that the longer sides agree.
/// Errors: INVALID_OPTION saying what may be written
absl::StatusOr<ObjectScale> ParseObjectSize(std::string_view text);

/// The scale of an object: what was given, else what is usual for its type where that has the shape
/// of the object to within 6 %; nothing where neither is so.
/// @param given  what ParseObjectSize takes; empty: nothing
/// @param size   of the object in pixels
std::optional<ObjectScale> ScaleOf(std::string_view given, std::string_view item_type, Size size);

}  // namespace glint
