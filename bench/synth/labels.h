// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/synth/scene.h"
#include "bench/synth/synth.h"
#include "glint/plane.h"

namespace glint {

/// The true mask as it lies in one frame.
struct FrameMask {
  int frame = 0;
  bool steadiest = false;  ///< the frame with the least motion
  Plane ids;               ///< kU8, displayed size
};

/// The frames that get a mask: the first, the steadiest and the middle one, each once, in order.
std::vector<FrameMask> MaskFrames(const Scene& scene);

/// "<name>.mask_f0042.png"
std::string MaskFileName(const std::string& name, const FrameMask& mask);

/// The labels as JSON. Keys and meanings: docs/synth.md.
std::string LabelsJson(const SynthOptions& options, const std::string& name, const Scene& scene,
                       const std::vector<FrameMask>& masks);

}  // namespace glint
