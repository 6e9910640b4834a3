// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/photometric_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "glint/error.h"
#include "stages/check_plane.h"

namespace glint::photometric {
namespace {

constexpr int kMinSide = 16;
constexpr int kBandRows = 16;  // one task

absl::Status CheckOne(std::string_view where, std::string_view what, const Plane& plane,
                      PixelType type, Size size) {
  const std::string name = fmt::format("{}: {}", where, what);
  if (auto status = CheckPlane(name, plane, type, {}, kMinSide); !status.ok()) return status;
  if (plane.size() == size) return absl::OkStatus();
  return Error(Reason::kInvalidOption, fmt::format("{} is {}, but the views are {}", name,
                                                   Describe(plane), ToString(size)));
}

}  // namespace

absl::Status CheckViews(std::string_view where, const PhotometricViews& views) {
  const std::size_t count = views.greys.size();
  if (count < 1 || count > kMaxPhotometricViews) {
    return Error(Reason::kInvalidOption, fmt::format("{}: {} views given, 1 to {} needed", where,
                                                     count, kMaxPhotometricViews));
  }
  const std::string valid = fmt::format("{}: validity", where);
  if (auto status = CheckCount(valid, views.valid.size(), count); !status.ok()) return status;
  auto status =
      CheckPlanes(fmt::format("{}: view", where), views.greys, PixelType::kU8, {}, kMinSide);
  if (!status.ok()) return status;
  status = CheckPlanes(valid, views.valid, PixelType::kU8, {}, kMinSide);
  if (!status.ok()) return status;
  const Size size = views.greys[0].size();
  status = CheckOne(where, "validity", views.valid[0], PixelType::kU8, size);
  if (!status.ok()) return status;
  return CheckOne(where, "surface", views.surface, PixelType::kU8, size);
}

absl::Status CheckResiduals(std::string_view where, const PhotometricViews& views,
                            std::span<const Plane> residuals) {
  const std::string name = fmt::format("{}: residual", where);
  auto status = CheckCount(name, residuals.size(), views.greys.size());
  if (!status.ok()) return status;
  status = CheckPlanes(name, residuals, PixelType::kS16, {}, kMinSide);
  if (!status.ok()) return status;
  return CheckOne(where, "residual", residuals[0], PixelType::kS16, views.greys[0].size());
}

absl::Status CheckArtwork(std::string_view where, const Artwork& artwork, Size size) {
  auto status = CheckOne(where, "artwork", artwork.grey, PixelType::kS16, size);
  if (!status.ok()) return status;
  status = CheckOne(where, "gradient", artwork.gradient, PixelType::kS32, size);
  if (!status.ok()) return status;
  status = CheckOne(where, "curvature", artwork.curvature, PixelType::kS32, size);
  if (!status.ok()) return status;
  return CheckOne(where, "count", artwork.count, PixelType::kU8, size);
}

void ForRows(ThreadPool& pool, int height, const std::function<void(Rows)>& work) {
  pool.ParallelFor((height + kBandRows - 1) / kBandRows, [&](std::int64_t band) {
    const int begin = static_cast<int>(band) * kBandRows;
    work({begin, std::min(begin + kBandRows, height)});
  });
}

}  // namespace glint::photometric
