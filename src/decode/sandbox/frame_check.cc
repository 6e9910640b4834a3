// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/frame_check.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace glint::sandbox {
namespace {

/// Whether rows of this many bytes lie within the slot, at any stride.
bool RowsFit(std::int64_t offset, std::int64_t stride, int rows, std::int64_t row_bytes,
             std::size_t slot_bytes) {
  const std::int64_t room = static_cast<std::int64_t>(slot_bytes) - row_bytes;
  if (rows < 1 || row_bytes < 1 || offset > room) return false;
  const std::int64_t last = offset + stride * (rows - 1);  // both below 2^31: no overflow
  return last >= 0 && last <= room;
}

/// Whether the layout is one by which samples can be read; luma has a plane of its own.
bool IsSound(const PixelLayout& layout) {
  const PixelLayout::Component& luma = layout.components[0];
  if (luma.plane != 0 || luma.offset != 0 || luma.step != layout.sample_bytes()) return false;
  return std::ranges::all_of(layout.components, [&](const PixelLayout::Component& c) {
    return c.shift + layout.depth <= 8 * layout.sample_bytes();
  });
}

/// Whether the planes that luma and colour are read from lie within the slot.
bool PlanesFit(const Frame& frame, Size size, std::size_t slot_bytes) {
  for (int i = 0; i < frame.layout.count(); ++i) {
    const auto at =
        static_cast<std::size_t>(frame.layout.components[static_cast<std::size_t>(i)].plane);
    if (!RowsFit(frame.offset[at], frame.stride[at], frame.layout.SizeOf(i, size).height,
                 frame.layout.RowBytes(i, size), slot_bytes)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<VideoInfo> CheckedInfo(const Opened& opened, const VideoLimits& limits,
                                     DecodeMode decode) {
  constexpr std::array<std::string_view, 3> kContainers = {"mov,mp4,m4a,3gp,3g2,mj2",
                                                           "matroska,webm", "avi"};
  const bool believable =
      std::ranges::find(kContainers, opened.container) != kContainers.end() &&
      std::ranges::find(kCodecs, opened.codec) != kCodecs.end() &&
      IsReadablePixelFormat(opened.pixel_format) && opened.coded_size.area() <= limits.max_pixels &&
      std::max(opened.coded_size.width, opened.coded_size.height) <= limits.max_side &&
      std::min(opened.coded_size.width, opened.coded_size.height) >= limits.min_side &&
      opened.frames <= limits.max_frames && opened.duration_s <= limits.max_duration_s &&
      (opened.decoder == "cpu" || (opened.decoder == "nvdec" && decode == DecodeMode::kNvdec));
  if (!believable) return std::nullopt;
  return VideoInfo{.container = opened.container,
                   .codec = opened.codec,
                   .pixel_format = opened.pixel_format,
                   .coded_size = opened.coded_size,
                   .size = opened.orientation.Displayed(opened.coded_size),
                   .rotation = opened.orientation.degrees_clockwise(),
                   .frames = opened.frames,
                   .duration_s = opened.duration_s,
                   .frames_per_s = opened.frames_per_s,
                   .bit_depth = opened.bit_depth,
                   .full_range = opened.full_range,
                   .decoder = opened.decoder,
                   .decoder_why = opened.decoder_why};
}

std::optional<PlanarPicture> CheckedPicture(const Frame& frame, Size size,
                                            std::span<std::uint8_t> slot,
                                            std::shared_ptr<const void> keeper) {
  if (!IsSound(frame.layout) || !PlanesFit(frame, size, slot.size())) return std::nullopt;
  PlanarPicture picture{.size = size,
                        .layout = frame.layout,
                        .matrix = frame.matrix,
                        .chroma_site = frame.chroma_site,
                        .full_range = frame.full_range,
                        .memory = std::move(keeper)};
  for (int i = 0; i < frame.layout.count(); ++i) {
    const auto at =
        static_cast<std::size_t>(frame.layout.components[static_cast<std::size_t>(i)].plane);
    picture.data[at] = slot.data() + frame.offset[at];
    picture.stride[at] = static_cast<std::ptrdiff_t>(frame.stride[at]);
  }
  return picture;
}

}  // namespace glint::sandbox
