// SPDX-License-Identifier: Apache-2.0
#include "decode/pixel_layout.h"

#include <bit>
#include <cstring>

namespace glint {

static_assert(std::endian::native == std::endian::little, "samples are read as little-endian");

std::optional<PixelLayout> LayoutOf(AVPixelFormat format) {
  const AVPixFmtDescriptor* about = av_pix_fmt_desc_get(format);
  if (about == nullptr) return std::nullopt;
  constexpr std::uint64_t kRefused =
      AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
      AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
  if ((about->flags & kRefused) != 0) return std::nullopt;
  const AVComponentDescriptor& luma = about->comp[0];
  const int sample_bytes = luma.depth > 8 ? 2 : 1;
  if (luma.depth < 8 || luma.depth > 16 || luma.step != sample_bytes) return std::nullopt;
  PixelLayout layout{.components = {},
                     .depth = luma.depth,
                     .gray = about->nb_components < 3,
                     .chroma_shift_x = about->log2_chroma_w,
                     .chroma_shift_y = about->log2_chroma_h};
  for (int i = 0; i < (layout.gray ? 1 : 3); ++i) {
    const AVComponentDescriptor& c = about->comp[i];
    if (c.depth != luma.depth) return std::nullopt;
    layout.components[i] = {c.plane, c.step, c.offset, c.shift};
  }
  return layout;
}

void ReadRow(const AVFrame& frame, const PixelLayout& layout, int component, int y, int count,
             std::uint16_t* out) {
  const PixelLayout::Component& c = layout.components[component];
  const std::uint8_t* from =
      frame.data[c.plane] + std::ptrdiff_t{y} * frame.linesize[c.plane] + c.offset;
  if (layout.depth == 8) {
    for (int x = 0; x < count; ++x) out[x] = from[std::ptrdiff_t{x} * c.step];
    return;
  }
  const auto mask = static_cast<std::uint16_t>((1U << layout.depth) - 1);
  for (int x = 0; x < count; ++x) {
    std::uint16_t sample = 0;
    std::memcpy(&sample, from + std::ptrdiff_t{x} * c.step, sizeof sample);
    out[x] = static_cast<std::uint16_t>(sample >> c.shift) & mask;
  }
}

}  // namespace glint
