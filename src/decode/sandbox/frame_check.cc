// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/frame_check.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "decode/decoders.h"
#include "decode/pixel_layout.h"

extern "C" {
#include <libavutil/imgutils.h>
}

namespace glint::sandbox {
namespace {

/// Whether rows of this many bytes lie within the slot, at any stride.
bool RowsFit(std::int64_t offset, std::int64_t stride, int rows, int row_bytes,
             std::size_t slot_bytes) {
  const std::int64_t room = static_cast<std::int64_t>(slot_bytes) - row_bytes;
  if (rows < 1 || row_bytes < 1 || offset > room) return false;
  const std::int64_t last = offset + stride * (rows - 1);  // both below 2^31: no overflow
  return last >= 0 && last <= room;
}

/// Whether the planes that luma and colour are read from lie within the slot.
bool PlanesFit(const Frame& frame, const PixelLayout& layout, Size size, std::size_t slot_bytes) {
  const auto format = static_cast<AVPixelFormat>(frame.pixel_format);
  for (int i = 0; i < (layout.gray ? 1 : 3); ++i) {
    const int plane = layout.components[static_cast<std::size_t>(i)].plane;
    const int shift = i == 0 ? 0 : layout.chroma_shift_y;
    const int rows = AV_CEIL_RSHIFT(size.height, shift);
    const int row_bytes = av_image_get_linesize(format, size.width, plane);
    const auto at = static_cast<std::size_t>(plane);
    if (!RowsFit(frame.offset[at], frame.stride[at], rows, row_bytes, slot_bytes)) return false;
  }
  return true;
}

}  // namespace

std::optional<VideoInfo> CheckedInfo(const Opened& opened, const VideoLimits& limits,
                                     DecodeMode decode) {
  constexpr std::array<std::string_view, 3> kContainers = {"mov,mp4,m4a,3gp,3g2,mj2",
                                                           "matroska,webm", "avi"};
  const AVPixelFormat format = av_get_pix_fmt(opened.pixel_format.c_str());
  const auto layout = LayoutOf(format);
  const auto decoders = Decoders();
  const bool believable =
      std::ranges::find(kContainers, opened.container) != kContainers.end() &&
      std::ranges::find(decoders, opened.codec, &DecoderInfo::codec) != decoders.end() && layout &&
      opened.coded_size.area() <= limits.max_pixels &&
      std::min(opened.coded_size.width, opened.coded_size.height) >= limits.min_side &&
      opened.frames <= limits.max_frames && opened.duration_s <= limits.max_duration_s &&
      (opened.decoder == "cpu" || (opened.decoder == "nvdec" && decode == DecodeMode::kNvdec));
  if (!believable) return std::nullopt;
  return VideoInfo{.container = opened.container,
                   .codec = opened.codec,
                   .pixel_format = av_get_pix_fmt_name(format),
                   .coded_size = opened.coded_size,
                   .size = opened.orientation.Displayed(opened.coded_size),
                   .rotation = opened.orientation.degrees_clockwise(),
                   .frames = opened.frames,
                   .duration_s = opened.duration_s,
                   .frames_per_s = opened.frames_per_s,
                   .bit_depth = layout->depth,
                   .full_range = opened.full_range,
                   .decoder = opened.decoder,
                   .decoder_why = opened.decoder_why};
}

std::shared_ptr<AVFrame> CheckedFrame(const Frame& frame, Size size, std::span<std::uint8_t> slot,
                                      std::shared_ptr<void> keeper) {
  // A number that is none of the enum's must not become one.
  if (frame.pixel_format < 0 || frame.pixel_format >= AV_PIX_FMT_NB) return nullptr;
  const auto layout = LayoutOf(static_cast<AVPixelFormat>(frame.pixel_format));
  if (!layout || frame.color_space >= AVCOL_SPC_NB || frame.chroma_location >= AVCHROMA_LOC_NB ||
      !PlanesFit(frame, *layout, size, slot.size())) {
    return nullptr;
  }
  // No AVBuffer goes with the view: nothing of libav may free or keep these bytes.
  FramePtr owned = NewFrame();
  AVFrame* view = owned.release();
  std::shared_ptr<AVFrame> checked(
      view, [kept = std::move(keeper)](AVFrame* unused) { av_frame_free(&unused); });
  view->format = frame.pixel_format;
  view->width = size.width;
  view->height = size.height;
  view->colorspace = static_cast<AVColorSpace>(frame.color_space);
  view->chroma_location = static_cast<AVChromaLocation>(frame.chroma_location);
  for (const PixelLayout::Component& component : layout->components) {
    const auto at = static_cast<std::size_t>(component.plane);
    view->data[at] = slot.data() + frame.offset[at];
    view->linesize[at] = static_cast<int>(frame.stride[at]);
  }
  return checked;
}

}  // namespace glint::sandbox
