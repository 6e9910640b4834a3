// SPDX-License-Identifier: Apache-2.0
#include "scan/close_ups.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "analyse/quadrilateral.h"
#include "analyse/rectify.h"
#include "base/status_macros.h"
#include "report/embedded_pictures.h"

namespace glint {
namespace {

constexpr int kLargestPicture = 640;  // pixels
constexpr int kQuality = 85;
constexpr int kSteps = 8;  // places tried along a close-up's side

/// How many pixels of a region lie in rectangles.
class PixelSums {
 public:
  PixelSums(const DefectRegion& region, const Plane& labels)
      : box_(region.box), sums_(Index(box_.width, box_.height) + 1) {
    for (int y = 0; y < box_.height; ++y) {
      const auto* ids = labels.Row<std::int32_t>(box_.y + y) + box_.x;
      std::int32_t in_row = 0;
      for (int x = 0; x < box_.width; ++x) {
        in_row += ids[x] == region.id ? 1 : 0;
        sums_[Index(x + 1, y + 1)] = sums_[Index(x + 1, y)] + in_row;
      }
    }
  }

  /// In the square at (x, y) of the region's box.
  std::int32_t In(int x, int y, int side) const {
    const int right = std::min(x + side, box_.width), bottom = std::min(y + side, box_.height);
    return sums_[Index(right, bottom)] - sums_[Index(x, bottom)] - sums_[Index(right, y)] +
           sums_[Index(x, y)];
  }

 private:
  std::size_t Index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(box_.width + 1) +
           static_cast<std::size_t>(x);
  }

  Rectangle box_;
  std::vector<std::int32_t> sums_;
};

/// Where a close-up begins along one side: `middle` in its middle if the object allows.
int Begin(int middle, int side, int object) {
  const int beyond = side / 6;
  return std::clamp(middle - side / 2, -beyond, std::max(-beyond, object + beyond - side));
}

absl::StatusOr<Plane> Cut(const Plane& frame, const Homography& frame_from_object,
                          const Rectangle& box, StageSet& stages) {
  const Point middle{box.x + box.width / 2.0, box.y + box.height / 2.0};
  const Point at = Map(frame_from_object, middle);
  const double scale = std::max(Distance(at, Map(frame_from_object, middle + Point{1, 0})),
                                Distance(at, Map(frame_from_object, middle + Point{0, 1})));
  const int side = static_cast<int>(
      std::lround(std::clamp<double>(std::ceil(box.width * scale), 16, kLargestPicture)));
  const double step = static_cast<double>(box.width) / side;
  const double first = (step - 1) / 2;  // pixels are squares around their centres
  auto cut = Rectify(
      frame, Compose(frame_from_object, {step, 0, box.x + first, 0, step, box.y + first, 0, 0, 1}),
      {side, side}, stages);
  return cut.ok() ? stages.backend->Download(*cut) : cut;
}

}  // namespace

Rectangle CloseUpBox(const DefectRegion& region, const Plane& labels) {
  const int longer = std::max(labels.width(), labels.height());
  const Rectangle& box = region.box;
  const int extent = std::max(box.width, box.height);
  const int side =
      std::clamp(extent + extent / 2, std::max(longer / 8, 1), std::max(longer * 2 / 7, 1));
  Point middle{box.x + box.width / 2.0, box.y + box.height / 2.0};
  if (extent > side) {
    const PixelSums sums(region, labels);
    const int step = std::max(1, side / kSteps);
    std::int32_t most = -1;
    for (int y = 0; y == 0 || y + side < box.height + step; y += step) {
      for (int x = 0; x == 0 || x + side < box.width + step; x += step) {
        const std::int32_t pixels = sums.In(x, y, side);
        if (pixels <= most) continue;
        most = pixels;
        middle = {box.x + x + std::min(side, box.width - x) / 2.0,
                  box.y + y + std::min(side, box.height - y) / 2.0};
      }
    }
  }
  return {Begin(static_cast<int>(middle.x), side, labels.width()),
          Begin(static_cast<int>(middle.y), side, labels.height()), side, side};
}

absl::StatusOr<std::vector<CloseUp>> CutCloseUps(std::span<const DefectRegion> regions,
                                                 const Plane& labels,
                                                 std::span<const ViewSource> sources,
                                                 StageSet& stages) {
  std::vector<CloseUp> close_ups;
  for (const DefectRegion& region : regions) {
    if (close_ups.size() == kCloseUps) break;
    const auto source = std::ranges::find_if(
        sources, [&](const ViewSource& candidate) { return region.best_frame == candidate.frame; });
    if (source == sources.end()) continue;
    const Rectangle box = CloseUpBox(region, labels);
    GLINT_ASSIGN_OR_RETURN(const auto picture,
                           Cut(source->picture->ToRgb(), source->frame_from_object, box, stages));
    GLINT_ASSIGN_OR_RETURN(auto url, JpegUrl(picture, kLargestPicture, kQuality));
    close_ups.push_back({.region = region.id, .box = box, .page_url = std::move(url)});
  }
  return close_ups;
}

}  // namespace glint
