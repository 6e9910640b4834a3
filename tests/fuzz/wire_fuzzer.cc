// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message of the decoder child: a message that writes the same bytes again, or
// nothing; and what it says of a video or frame is refused, or lies within the limits and the slot.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "decode/luma.h"
#include "decode/rgb.h"
#include "decode/sandbox/frame_check.h"
#include "decode/sandbox/wire.h"

namespace {

using namespace glint;
using namespace glint::sandbox;

void Require(bool holds) {
  if (!holds) std::abort();
}

// Reads every byte that the frame refers to: the sanitizer sees those outside the slot.
void Use(const Frame& frame) {
  std::vector<std::uint8_t> slot(8192);
  const auto picture = CheckedPicture(frame, {32, 32}, slot, nullptr);
  if (!picture) return;
  Require(PictureToLuma(*picture, {}).size() == Size{32, 32});
  Require(PictureToRgb(*picture, {}).size() == Size{32, 32});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  if (const auto message = ParseChildMessage(bytes)) {
    const std::vector<std::uint8_t> again = Serialise(*message);
    Require(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()));
    if (const auto* frame = std::get_if<Frame>(&*message)) Use(*frame);
    const auto* opened = std::get_if<Opened>(&*message);
    const auto info = opened ? CheckedInfo(*opened, {}, DecodeMode::kAuto) : std::nullopt;
    if (info) Require(info->coded_size.area() <= VideoLimits().max_pixels);
  }
  return 0;
}
