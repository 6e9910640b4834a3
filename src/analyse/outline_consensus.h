// SPDX-License-Identifier: Apache-2.0
// One outline out of what several frames say.
#pragma once

#include <absl/status/status.h>

#include <optional>
#include <span>
#include <vector>

#include "analyse/outline_refine.h"
#include "base/params.h"
#include "glint/plane.h"
#include "glint/report.h"
#include "glint/stages.h"

namespace glint {

/// When the outlines of several frames are one.
struct ConsensusParams {
  /// of the diagonal: mean corner distance of one outline
  GLINT_PARAM(double, same_outline_share, 0.0001, 1) = 0.015;
  /// frame pixels that a corner may lie outside and still be seen
  GLINT_PARAM(double, in_view_px, 0, 1000) = 2;
  /// of a fitted side that counts
  GLINT_PARAM(double, min_side_support, 0, 1) = 0.4;
  /// of the diagonal: sides of several frames that agree
  GLINT_PARAM(double, near_median_share, 0, 1) = 0.004;
};

/// What one frame proposes, in its own pixels.
struct OutlineProposal {
  Quadrilateral corners{};  ///< as Ordered leaves them
  double support = 0;       ///< 0..1
};

/// One frame's proposals, and how it lies to the reference frame.
struct ProposingFrame {
  Size size;
  std::optional<Homography> from_reference;  ///< reference pixels to this frame's, if known
  std::vector<OutlineProposal> proposals;
};

/// The outline that most of the frames which show it propose.
struct ConsensusOutline {
  Quadrilateral corners{};  ///< pixels of the reference frame, where it may reach outside
  double support = 0;       ///< mean over the frames that show it, 0 where it was not proposed
};

/// @param frames  the reference first; those without from_reference take no part
/// Nothing when no frame proposes anything.
std::optional<ConsensusOutline> FindConsensusOutline(std::span<const ProposingFrame> frames,
                                                     const ConsensusParams& params = {});

/// The same outline fitted in one frame, in pixels of the reference frame.
struct FittedOutline {
  Quadrilateral corners{};
  std::array<double, 4> support{};  ///< per side, as of RefinedOutline
};

/// Joins the fits side by side: the first frame's side where it has enough support and lies near
/// the median of the frames that see the side, their median otherwise.
/// @param outline  the agreed one; a side that no frame could fit stays there
/// @param fits     the reference's first
Quadrilateral JoinFits(const Quadrilateral& outline, std::span<const FittedOutline> fits,
                       const ConsensusParams& params = {});

}  // namespace glint
