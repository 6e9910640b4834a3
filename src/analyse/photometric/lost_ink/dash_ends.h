// SPDX-License-Identifier: Apache-2.0
// What a line goes on with beyond its ends: dashes of bare paper that it points at.
#pragma once

#include <optional>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lost_ink/dash_row_params.h"
#include "analyse/photometric/lost_ink/paper_dashes.h"

namespace glint::photometric {

/// Follows a row beyond one of its ends, one dash after the other: over paper on which there is no
/// ink to lose, round a slight bend, and over ink where hardly a dash would lie there by chance,
/// the number of false alarms of an a-contrario test (Desolneux, Moisan, Morel: Meaningful
/// Alignments, International Journal of Computer Vision 2000).
/// @param sign       -1: beyond its beginning; 1: beyond its end
/// @param stretches  gets those that it goes on with; each is otherwise as the row
/// @return the score of the dashes that hardly lie there by chance, px
double GoOnWithDashes(const FoundLine& row, int sign, const PaperDashes& paper,
                      const DashRowParams& params, std::vector<FoundLine>& stretches);

/// What a line goes on with that was found by other means: the stretch from its end to that of the
/// nearest dash before it, if hardly a dash would lie there by chance.
/// @param tip  where it ends, and where it points; its own length does not matter
/// @return from 0 on; nothing where there is no such dash
std::optional<StraightLine> StretchToDash(const StraightLine& tip, const PaperDashes& paper,
                                          const DashRowParams& params);

}  // namespace glint::photometric
