// SPDX-License-Identifier: Apache-2.0
// One outline out of what several frames say.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analyse/outline_params.h"
#include "analyse/outline_refine.h"
#include "glint/plane.h"
#include "glint/report.h"
#include "glint/stages.h"

namespace glint {

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
