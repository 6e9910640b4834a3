// SPDX-License-Identifier: Apache-2.0
#include "decode/luma.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace glint {
namespace {

Plane Alias(const std::shared_ptr<const AVFrame>& frame) {
  auto* data = reinterpret_cast<std::byte*>(frame->data[0]);
  return {std::const_pointer_cast<AVFrame>(frame),
          data,
          SizeOf(*frame),
          PixelType::kU8,
          frame->linesize[0],
          {}};
}

// FullRangeLuma for 8-bit limited range, in 16-bit steps that compilers turn into vector code:
// v * 255 / 219 = v + v * 36 / 219, and 219 is odd, so adding 109 rounds to nearest.
void ExpandRow(const std::uint8_t* from, int count, std::uint8_t* to) {
  for (int x = 0; x < count; ++x) {
    const auto v = static_cast<std::uint16_t>(std::max<int>(from[x], 16) - 16);
    const auto more = static_cast<std::uint16_t>(static_cast<std::uint16_t>(v * 36 + 109) / 219);
    to[x] = static_cast<std::uint8_t>(std::min(v + more, 255));
  }
}

}  // namespace

const std::vector<std::uint8_t>& LumaMaker::Table(int depth, bool full_range) {
  if (table_.empty() || table_depth_ != depth || table_full_range_ != full_range) {
    table_.resize(std::size_t{1} << depth);
    for (int sample = 0; sample < 1 << depth; ++sample) {
      table_[static_cast<std::size_t>(sample)] = FullRangeLuma(sample, depth, full_range);
    }
    table_depth_ = depth;
    table_full_range_ = full_range;
  }
  return table_;
}

Plane LumaMaker::Make(const std::shared_ptr<const AVFrame>& frame, const PixelLayout& layout,
                      bool full_range) {
  const Size coded = SizeOf(*frame);
  const auto coded_row = [&](int y) {
    return frame->data[0] + std::ptrdiff_t{y} * frame->linesize[0];
  };
  const auto width = static_cast<std::size_t>(coded.width);
  if (layout.depth == 8 && full_range) {
    const bool shares = memory_ == Memory::kMayShare && orientation_.identity();
    if (shares && frame->linesize[0] >= coded.width) return Alias(frame);
    return MakeDisplayed(coded, PixelType::kU8, orientation_,
                         [&](int y, std::uint8_t* out) { std::memcpy(out, coded_row(y), width); });
  }
  if (layout.depth == 8) {
    return MakeDisplayed(coded, PixelType::kU8, orientation_, [&](int y, std::uint8_t* out) {
      ExpandRow(coded_row(y), coded.width, out);
    });
  }
  const std::uint8_t* table = Table(layout.depth, full_range).data();
  std::vector<std::uint16_t> samples(width);
  return MakeDisplayed(coded, PixelType::kU8, orientation_, [&](int y, std::uint8_t* out) {
    ReadRow(*frame, layout, 0, y, coded.width, samples.data());
    for (std::size_t x = 0; x < width; ++x) out[x] = table[samples[x]];
  });
}

}  // namespace glint
