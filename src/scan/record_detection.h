// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyse/advice.h"
#include "analyse/detection.h"
#include "analyse/item_types.h"
#include "glint/object_side.h"
#include "glint/report.h"

namespace glint {

/// Moves what was found into the report and the pictures: regions, shares, layers, advice on the
/// light.
/// @param side  that is shown: the spine of the back lies on the right
void RecordDetection(Detection found, const ItemType& type, ObjectSide side,
                     const AdviceParams& params, ScanReport& report, ScanPictures& pictures);

}  // namespace glint
