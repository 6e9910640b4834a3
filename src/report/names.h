// SPDX-License-Identifier: Apache-2.0
// What enums and pictures are called in everything that a scan leaves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "glint/report.h"

namespace glint {

/// "scanned", "no_usable_frames", "not_judged"
std::string_view Name(ScanOutcome outcome);

/// "no_object", "object_outside", "few_views", "still_light", "poor_registration"
std::string_view Name(NotJudgedCause cause);

/// "line", "spot", "edge_loss", "area", "stain", "fading"
std::string_view Name(RegionKind kind);

/// "golden_01.png" for the first golden frame. @param place  from 0, in the order of the report
std::string GoldenPictureName(std::size_t place);

}  // namespace glint
