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
constexpr double kCreaseWidthShare = 0.0055;  // of the object: lines as broad are folds
constexpr double kAtEdgeShare = 0.02;       // of the object: a line that ends this near reaches it
constexpr double kUnlikeSurroundings = 50;  // grey levels between worn paper and what lies around
constexpr double kPale = 130;               // grey levels
constexpr double kPaler = 7;                // grey levels: a line of bare paper is this much paler

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

/// Whether what is gone at a corner left pale paper, not the surroundings.
bool ShowsPaper(const Stroke& stroke, Size object, const Surroundings& around) {
  const Plane& colour = around.colour;
  if (colour.empty() || around.margin_px < 4) return false;
  MeanColour inside, outside;
  for (const Point& p : stroke.pixels) {
    inside.Add(colour, static_cast<int>(p.x) + around.margin_px,
               static_cast<int>(p.y) + around.margin_px);
  }
  const bool right = stroke.box.x > object.width / 2, bottom = stroke.box.y > object.height / 2;
  const int wide = around.margin_px / 2;  // of the corner of the margin, which the object casts no
  for (int y = 0; y < wide; ++y) {        // shadow on
    for (int x = 0; x < wide; ++x) {
      outside.Add(colour, right ? colour.width() - 1 - x : x, bottom ? colour.height() - 1 - y : y);
    }
  }
  const auto in = inside.mean(), out = outside.mean();
  if (!in || !out) return false;
  double apart = 0;
  for (std::size_t i = 0; i < 3; ++i) apart = std::max(apart, std::abs((*in)[i] - (*out)[i]));
  return apart > kUnlikeSurroundings && Grey(*in) > kPale;
}

DefectName NameOfLoss(const Stroke& stroke, Size object, const Surroundings& around) {
  const Touches at = SidesOf(stroke.box, object);
  const bool shows_paper = ShowsPaper(stroke, object, around);
  if (at.corner()) return shows_paper ? DefectName::kWornCorner : DefectName::kMissingCorner;
  const double leads_in = at.left || at.right   ? stroke.box.width
                          : at.top || at.bottom ? stroke.box.height
                                                : stroke.length();
  const bool narrow = stroke.length() >= kTearElongation * WidthOf(stroke);
  if (narrow && leads_in >= kTearLeadsIn * stroke.length()) return DefectName::kTear;
  return DefectName::kMissingPiece;
}

bool IsSpineTick(const Stroke& stroke, Size object) {
  const double dx = std::abs(stroke.to.x - stroke.from.x);
  const double dy = std::abs(stroke.to.y - stroke.from.y);
  return std::min(stroke.from.x, stroke.to.x) < kSpineShare * object.width / 2 && dx >= dy &&
         stroke.length() <= kMaxTickShare * object.width;
}

bool ReachesEdge(const Stroke& stroke, Size object) {
  const double slack = kAtEdgeShare * std::min(object.width, object.height);
  const auto at_edge = [&](const Point& p) {
    return std::min({p.x, p.y, object.width - 1 - p.x, object.height - 1 - p.y}) < slack;
  };
  return at_edge(stroke.from) || at_edge(stroke.to);
}

DefectName NameOfLine(const Stroke& stroke, bool breaks_colour, std::string_view item_type,
                      Size object) {
  if (item_type == "comic" && IsSpineTick(stroke, object)) return DefectName::kSpineTick;
  if (stroke.length() < kMinLineElongation * WidthOf(stroke)) return DefectName::kDent;
  const bool broad = WidthOf(stroke) >= kCreaseWidthShare * ScaleOf(object);
  return broad || breaks_colour || ReachesEdge(stroke, object) ? DefectName::kCrease
                                                               : DefectName::kScratch;
}

}  // namespace

DefectName NameOf(const DefectRegion& region, const Stroke& stroke, bool breaks_colour,
                  std::string_view item_type, Size object, const Surroundings& around) {
  if (region.kind == RegionKind::kStain) return DefectName::kStain;
  if (region.kind == RegionKind::kFading) return DefectName::kFading;
  if (region.family == kOutlineLayer) return NameOfLoss(stroke, object, around);
  if (region.family == kStaticLayer || item_type == "surface") return DefectName::kCrack;
  return NameOfLine(stroke, breaks_colour, item_type, object);
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
