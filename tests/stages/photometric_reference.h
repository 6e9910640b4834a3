// SPDX-License-Identifier: Apache-2.0
// The stages of `photometric` as their definitions say, pixel by pixel: slow, and in 64 bits
// wherever the real ones rely on ranges. Only the float operations at one pixel are shared with
// them.
#pragma once

#include <vector>

#include "glint/photometric_stages.h"

namespace glint::photometric_reference {

Albedo MakeAlbedo(const PhotometricViews& views);
std::vector<Plane> MakeResiduals(const PhotometricViews& views, const Albedo& albedo);
Plane MakeMedianMagnitude(const PhotometricViews& views, const std::vector<Plane>& residuals);
LineEvidence MakeLineEvidence(const PhotometricViews& views, const std::vector<Plane>& residuals,
                              const Albedo& albedo, const NoiseModel& noise);
Plane MakeRidges(const LineEvidence& evidence, std::int32_t above_energy, std::int32_t above_point);

}  // namespace glint::photometric_reference
