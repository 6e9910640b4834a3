// SPDX-License-Identifier: Apache-2.0
// From regions to what a person who collects wants to know.
#pragma once

#include <string>

#include "assess/naming.h"
#include "glint/assessment.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// What is looked at. Planes on the host, in object pixels.
struct AssessmentInput {
  const ScanReport& report;  ///< with its object, regions and percentages
  const Plane& labels;       ///< kS32: ids of regions
  const Plane& mask;         ///< kU8: what is marked
  const Plane& seen;         ///< kU8: not 0 where the surface was seen
  const Plane& picture;      ///< kU8x3: the median of the views, of detectors that look at views;
                             ///< empty: nothing is measured in it
  Surroundings around;       ///< likewise
  std::string size;          ///< ScanRequest::size
  ObjectSide side = ObjectSide::kFront;
};

/// Names every listed region, splits lines that cross, and sums up. Of the classic profile, which
/// marks ink too, there are no defects.
Assessment Assess(const AssessmentInput& input);

}  // namespace glint
