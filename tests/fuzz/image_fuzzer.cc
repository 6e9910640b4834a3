// SPDX-License-Identifier: Apache-2.0
// Any bytes as a PNG or JPEG file, as references are read in the worker's own process: refused, or
// a picture within the limit, every byte of which is there. The first byte says which decoder reads
// the rest.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "image/jpeg.h"
#include "image/png.h"

namespace {

using namespace glint;

constexpr std::int64_t kMaxPixels = 1 << 20;

/// Reads every value of it: the sanitizer sees those that are not there.
template <class Value>
void Use(const absl::StatusOr<Plane>& picture) {
  if (!picture.ok()) return;
  if (picture->size().area() > kMaxPixels) std::abort();
  const int values = picture->width() * BytesPerPixel(picture->type()) / int{sizeof(Value)};
  std::int64_t sum = 0;
  for (int y = 0; y < picture->height(); ++y) {
    const auto* row = picture->Row<Value>(y);
    for (int x = 0; x < values; ++x) sum += row[x];
  }
  if (sum < 0) std::abort();  // so that nothing is left out
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto file = std::as_bytes(std::span(data, size)).subspan(1);
  switch (data[0] % 3) {
    case 0:
      Use<std::uint8_t>(DecodePng(file, kMaxPixels));
      break;
    case 1:
      Use<std::int32_t>(DecodeLabelPng(file, kMaxPixels));
      break;
    default:
      Use<std::uint8_t>(DecodeJpeg(file, kMaxPixels));
  }
  return 0;
}
