// SPDX-License-Identifier: Apache-2.0
// The checks that the stages of `photometric`, of every backend, make on what they are given. All
// give OK, or INTERNAL with both shapes in the message.
#pragma once

#include <absl/status/status.h>

#include <span>
#include <string_view>

#include "glint/photometric_stages.h"

namespace glint::photometric {

/// Shortest side of views that the stages accept, pixels.
inline constexpr int kMinViewSide = 16;

/// The views are what PhotometricViews promises. @param where  the stage, for the message
absl::Status CheckViews(std::string_view where, const PhotometricViews& views, Device device);

/// There is one residual per view, of its size.
absl::Status CheckResiduals(std::string_view where, const PhotometricViews& views,
                            std::span<const StoredPlane> residuals, Device device);

/// The albedo has the size `size`.
absl::Status CheckAlbedo(std::string_view where, const Albedo& albedo, Size size, Device device);

/// The model gives every pixel a positive variance.
absl::Status CheckNoise(std::string_view where, const NoiseModel& noise);

/// The planes of the evidence have their types and one size.
absl::Status CheckEvidence(std::string_view where, const LineEvidence& evidence, Device device);

}  // namespace glint::photometric
