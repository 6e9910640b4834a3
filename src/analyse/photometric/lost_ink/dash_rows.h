// SPDX-License-Identifier: Apache-2.0
// Rows of dashes: what a crease or a scratch leaves where it breaks the ink here and there.
#pragma once

#include <functional>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lost_ink/dash_row_params.h"
#include "analyse/photometric/lost_ink/paper_dashes.h"

namespace glint::photometric {

/// Finds straight rows of dashes: first those of any dashes whose evidence is enough (their
/// score is that of their dashes); then those of plain dashes that are long, each dash weighed
/// by its contrast, if they are believed (their score is that length): two of the print that happen
/// to lie on one line are short or faint. A row goes on beyond its ends with what it points at,
/// over paper on which there is no ink to lose, and round a slight bend; the dashes there count for
/// the length, too, where they hardly lie there by chance: the number of false alarms of an
/// a-contrario test (Desolneux, Moisan, Morel: Meaningful Alignments, International Journal of
/// Computer Vision 2000).
/// @param believe  whether a long row is one
/// @return what each goes on with right behind it; no two of a kind share more than one dash
std::vector<FoundLine> FindDashRows(
    const PaperDashes& paper, const DashRowParams& params,
    const std::function<bool(const FoundLine&)>& believe = [](const FoundLine&) { return true; });

}  // namespace glint::photometric
