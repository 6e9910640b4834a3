// SPDX-License-Identifier: Apache-2.0
#include "report/embedded_pictures.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "glint/error.h"
#include "image/jpeg.h"
#include "image/png.h"
#include "image/shrink.h"
#include "report/html_text.h"
#include "report/overlay.h"
#include "report/pictures.h"

namespace glint {
namespace {

constexpr int kHeatmapSide = 800;  // it is smooth

absl::StatusOr<std::string> AsPng(const Plane& plane, int max_side) {
  GLINT_ASSIGN_OR_RETURN(const auto file, EncodePng(ShrinkToFit(plane, max_side)));
  return DataUrl(file, "image/png");
}

bool MarksAnything(const Plane& mask) {
  for (int y = 0; y < mask.height(); ++y) {
    const auto* row = mask.Row<std::uint8_t>(y);
    if (std::any_of(row, row + mask.width(), [](std::uint8_t value) { return value != 0; })) {
      return true;
    }
  }
  return false;
}

/// The mask without what `colour` shows.
Plane WithoutColour(const ScanPictures& pictures) {
  const Plane colour = ColourOnly(pictures);
  if (colour.empty()) return pictures.mask;
  Plane mask = Plane::Host(colour.size(), PixelType::kU8);
  for (int y = 0; y < mask.height(); ++y) {
    const auto *all = pictures.mask.Row<std::uint8_t>(y), *left = colour.Row<std::uint8_t>(y);
    auto* out = mask.Row<std::uint8_t>(y);
    for (int x = 0; x < mask.width(); ++x) out[x] = left[x] != 0 ? 0 : all[x];
  }
  return mask;
}

}  // namespace

absl::StatusOr<std::string> JpegUrl(const Plane& plane, int max_side, int quality) {
  GLINT_ASSIGN_OR_RETURN(const auto file, EncodeJpeg(ShrinkToFit(plane, max_side), quality));
  return DataUrl(file, "image/jpeg");
}

absl::StatusOr<EmbeddedPictures> EmbedPictures(const ScanPictures& pictures, bool median,
                                               ThreadPool& pool, int object_side) {
  GLINT_RETURN_IF_ERROR(CheckPictures(pictures));
  EmbeddedPictures out;
  out.median = median;
  std::vector<std::function<absl::StatusOr<std::string>()>> encode;
  std::vector<std::string*> urls;
  if (!pictures.rectified.empty()) {
    encode = {
        [&] { return JpegUrl(median ? pictures.median : pictures.rectified, object_side, 85); },
        [&] { return AsPng(WithoutColour(pictures), object_side); },
        [&] { return JpegUrl(DrawHeatmap(pictures.score), kHeatmapSide, 85); }};
    urls = {&out.rectified, &out.mask, &out.heatmap};
    if (!pictures.good_copy.empty()) {
      encode.emplace_back([&] { return AsPng(ColourOnly(pictures), object_side); });
      encode.emplace_back([&] { return JpegUrl(pictures.good_copy, object_side, 85); });
      urls.insert(urls.end(), {&out.colour, &out.good_copy});
    }
    for (const auto& [name, url] :
         {std::pair(kUnknownLayer, &out.unknown), std::pair(kGlareLayer, &out.glare)}) {
      const Plane layer = Layer(pictures, name);
      if (!MarksAnything(layer)) continue;
      encode.emplace_back([layer, object_side] { return AsPng(layer, object_side); });
      urls.push_back(url);
    }
  }
  std::vector<absl::Status> failures(encode.size());
  pool.ParallelFor(static_cast<std::int64_t>(encode.size()), [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    auto url = encode[index]();
    failures[index] = url.status();
    if (url.ok()) *urls[index] = *std::move(url);
  });
  for (const absl::Status& failure : failures) {
    GLINT_RETURN_IF_ERROR(failure);
  }
  return out;
}

}  // namespace glint
