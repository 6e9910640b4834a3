// SPDX-License-Identifier: Apache-2.0
#include "report/golden_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"
#include "image/png.h"
#include "report/embedded_pictures.h"

namespace glint {
namespace {

constexpr int kPageSide = 960;  // pixels: enough to judge sharpness
constexpr double kInFull = 4;   // so many may be as large; more share the pixels of these
constexpr int kPageQuality = 80;

int PageSide(std::size_t pictures) {
  const double share = std::min(1.0, kInFull / static_cast<double>(pictures));
  return static_cast<int>(kPageSide * std::sqrt(share));
}

}  // namespace

absl::StatusOr<GoldenPicture> EncodeGoldenPicture(const Plane& rgb, std::size_t pictures) {
  if (rgb.empty() || rgb.type() != PixelType::kU8x3 || !rgb.device().is_host()) {
    return Error(Reason::kInternal, fmt::format("a golden frame to report is {}", Describe(rgb)));
  }
  GLINT_ASSIGN_OR_RETURN(auto png, EncodePng(rgb));
  GLINT_ASSIGN_OR_RETURN(auto page_url, JpegUrl(rgb, PageSide(pictures), kPageQuality));
  return GoldenPicture{std::move(png), std::move(page_url)};
}

}  // namespace glint
