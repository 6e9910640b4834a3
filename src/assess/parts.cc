// SPDX-License-Identifier: Apache-2.0
#include "assess/parts.h"

#include <algorithm>
#include <cstdint>

namespace glint {
namespace {

constexpr int kCornerWidthPercent = 15;
constexpr int kCornerHeightPercent = 12;
constexpr int kEdgePercent = 8;

int PercentOf(int side, int percent) {
  return std::max(1, static_cast<int>(std::int64_t{percent} * side / 100));
}

bool Holds(const Rectangle& box, int x, int y) {
  return x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height;
}

}  // namespace

std::vector<ObjectPart> PartsOf(std::string_view item_type, Size size, ObjectSide side) {
  const int w = size.width, h = size.height;
  const int corner_w = PercentOf(w, kCornerWidthPercent);
  const int corner_h = PercentOf(h, kCornerHeightPercent);
  const bool comic = item_type == "comic";
  const bool left_bound = comic && side == ObjectSide::kFront;
  const bool right_bound = comic && side == ObjectSide::kBack;
  const int edge = PercentOf(std::min(w, h), kEdgePercent);
  const int spine = PercentOf(w, kEdgePercent);
  const int left = left_bound ? spine : edge, right = right_bound ? spine : edge;
  const std::pair<const char*, Rectangle> boxes[] = {
      {"corner_tl", {0, 0, corner_w, corner_h}},
      {"corner_tr", {w - corner_w, 0, corner_w, corner_h}},
      {"corner_br", {w - corner_w, h - corner_h, corner_w, corner_h}},
      {"corner_bl", {0, h - corner_h, corner_w, corner_h}},
      {left_bound ? "spine" : "edge_left", {0, corner_h, left, h - 2 * corner_h}},
      {"edge_top", {corner_w, 0, w - 2 * corner_w, edge}},
      {right_bound ? "spine" : "edge_right", {w - right, corner_h, right, h - 2 * corner_h}},
      {"edge_bottom", {corner_w, h - edge, w - 2 * corner_w, edge}},
      {"face", {0, 0, w, h}}};
  std::vector<ObjectPart> parts;
  for (const auto& [name, box] : boxes) {
    ObjectPart& part = parts.emplace_back();
    part.name = name;
    part.box = box;
  }
  return parts;
}

std::size_t PartAt(const std::vector<ObjectPart>& parts, int x, int y) {
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (Holds(parts[i].box, x, y)) return i;
  }
  return parts.size() - 1;
}

void MeasureParts(const Plane& mask, const Plane& seen, std::vector<ObjectPart>& parts) {
  std::vector<std::int64_t> pixels(parts.size(), 0);
  for (int y = 0; y < mask.height(); ++y) {
    const auto *marked = mask.Row<std::uint8_t>(y), *valid = seen.Row<std::uint8_t>(y);
    for (int x = 0; x < mask.width(); ++x) {
      const std::size_t i = PartAt(parts, x, y);
      ++pixels[i];
      if (valid[x] == 0) continue;
      ++parts[i].seen_px;
      parts[i].damaged_px += marked[x] != 0 ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (2 * parts[i].seen_px < pixels[i] || parts[i].seen_px == 0) continue;
    parts[i].damaged_percent =
        100.0 * static_cast<double>(parts[i].damaged_px) / static_cast<double>(parts[i].seen_px);
  }
}

Axis AxisOf(std::string_view part) {
  if (part.starts_with("corner")) return Axis::kCorners;
  return part == "face" ? Axis::kSurface : Axis::kEdges;
}

}  // namespace glint
