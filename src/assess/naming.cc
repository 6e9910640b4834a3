// SPDX-License-Identifier: Apache-2.0
#include "assess/naming.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

namespace glint {
namespace {

constexpr double kAtSide = 0.01;         // of the object: a region this near touches a side
constexpr double kTearElongation = 2.5;  // a tear is this much longer than wide
constexpr double kTearLeadsIn = 0.5;     // and this share of its length leads inwards
constexpr double kSpineShare = 0.08;     // of the width, as the named region has it
constexpr double kMaxTickShare = 0.1;    // of the width
constexpr double kMinLineElongation = 2.0;
constexpr double kUnlikeSurroundings = 35;  // grey levels between paper and what lies around
constexpr double kCornerWidth = 0.15, kCornerHeight = 0.12;  // as the parts have them
constexpr double kPaler = 7;  // grey levels: a line of bare paper is this much paler

double ScaleOf(Size object) { return std::sqrt(static_cast<double>(object.area())); }

double WidthOf(const Stroke& stroke) {
  return static_cast<double>(stroke.pixels.size()) / std::max(1.0, stroke.length());
}

using Mean = std::array<double, 3>;

double Grey(const Mean& c) { return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]; }

/// Sums colours of a picture.
class MeanColour {
 public:
  void Add(const Plane& picture, int x, int y) {
    if (x < 0 || y < 0 || x >= picture.width() || y >= picture.height()) return;
    const auto* pixel = picture.Row<std::uint8_t>(y) + 3 * static_cast<std::ptrdiff_t>(x);
    for (std::size_t i = 0; i < 3; ++i) sum_[i] += pixel[i];
    ++count_;
  }
  std::optional<Mean> mean() const {
    if (count_ == 0) return std::nullopt;
    return Mean{sum_[0] / count_, sum_[1] / count_, sum_[2] / count_};
  }

 private:
  Mean sum_{};
  int count_ = 0;
};

/// Which sides of the object the box touches.
struct Touches {
  bool left, right, top, bottom;

  bool corner() const { return (left || right) && (top || bottom); }
};

Touches SidesOf(const Rectangle& box, Size object) {
  const int x = std::max(1, static_cast<int>(kAtSide * object.width));
  const int y = std::max(1, static_cast<int>(kAtSide * object.height));
  return {box.x<x, box.x + box.width> object.width - x,
          box.y<y, box.y + box.height> object.height - y};
}

/// The colour of the surroundings beyond the corner that a stroke lies at: of the margin's own
/// corner, which the object casts least shadow on.
std::optional<Mean> ColourBeyond(const Stroke& stroke, Size object, const Surroundings& around) {
  const Plane& colour = around.colour;
  const bool right = stroke.box.x > object.width / 2, bottom = stroke.box.y > object.height / 2;
  const int wide = around.margin_px / 2;
  MeanColour outside;
  for (int y = 0; y < wide; ++y) {
    for (int x = 0; x < wide; ++x) {
      outside.Add(colour, right ? colour.width() - 1 - x : x, bottom ? colour.height() - 1 - y : y);
    }
  }
  return outside.mean();
}

/// Whether what lies at a corner is paper still: most of it is unlike the surroundings.
bool ShowsPaper(const Stroke& stroke, Size object, const Surroundings& around) {
  if (around.colour.empty()) return false;
  const auto beyond = ColourBeyond(stroke, object, around);
  if (!beyond) return false;
  std::size_t unlike = 0;
  for (const Point& p : stroke.pixels) {
    MeanColour pixel;
    pixel.Add(around.colour, static_cast<int>(p.x) + around.margin_px,
              static_cast<int>(p.y) + around.margin_px);
    const auto here = pixel.mean();
    double apart = 0;
    for (std::size_t i = 0; here && i < 3; ++i) {
      apart = std::max(apart, std::abs((*here)[i] - (*beyond)[i]));
    }
    unlike += apart > kUnlikeSurroundings ? 1 : 0;
  }
  return 2 * unlike > stroke.pixels.size();
}

/// Whether the box lies in one of the corners' parts.
bool InACorner(const Rectangle& box, Size object) {
  const double w = kCornerWidth * object.width, h = kCornerHeight * object.height;
  const bool at_side = box.x + box.width <= w || box.x >= object.width - w;
  const bool at_end = box.y + box.height <= h || box.y >= object.height - h;
  return at_side && at_end;
}

DefectName NameOfLoss(const Stroke& stroke, Size object, const Surroundings& around) {
  const Touches at = SidesOf(stroke.box, object);
  const double leads_in = at.left || at.right   ? stroke.box.width
                          : at.top || at.bottom ? stroke.box.height
                                                : stroke.length();
  const bool narrow = stroke.length() >= kTearElongation * WidthOf(stroke);
  if (!at.corner() && narrow && leads_in >= kTearLeadsIn * stroke.length()) {
    return DefectName::kTear;
  }
  if (!at.corner() && !InACorner(stroke.box, object)) return DefectName::kMissingPiece;
  return ShowsPaper(stroke, object, around) ? DefectName::kWornCorner : DefectName::kMissingCorner;
}

bool IsSpineTick(const Stroke& stroke, const NamedObject& object) {
  const double dx = std::abs(stroke.to.x - stroke.from.x);
  const double dy = std::abs(stroke.to.y - stroke.from.y);
  const double width = object.size.width;
  const double from_spine = object.side == ObjectSide::kFront
                                ? std::min(stroke.from.x, stroke.to.x)
                                : width - 1 - std::max(stroke.from.x, stroke.to.x);
  return from_spine < kSpineShare * width / 2 && dx >= dy &&
         stroke.length() <= kMaxTickShare * width;
}

bool ReachesEdge(const Stroke& stroke, Size object, double at_edge) {
  const double slack = at_edge * std::min(object.width, object.height);
  const auto reaches = [&](const Point& p) {
    return std::min({p.x, p.y, object.width - 1 - p.x, object.height - 1 - p.y}) < slack;
  };
  return reaches(stroke.from) || reaches(stroke.to);
}

DefectName NameOfLine(const Stroke& stroke, const NamedObject& object,
                      const LineNameParams& params) {
  if (object.item_type == "comic" && IsSpineTick(stroke, object)) return DefectName::kSpineTick;
  const double width = WidthOf(stroke), scale = ScaleOf(object.size);
  if (stroke.length() < kMinLineElongation * width) return DefectName::kDent;
  if (width >= std::max(params.min_crease_width * scale, params.min_crease_width_px)) {
    return DefectName::kCrease;
  }
  const bool narrow = width <= params.max_scratch_width * scale;
  return narrow && !ReachesEdge(stroke, object.size, params.at_edge) ? DefectName::kScratch
                                                                     : DefectName::kCreaseOrScratch;
}

}  // namespace

DefectName NameOf(const DefectRegion& region, const Stroke& stroke, const NamedObject& object,
                  const Surroundings& around, const LineNameParams& params) {
  if (region.kind == RegionKind::kStain) return DefectName::kStain;
  if (region.kind == RegionKind::kFading) return DefectName::kFading;
  if (region.family == kOutlineLayer) return NameOfLoss(stroke, object.size, around);
  if (region.family == kStaticLayer || object.item_type == "surface") return DefectName::kCrack;
  return NameOfLine(stroke, object, params);
}

bool BreaksColour(const Plane& picture, const Stroke& stroke) {
  const double length = stroke.length();
  if (picture.empty() || length < 2) return false;
  const Point across{-(stroke.to.y - stroke.from.y) / length,
                     (stroke.to.x - stroke.from.x) / length};
  const double away = WidthOf(stroke) / 2 + 3;  // from the middle to paper that is whole
  MeanColour line, beside;
  for (const Point& p : stroke.pixels)
    line.Add(picture, static_cast<int>(p.x), static_cast<int>(p.y));
  for (const Point& p : stroke.pixels) {
    const double off = (p.x - stroke.from.x) * across.x + (p.y - stroke.from.y) * across.y;
    for (const double side : {-1.0, 1.0}) {
      const double step = side * away - off;
      beside.Add(picture, static_cast<int>(std::lround(p.x + step * across.x)),
                 static_cast<int>(std::lround(p.y + step * across.y)));
    }
  }
  const auto on = line.mean(), off = beside.mean();
  return on && off && Grey(*on) - Grey(*off) > kPaler;
}

}  // namespace glint
