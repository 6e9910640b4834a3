// SPDX-License-Identifier: Apache-2.0
// Masks as run lengths, exact to the pixel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "export/annotations.h"
#include "glint/plane.h"

namespace glint {

/// The lengths of runs in the whole picture, column by column, in turns of what is not marked and
/// what is, beginning with what is not: COCO's `counts`.
std::vector<std::int64_t> ColumnRuns(const Annotation& annotation, Size picture);

/// COCO's compressed form: from the fourth on the difference to the run two before, five bits a
/// character, the sixth says that more follow, from '0' on.
std::string CompressRuns(const std::vector<std::int64_t>& runs);

/// Likewise of the annotation's box, row by row: CVAT's `rle`.
std::vector<std::int64_t> RowRuns(const Annotation& annotation);

}  // namespace glint
