// SPDX-License-Identifier: Apache-2.0
#include "analyse/item_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/closest_name.h"
#include "glint/error.h"

namespace glint {
namespace {

// One table: a comic has a bound edge, the others are sheets whose four sides are alike.
constexpr std::array kAreas = {
    NamedArea{"spine", 0, 0, 8, 100},       NamedArea{"corner_tl", 0, 0, 15, 12},
    NamedArea{"corner_tr", 85, 0, 100, 12}, NamedArea{"corner_br", 85, 88, 100, 100},
    NamedArea{"corner_bl", 0, 88, 15, 100}, NamedArea{"surface", 20, 20, 80, 80},
};
constexpr std::span<const NamedArea> kWithSpine = kAreas;
constexpr std::span<const NamedArea> kWithoutSpine = kWithSpine.subspan(1);
constexpr std::span<const NamedArea> kOnlySurface = kWithSpine.subspan(5);

constexpr std::array kItemTypes = {
    ItemType{"comic", "a bound comic or magazine: spine, corners, surface", kWithSpine},
    ItemType{"card", "a trading card: corners, surface", kWithoutSpine},
    ItemType{"page", "a single sheet: corners, surface", kWithoutSpine},
    ItemType{"generic", "anything flat with four corners: corners, surface", kWithoutSpine},
    ItemType{"surface", "an unprinted surface, looked at for cracks: surface", kOnlySurface, false,
             false},
};

}  // namespace

Rectangle NamedArea::On(Size size) const {
  // Both ends round down, so that neighbouring areas share no pixel and leave none out.
  const auto at = [](int percent, int side) {
    return static_cast<int>(std::int64_t{percent} * side / 100);
  };
  const int x = std::min(at(left, size.width), size.width - 1);
  const int y = std::min(at(top, size.height), size.height - 1);
  return {x, y, std::max(1, at(right, size.width) - x), std::max(1, at(bottom, size.height) - y)};
}

std::span<const ItemType> ItemTypes() { return kItemTypes; }

absl::StatusOr<const ItemType*> FindItemType(std::string_view name) {
  const auto found = std::ranges::find(kItemTypes, name, &ItemType::name);
  if (found != kItemTypes.end()) return &*found;
  std::vector<std::string> names;
  for (const ItemType& type : kItemTypes) names.emplace_back(type.name);
  return Error(Reason::kInvalidOption,
               fmt::format("there is no item type \"{}\"; choose one of {}{}", name,
                           fmt::join(names, ", "), DidYouMean(name, names)));
}

std::optional<double> DamagedPercent(const Plane& mask, const Plane& seen, const Rectangle& box) {
  std::int64_t visible = 0;
  std::int64_t damaged = 0;
  for (int y = box.y; y < box.y + box.height; ++y) {
    const auto* marked = mask.Row<std::uint8_t>(y);
    const auto* valid = seen.Row<std::uint8_t>(y);
    for (int x = box.x; x < box.x + box.width; ++x) {
      visible += valid[x] != 0 ? 1 : 0;
      damaged += valid[x] != 0 && marked[x] != 0 ? 1 : 0;
    }
  }
  if (2 * visible < Size{box.width, box.height}.area()) return std::nullopt;
  return 100.0 * static_cast<double>(damaged) / static_cast<double>(visible);
}

std::optional<double> DamagedPercent(const Plane& mask, const Plane& seen) {
  return DamagedPercent(mask, seen, {0, 0, mask.width(), mask.height()});
}

std::vector<NamedRegion> MeasureNamedRegions(const ItemType& type, const Plane& mask,
                                             const Plane& seen) {
  std::vector<NamedRegion> regions;
  for (const NamedArea& area : type.areas) {
    const Rectangle box = area.On(mask.size());
    regions.push_back({std::string(area.name), box, DamagedPercent(mask, seen, box)});
  }
  return regions;
}

double MarkedPercent(const Plane& mask) {
  std::int64_t marked = 0;
  for (int y = 0; y < mask.height(); ++y) {
    const auto* row = mask.Row<std::uint8_t>(y);
    marked += mask.width() - std::count(row, row + mask.width(), std::uint8_t{0});
  }
  return 100.0 * static_cast<double>(marked) / static_cast<double>(mask.size().area());
}

double MarkedPercent(const Plane& mask, const Plane& among) {
  std::int64_t marked = 0, all = 0;
  for (int y = 0; y < mask.height(); ++y) {
    const auto *m = mask.Row<std::uint8_t>(y), *a = among.Row<std::uint8_t>(y);
    for (int x = 0; x < mask.width(); ++x) {
      all += a[x] != 0 ? 1 : 0;
      marked += a[x] != 0 && m[x] != 0 ? 1 : 0;
    }
  }
  return all == 0 ? 0 : 100.0 * static_cast<double>(marked) / static_cast<double>(all);
}

Plane Both(const Plane& a, const Plane& b) {
  Plane both = Plane::Host(a.size(), PixelType::kU8);
  for (int y = 0; y < both.height(); ++y) {
    const auto *p = a.Row<std::uint8_t>(y), *q = b.Row<std::uint8_t>(y);
    auto* out = both.Row<std::uint8_t>(y);
    for (int x = 0; x < both.width(); ++x) out[x] = p[x] != 0 && q[x] != 0 ? 255 : 0;
  }
  return both;
}

Plane Unmarked(const Plane& mask) {
  Plane unmarked = Plane::Host(mask.size(), PixelType::kU8);
  for (int y = 0; y < mask.height(); ++y) {
    const auto* from = mask.Row<std::uint8_t>(y);
    std::transform(from, from + mask.width(), unmarked.Row<std::uint8_t>(y),
                   [](std::uint8_t value) -> std::uint8_t { return value == 0 ? 255 : 0; });
  }
  return unmarked;
}

}  // namespace glint
