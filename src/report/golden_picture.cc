// SPDX-License-Identifier: Apache-2.0
#include "report/golden_picture.h"

#include <fmt/format.h>

#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"
#include "image/png.h"
#include "report/embedded_pictures.h"

namespace glint {
namespace {

constexpr int kPageSide = 960;  // pixels: enough to judge sharpness; up to 32 of them share a page
constexpr int kPageQuality = 80;

}  // namespace

absl::StatusOr<GoldenPicture> EncodeGoldenPicture(const Plane& rgb) {
  if (rgb.empty() || rgb.type() != PixelType::kU8x3 || !rgb.device().is_host()) {
    return Error(Reason::kInternal, fmt::format("a golden frame to report is {}", Describe(rgb)));
  }
  GLINT_ASSIGN_OR_RETURN(auto png, EncodePng(rgb));
  GLINT_ASSIGN_OR_RETURN(auto page_url, JpegUrl(rgb, kPageSide, kPageQuality));
  return GoldenPicture{std::move(png), std::move(page_url)};
}

}  // namespace glint
