// SPDX-License-Identifier: Apache-2.0
// Whether paths that hardly have the evidence of a line answer to the light as lines do.
#pragma once

#include "analyse/photometric/evidence/line_response.h"
#include "analyse/photometric/lines/line_paths.h"
#include "analyse/photometric/lines/print_along.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Which paths are asked, and what of them. Object pixels.
struct FaintPathParams {
  /// of the score that it needed, a path's own: one with more is a line
  GLINT_PARAM(double, sure_score_share, 1, 100) = 1.15;
  /// LinePath::peak: one with more is a line, too
  GLINT_PARAM(double, sure_peak, 0, 1000) = 3.3;
  /// of the straight pieces that a path is cut into, about
  GLINT_PARAM(int, piece_px, 8, 500) = 40;
  /// of a path on its ridge, in a piece: with fewer it says nothing
  GLINT_PARAM(int, min_piece_pixels, 2, 500) = 8;
  /// across, to either side of a piece, where its response is looked for
  GLINT_PARAM(int, bend_px, 0, 20) = 3;
  /// to either side: the lines that a piece is compared with
  GLINT_PARAM(int, beside_px, 10, 500) = 40;
  /// of the pieces of a line, on average, LineResponse
  GLINT_PARAM(double, min_score, 0, 100) = 2.3;
  /// of a piece that print runs with more is asked: it moves a little with a wave of the sheet
  GLINT_PARAM(PrintAlongParams, print) = {.print_cost = 0.6};
};

/// Leaves out faint paths that answer to the light no more than what lies beside them. The evidence
/// of a path is that of its own pixels, over all views at once: where a highlight passes over the
/// waves of a coat it has ridges, too, and so has what lies beside it, in those very views.
/// @param lines     not drawn yet: without `mask`
/// @param response  of the views
/// @param albedo    kS16 on the host, 1/64 grey
Lines LeaveOutUnlit(Lines lines, const LineResponse& response, const Plane& albedo,
                    const FaintPathParams& params, ThreadPool& pool);

}  // namespace glint::photometric
