// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "decode/luma.h"
#include "decode/orientation.h"
#include "decode/pixel_layout.h"
#include "glint/video.h"

namespace glint {

/// The colours of a frame: kU8x3, as displayed.
///
/// The matrix is the one the frame declares: BT.709, BT.2020, SMPTE 240M or FCC; anything else and
/// nothing mean BT.601 when the shorter side is at most 576 pixels or a BT.601 space is declared,
/// BT.709 otherwise. Chroma is interpolated linearly between the places of its samples: as the
/// frame declares, otherwise as MPEG-2 has them (level with the left luma column, between two luma
/// rows). Integers throughout: the same bytes on every machine.
Plane FrameToRgb(const AVFrame& frame, const PixelLayout& layout, bool full_range,
                 Orientation orientation);

/// A frame that stays in the decoder's memory.
class LibavPicture final : public RawPicture {
 public:
  LibavPicture(std::shared_ptr<const AVFrame> frame, const PixelLayout& layout, bool full_range,
               Orientation orientation)
      : frame_(std::move(frame)),
        layout_(layout),
        full_range_(full_range),
        orientation_(orientation) {}

  Plane ToRgb() const override { return FrameToRgb(*frame_, layout_, full_range_, orientation_); }
  Plane ToLuma() const override {
    return LumaMaker(orientation_).Make(frame_, layout_, full_range_);
  }

 private:
  std::shared_ptr<const AVFrame> frame_;
  PixelLayout layout_;
  bool full_range_;
  Orientation orientation_;
};

}  // namespace glint
