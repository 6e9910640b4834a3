// SPDX-License-Identifier: Apache-2.0
// What the worker believes of what its child says: nothing that it has not checked itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "decode/planar_picture.h"
#include "decode/sandbox/wire.h"
#include "glint/video.h"

namespace glint::sandbox {

/// The VideoInfo that the message means; the child's words are only taken if they are ones that an
/// honest child could say under these limits. Nothing otherwise.
/// @param decode  what the child was asked to decode with
std::optional<VideoInfo> CheckedInfo(const Opened& opened, const VideoLimits& limits,
                                     DecodeMode decode);

/// A picture of `size` over the slot's bytes as the message describes it, with all that luma and
/// colour are made from. Nothing when any row would reach out of the slot, or when the layout is
/// none that a decoder gives.
/// @param keeper  what keeps the slot; goes with the picture
std::optional<PlanarPicture> CheckedPicture(const Frame& frame, Size size,
                                            std::span<std::uint8_t> slot,
                                            std::shared_ptr<const void> keeper);

}  // namespace glint::sandbox
