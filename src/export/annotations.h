// SPDX-License-Identifier: Apache-2.0
// A result as annotation tools take it: one mask for each defect.
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "glint/assessment.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// In which picture annotations lie.
enum class Coordinates {
  kObject,  ///< rectified.png, the object seen straight from above
  kFrame,   ///< the golden picture of the reference frame
};

/// What marks have no name from the assessment: those of `classic`, of results without one, and
/// regions beyond those that a report lists.
inline constexpr std::string_view kUnnamed = "damage";

/// One defect, or one region of which no defect is known.
struct Annotation {
  std::string_view category;     ///< Name(DefectName) or kUnnamed
  int region = 0;                ///< DefectRegion::id
  std::optional<Defect> defect;  ///< of the assessment; in object pixels whatever the picture
  std::optional<double> score;   ///< the region's confidence, else its strength, where it is listed
  Rectangle box;                 ///< of the mask, pixels of the picture
  Plane mask;                    ///< kU8, as large as `box`: 255 where it lies
  std::int64_t area_px = 0;      ///< pixels of the mask
};

/// A picture of a result with all that is marked in it.
struct AnnotatedPicture {
  std::string scan_id;
  std::string item_type;
  std::string file;  ///< where the picture lies, '/' between folders
  Size size;
  std::vector<Annotation> annotations;
};

/// What is made annotations of.
struct AnnotationInput {
  const ScanReport& report;
  const std::optional<Assessment>& assessment;
  const Plane& labels;  ///< kS32 on the host: ids of regions
};

/// Every marked pixel belongs to one annotation; of a region in which several defects cross, each
/// has those that are nearest to it. In a frame's picture a pixel belongs to what its centre shows.
/// @param folder  that the picture's file is said to lie in; empty: none
/// Errors: INPUT_UNREADABLE the report does not say how the object lies in its reference frame
absl::StatusOr<AnnotatedPicture> Annotate(const AnnotationInput& input, Coordinates coordinates,
                                          std::string_view folder = "");

/// All categories, in the order of their ids from 1.
std::vector<std::string_view> Categories();

}  // namespace glint
