// SPDX-License-Identifier: Apache-2.0
#include "assess/object_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "glint/error.h"

namespace glint {
namespace {

constexpr double kMillimetresPerInch = 25.4;
constexpr double kLeastMm = 5, kMostMm = 5000;
constexpr double kShapeTolerance = 0.06;  // how far an assumed shape may be off

// Trimmed sizes as their makers and the guides of collectors give them.
constexpr std::array kPresets = {
    SizePreset{"trading-card", "trading card", 63.5, 88.9, "card"},
    SizePreset{"comic-modern", "US comic, 1985 and later", 168, 260, "comic"},
    SizePreset{"comic-silver", "US comic, 1956 to 1984", 175, 262, ""},
    SizePreset{"comic-golden", "US comic, before 1956", 191, 267, ""},
    SizePreset{"a4", "A4", 210, 297, ""},
    SizePreset{"letter", "US Letter", 215.9, 279.4, ""},
};

absl::Status Unreadable(std::string_view text) {
  std::string names;
  for (const SizePreset& preset : kPresets) names += fmt::format(", {}", preset.name);
  return Error(Reason::kInvalidOption,
               fmt::format("the size \"{}\" cannot be read; write width and height with a unit, "
                           "such as 63x88mm or 2.5x3.5in, {} to {} mm a side, or one of {}",
                           text, kLeastMm, kMostMm, names.substr(2)));
}

/// Takes a number from the front of the text.
std::optional<double> TakeNumber(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  return value;
}

std::optional<double> UnitMm(std::string_view unit) {
  if (unit == "mm") return 1.0;
  if (unit == "cm") return 10.0;
  if (unit == "in") return kMillimetresPerInch;
  return std::nullopt;
}

/// Lays the size over the object so that the longer sides agree.
ObjectScale LaidOver(ObjectScale scale, Size size) {
  if ((scale.width_mm > scale.height_mm) != (size.width > size.height)) {
    std::swap(scale.width_mm, scale.height_mm);
  }
  return scale;
}

}  // namespace

std::span<const SizePreset> SizePresets() { return kPresets; }

absl::StatusOr<ObjectScale> ParseObjectSize(std::string_view text) {
  const auto preset = std::ranges::find(kPresets, text, &SizePreset::name);
  if (preset != kPresets.end()) {
    return ObjectScale{.width_mm = preset->width_mm,
                       .height_mm = preset->height_mm,
                       .name = std::string(preset->title)};
  }
  std::string_view rest = text;
  const auto width = TakeNumber(rest);
  if (!width || (!rest.starts_with('x') && !rest.starts_with("×"))) return Unreadable(text);
  rest.remove_prefix(rest.starts_with('x') ? 1 : std::string_view("×").size());
  const auto height = TakeNumber(rest);
  const auto unit = UnitMm(rest);
  if (!height || !unit) return Unreadable(text);
  const ObjectScale scale{.width_mm = *width * *unit, .height_mm = *height * *unit};
  for (const double side : {scale.width_mm, scale.height_mm}) {
    if (!(side >= kLeastMm && side <= kMostMm)) return Unreadable(text);
  }
  return scale;
}

std::optional<ObjectScale> ScaleOf(std::string_view given, std::string_view item_type, Size size) {
  if (!given.empty()) {
    const auto scale = ParseObjectSize(given);
    return scale.ok() ? std::optional(LaidOver(*scale, size)) : std::nullopt;
  }
  const auto preset = std::ranges::find(kPresets, item_type, &SizePreset::item_type);
  if (item_type.empty() || preset == kPresets.end()) return std::nullopt;
  const ObjectScale scale = LaidOver({.width_mm = preset->width_mm,
                                      .height_mm = preset->height_mm,
                                      .assumed = true,
                                      .name = std::string(preset->title)},
                                     size);
  const double shape = static_cast<double>(size.width) / size.height;
  const double off = std::abs(std::log(shape / (scale.width_mm / scale.height_mm)));
  return off <= kShapeTolerance ? std::optional(scale) : std::nullopt;
}

}  // namespace glint
