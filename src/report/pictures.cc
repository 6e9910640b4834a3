// SPDX-License-Identifier: Apache-2.0
#include "report/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "glint/error.h"
#include "image/png.h"
#include "report/overlay.h"

namespace glint {
namespace {

/// Whether a layer is a family of damage.
bool IsFamily(std::string_view layer) {
  return layer != kNewLayer && layer != kGlareLayer && layer != kUnknownLayer;
}

/// A picture and the file that it becomes.
struct NamedPicture {
  std::string name;
  Plane plane;
};

std::vector<NamedPicture> ObjectPictures(const ScanReport& report, const ScanPictures& pictures) {
  const Plane overlay =
      DrawOverlay(ShowsMedian(report, pictures) ? pictures.median : pictures.rectified,
                  {.mask = pictures.mask,
                   .labels = pictures.labels,
                   .changed = ColourOnly(pictures),
                   .unknown = Layer(pictures, kUnknownLayer)});
  std::vector<NamedPicture> out = {{"rectified.png", pictures.rectified},
                                   {"mask.png", pictures.mask},
                                   {"labels.png", pictures.labels},
                                   {"overlay.png", overlay},
                                   {"heatmap.png", DrawHeatmap(pictures.score)}};
  if (!pictures.median.empty()) out.push_back({"median.png", pictures.median});
  if (!pictures.good_copy.empty()) out.push_back({"reference.png", pictures.good_copy});
  for (const auto& [name, mask] : pictures.layers) {
    out.push_back({fmt::format("layers/{}.png", name), mask});
  }
  for (const NamedRegion& region : report.named_regions) {
    const Rectangle& box = region.box;
    const auto add = [&](std::string_view what, const Plane& plane) {
      Plane part = Crop(plane, box.x, box.y, {box.width, box.height});
      if (part.empty()) return;
      out.push_back({fmt::format("regions/{}_{}.png", region.name, what), std::move(part)});
    };
    add("crop", pictures.rectified);
    add("mask", pictures.mask);
    add("overlay", overlay);
  }
  return out;
}

}  // namespace

bool ShowsMedian(const ScanReport& report, const ScanPictures& pictures) {
  constexpr double kWhole = 0.999;  // of the object: less is more than a rounded border
  if (pictures.median.empty() || !report.object) return false;
  const auto reference = std::ranges::find_if(report.golden, [&](const GoldenFrame& golden) {
    return golden.measure.index == report.object->reference_frame;
  });
  return reference != report.golden.end() && reference->coverage < kWhole;
}

absl::Status CheckPictures(const ScanPictures& pictures) {
  struct Expected {
    std::string_view name;
    const Plane& plane;
    PixelType type;
  };
  const Size size = pictures.rectified.size();
  for (const Expected& expected :
       std::array<Expected, 4>{{{"rectified picture", pictures.rectified, PixelType::kU8x3},
                                {"mask", pictures.mask, PixelType::kU8},
                                {"labels", pictures.labels, PixelType::kS32},
                                {"score", pictures.score, PixelType::kS32}}}) {
    const Plane& plane = expected.plane;
    if (plane.empty() && pictures.rectified.empty()) continue;
    if (plane.size() == size && plane.type() == expected.type && plane.device().is_host()) continue;
    return Error(Reason::kInternal,
                 fmt::format("the {} to report is {}, beside a rectified picture of {}",
                             expected.name, Describe(plane), ToString(size)));
  }
  for (const Plane* extra : {&pictures.median, &pictures.good_copy}) {
    if (extra->empty()) continue;
    if (extra->size() == size && extra->type() == PixelType::kU8x3 && extra->device().is_host())
      continue;
    return Error(Reason::kInternal,
                 fmt::format("the median or reference to report is {}, beside a rectified picture "
                             "of {}",
                             Describe(*extra), ToString(size)));
  }
  for (const auto& [name, mask] : pictures.layers) {
    if (mask.size() == size && mask.type() == PixelType::kU8 && mask.device().is_host()) continue;
    return Error(Reason::kInternal, fmt::format("the layer {} to report is {}, beside a rectified "
                                                "picture of {}",
                                                name, Describe(mask), ToString(size)));
  }
  return absl::OkStatus();
}

Plane Layer(const ScanPictures& pictures, std::string_view name) {
  const auto layer =
      std::ranges::find(pictures.layers, name, &std::pair<std::string, Plane>::first);
  return layer == pictures.layers.end() ? Plane() : layer->second;
}

Plane ColourOnly(const ScanPictures& pictures) {
  const Plane changed = Layer(pictures, kReferenceLayer);
  if (changed.empty()) return {};
  Plane only = Plane::Host(changed.size(), PixelType::kU8);
  for (int y = 0; y < only.height(); ++y) {
    auto* out = only.Row<std::uint8_t>(y);
    std::copy_n(changed.Row<std::uint8_t>(y), only.width(), out);
    for (const auto& [name, mask] : pictures.layers) {
      if (name == kReferenceLayer || !IsFamily(name)) continue;
      const auto* other = mask.Row<std::uint8_t>(y);
      for (int x = 0; x < only.width(); ++x) out[x] = other[x] != 0 ? 0 : out[x];
    }
  }
  return only;
}

absl::StatusOr<std::vector<Artifact>> RenderArtifacts(const ScanReport& report,
                                                      const ScanPictures& pictures,
                                                      ThreadPool& pool) {
  GLINT_RETURN_IF_ERROR(CheckPictures(pictures));
  if (pictures.rectified.empty()) return std::vector<Artifact>();
  std::vector<NamedPicture> named = ObjectPictures(report, pictures);
  std::vector<absl::StatusOr<std::vector<std::byte>>> files(named.size());
  // The largest first, so that no thread begins one of them when the others are done.
  std::vector<std::size_t> order(named.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
    return named[i].plane.size().area() * BytesPerPixel(named[i].plane.type());
  });
  pool.ParallelFor(static_cast<std::int64_t>(named.size()), [&](std::int64_t i) {
    const std::size_t index = order[static_cast<std::size_t>(i)];
    files[index] = EncodePng(named[index].plane);
  });
  std::vector<Artifact> artifacts;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (!files[i].ok()) return In(named[i].name, files[i].status());
    artifacts.push_back({std::move(named[i].name), *std::move(files[i]), "image/png"});
  }
  return artifacts;
}

}  // namespace glint
