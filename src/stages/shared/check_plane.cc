// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/check_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

// The wanted shape in the words of Describe().
std::string DescribeWanted(Size size, PixelType type, Device device) {
  std::byte nothing{};
  return Describe(Plane(nullptr, &nothing, size, type, 0, device));
}

}  // namespace

absl::Status CheckPlane(std::string_view what, const Plane& plane, PixelType type, Device device,
                        int min_side) {
  const auto [shorter, longer] = std::minmax({plane.width(), plane.height()});
  if (!plane.empty() && plane.type() == type && plane.device() == device && shorter >= min_side &&
      longer <= kMaxSide) {
    return absl::OkStatus();
  }
  return Error(
      Reason::kInternal,
      fmt::format("{} is {}; it must be at least {}, with sides up to {}", what, Describe(plane),
                  DescribeWanted({min_side, min_side}, type, device), kMaxSide));
}

absl::Status CheckPlanes(std::string_view what, std::span<const Plane> planes, PixelType type,
                         Device device, int min_side) {
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const std::string name = fmt::format("{} {}", what, i);
    GLINT_RETURN_IF_ERROR(CheckPlane(name, planes[i], type, device, min_side));
    if (planes[i].size() != planes[0].size()) {
      return Error(Reason::kInternal,
                   fmt::format("{} is {}, but {} 0 is {}; all must have one size", name,
                               Describe(planes[i]), what, Describe(planes[0])));
    }
  }
  return absl::OkStatus();
}

Plane ShapeOf(const StoredPlane& plane) {
  static std::byte nothing{};
  if (plane.empty()) return {};
  return {nullptr, &nothing, plane.size(), plane.type(), 0, plane.device()};
}

absl::Status CheckPlanes(std::string_view what, std::span<const StoredPlane> planes, PixelType type,
                         Device device, int min_side) {
  std::vector<Plane> shapes;
  shapes.reserve(planes.size());
  for (const StoredPlane& plane : planes) shapes.push_back(ShapeOf(plane));
  return CheckPlanes(what, shapes, type, device, min_side);
}

absl::Status CheckNumbering(std::string_view what, const Plane& plane) {
  if (plane.size().area() <= std::numeric_limits<std::int32_t>::max()) return absl::OkStatus();
  return Error(Reason::kInternal,
               fmt::format("{} is {}, too large to number its pixels", what, Describe(plane)));
}

absl::Status CheckSize(std::string_view what, Size size) {
  const auto [shorter, longer] = std::minmax({size.width, size.height});
  if (shorter >= 1 && longer <= kMaxSide) return absl::OkStatus();
  return Error(Reason::kInternal,
               fmt::format("{} is {}; its sides must be 1 to {}", what, ToString(size), kMaxSide));
}

absl::Status CheckCount(std::string_view what, std::size_t count, std::size_t needed) {
  if (count == needed) return absl::OkStatus();
  return Error(Reason::kInternal, fmt::format("{}: {} given, {} needed", what, count, needed));
}

}  // namespace glint
