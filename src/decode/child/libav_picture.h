// SPDX-License-Identifier: Apache-2.0
// Pictures and streams of FFmpeg, in glint's own words.
#pragma once

#include <memory>
#include <optional>

#include "decode/child/libav.h"
#include "decode/orientation.h"
#include "decode/planar_picture.h"

namespace glint {

/// The coded size of a frame.
inline Size SizeOf(const AVFrame& frame) { return {frame.width, frame.height}; }

/// The layout of a pixel format, or nothing when glint does not read it (IsReadablePixelFormat).
std::optional<PixelLayout> LayoutOf(AVPixelFormat format);

/// A frame of a format that has a layout, its memory with it.
PlanarPicture PictureOf(const std::shared_ptr<const AVFrame>& frame, bool full_range);

/// The display matrix of a stream; none is the identity.
DisplayMatrix DisplayMatrixOf(const AVStream& stream);

}  // namespace glint
