// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/check_views.h"

#include <fmt/format.h>

#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/shared/check_plane.h"

namespace glint::photometric {
namespace {

absl::Status CheckOne(std::string_view where, std::string_view what, const Plane& plane,
                      PixelType type, Size size, Device device) {
  const std::string name = fmt::format("{}: {}", where, what);
  GLINT_RETURN_IF_ERROR(CheckPlane(name, plane, type, device, kMinViewSide));
  if (plane.size() == size) return absl::OkStatus();
  return Error(Reason::kInternal, fmt::format("{} is {}, but the views are {}", name,
                                              Describe(plane), ToString(size)));
}

}  // namespace

absl::Status CheckViews(std::string_view where, const PhotometricViews& views, Device device) {
  const std::size_t count = views.greys.size();
  if (count < 1 || count > kMaxPhotometricViews) {
    return Error(Reason::kInternal, fmt::format("{}: {} views given, 1 to {} needed", where, count,
                                                kMaxPhotometricViews));
  }
  const std::string valid = fmt::format("{}: validity", where);
  GLINT_RETURN_IF_ERROR(CheckCount(valid, views.valid.size(), count));
  GLINT_RETURN_IF_ERROR(CheckPlanes(fmt::format("{}: view", where), views.greys, PixelType::kU8,
                                    device, kMinViewSide));
  GLINT_RETURN_IF_ERROR(CheckPlanes(valid, views.valid, PixelType::kU8, device, kMinViewSide));
  const Size size = views.greys[0].size();
  GLINT_RETURN_IF_ERROR(CheckOne(where, "validity", views.valid[0], PixelType::kU8, size, device));
  return CheckOne(where, "surface", views.surface, PixelType::kU8, size, device);
}

absl::Status CheckResiduals(std::string_view where, const PhotometricViews& views,
                            std::span<const StoredPlane> residuals, Device device) {
  const std::string name = fmt::format("{}: residual", where);
  GLINT_RETURN_IF_ERROR(CheckCount(name, residuals.size(), views.greys.size()));
  GLINT_RETURN_IF_ERROR(CheckPlanes(name, residuals, PixelType::kS16, device, kMinViewSide));
  return CheckOne(where, "residual", ShapeOf(residuals[0]), PixelType::kS16, views.greys[0].size(),
                  device);
}

absl::Status CheckAlbedo(std::string_view where, const Albedo& albedo, Size size, Device device) {
  GLINT_RETURN_IF_ERROR(CheckOne(where, "albedo", albedo.grey, PixelType::kS16, size, device));
  GLINT_RETURN_IF_ERROR(
      CheckOne(where, "gradient", albedo.gradient, PixelType::kS32, size, device));
  GLINT_RETURN_IF_ERROR(
      CheckOne(where, "curvature", albedo.curvature, PixelType::kS32, size, device));
  return CheckOne(where, "count", albedo.count, PixelType::kU8, size, device);
}

absl::Status CheckNoise(std::string_view where, const NoiseModel& noise) {
  if (noise.base > 0 && noise.gradient >= 0 && noise.curvature >= 0) return absl::OkStatus();
  return Error(Reason::kInternal,
               fmt::format("{}: the noise model gives no positive variance", where));
}

absl::Status CheckEvidence(std::string_view where, const LineEvidence& evidence, Device device) {
  const auto check = [&](std::string_view what, const Plane& plane, PixelType type) {
    return CheckPlane(fmt::format("{}: {}", where, what), plane, type, device);
  };
  GLINT_RETURN_IF_ERROR(check("energy", evidence.energy, PixelType::kS32));
  GLINT_RETURN_IF_ERROR(check("direction", evidence.direction, PixelType::kU8));
  GLINT_RETURN_IF_ERROR(check("point", evidence.point, PixelType::kS32));
  const Size size = evidence.energy.size();
  if (evidence.direction.size() == size && evidence.point.size() == size) return absl::OkStatus();
  return Error(Reason::kInternal,
               fmt::format("{}: the planes of the evidence differ in size", where));
}

}  // namespace glint::photometric
