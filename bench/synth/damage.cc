// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/damage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>

#include "bench/synth/canvas.h"
#include "bench/synth/damage_tools.h"
#include "bench/synth/maths.h"

namespace glint {
namespace {

constexpr std::array<const char*, 3> kSeverities = {"light", "medium", "heavy"};

Plane NoIds(Size size) {
  Plane ids = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y)
    std::memset(ids.Row<std::uint8_t>(y), 0, static_cast<std::size_t>(size.width));
  return ids;
}

/// Places damages on one object, each where no other one is yet.
class DamagePainter {
 public:
  DamagePainter(Surface& surface, std::uint32_t seed)
      : surface_(surface), random_(seed, 3), damage_{{}, NoIds(surface.size())} {}

  void AddCrease(Severity severity, bool from_edge) {
    const DamagePath path = FreePath(Unit() * (severity == Severity::kHeavy ? 0.30 : 0.24),
                                     Unit() * 0.46, from_edge, 0.07, 5);
    LineProfile profile;
    profile.sigma = Of(severity, 1.25, 1.4, 1.6) * scale();
    profile.height = Of(severity, 0.42, 0.66, 1.0) * scale() * (random_.Chance(0.7) ? 1 : -1);
    profile.skew = 0.4;
    profile.label_half = Of(severity, 2.4, 2.8, 3.4) * scale();
    profile.core_half = Of(severity, 0.5, 0.7, 1.0) * scale();
    profile.broken = Of(severity, 0.12, 0.4, 0.62);
    profile.fade_start = !from_edge;
    PressLine(surface_, damage_.ids, Next(), path, profile, random_);
    Record("crease", severity);
  }

  void AddScratch(Severity severity) {
    const DamagePath path = FreePath(Unit() * 0.14, Unit() * 0.36, false, 0.12, 2);
    LineProfile profile;
    profile.sigma = 0.85 * scale();
    profile.height = -Of(severity, 0.26, 0.4, 0.55) * scale();
    profile.label_half = 2 * scale();
    profile.core_half = Of(severity, 0.35, 0.5, 0.7) * scale();
    profile.broken = Of(severity, 0.15, 0.35, 0.6);
    PressLine(surface_, damage_.ids, Next(), path, profile, random_);
    Record("scratch", severity);
  }

  /// A short crease across the spine, which is the left side.
  void AddSpineTick(Severity severity) {
    const double length = random_.Uniform(20, 42) * scale();
    DamagePath path;
    for (int attempt = 0; attempt < 30; ++attempt) {
      const double y = surface_.size().height * random_.Uniform(0.06, 0.94);
      const Point end{length, y + length * random_.Uniform(-0.15, 0.15)};
      path = BentPath({-3 * scale(), y}, end, random_.Uniform(-0.05, 0.05), 1.5, random_);
      if (IsFree(path)) break;
    }
    LineProfile profile;
    profile.sigma = 1.15 * scale();
    profile.height = Of(severity, 0.5, 0.75, 1.0) * scale();
    profile.skew = 0.25;
    profile.label_half = 2.2 * scale();
    profile.core_half = 0.6 * scale();
    profile.broken = Of(severity, 0.3, 0.5, 0.7);
    profile.fade_start = false;
    PressLine(surface_, damage_.ids, Next(), path, profile, random_);
    Record("spine_tick", severity);
  }

  void AddTear() {
    const Size size = surface_.size();
    const double length = Unit() * random_.Uniform(0.06, 0.1);
    DamagePath path;
    for (int attempt = 0; attempt < 30; ++attempt) {
      const double t = random_.Uniform(0.2, 0.8);
      const double lean = length * random_.Uniform(-0.35, 0.35);
      const int edge = random_.Integer(1, 3);  // top, right, bottom; not the spine
      const double x = edge == 2 ? size.width + 3 * scale() : size.width * t;
      const double y = edge == 1   ? -3 * scale()
                       : edge == 3 ? size.height + 3 * scale()
                                   : size.height * t;
      const Point inwards{edge == 2 ? x - length : x + lean, edge == 1   ? y + length
                                                             : edge == 3 ? y - length
                                                                         : y + lean};
      path = BentPath({x, y}, inwards, random_.Uniform(-0.1, 0.1), 9 * scale(), random_);
      if (IsFree(path)) break;
    }
    Tear(surface_, damage_.ids, Next(), path, random_.Uniform(1.8, 3.2) * scale(), random_);
    Record("tear", Severity::kHeavy);
  }

  void AddMissingCorner() {
    const int corner = FreeCorner();
    const double along_x = Unit() * random_.Uniform(0.08, 0.12);
    const double along_y = Unit() * random_.Uniform(0.08, 0.12);
    BreakOffCorner(surface_, damage_.ids, Next(), corner, along_x, along_y, random_);
    Record("missing_corner", Severity::kHeavy);
  }

  void AddCornerWear(Severity severity) {
    const int corner = FreeCorner();
    WearCorner(surface_, damage_.ids, Next(), corner, Unit() * Of(severity, 0.035, 0.045, 0.06),
               random_);
    Record("corner_wear", severity);
  }

  void AddStain(Severity severity) {
    const Box box = FreeBox(0.09, 0.2);
    Stain(surface_, damage_.ids, Next(), box, Of(severity, 0.14, 0.26, 0.42), random_);
    Record("stain", severity);
  }

  void AddScuff(Severity severity) {
    const Box box = FreeBox(0.13, 0.24);
    const double turns = random_.Unit();
    Scuff(surface_, damage_.ids, Next(), box, turns, Of(severity, 0.7, 1, 1.4), random_);
    Record("scuff", severity);
  }

  Random& random() { return random_; }
  Severity SomeSeverity() {
    const int pick = random_.Integer(0, 5);
    return pick < 2 ? Severity::kLight : pick < 5 ? Severity::kMedium : Severity::kHeavy;
  }
  Damage Result() { return std::move(damage_); }

 private:
  double scale() const { return surface_.scale(); }
  /// The object's longer side, pixels.
  double Unit() const { return std::max(surface_.size().width, surface_.size().height); }
  int Next() const { return static_cast<int>(damage_.defects.size()) + 1; }
  static double Of(Severity severity, double light, double medium, double heavy) {
    return severity == Severity::kLight ? light : severity == Severity::kMedium ? medium : heavy;
  }

  /// Whether the surroundings of the path belong to no defect yet.
  bool IsFree(const DamagePath& path) const {
    const int reach = static_cast<int>(std::ceil(9 * scale()));
    for (std::size_t i = 0; i < path.size(); i += 3) {
      for (const auto& [dx, dy] :
           {std::pair{0, 0}, {reach, 0}, {-reach, 0}, {0, reach}, {0, -reach}}) {
        if (Marked(static_cast<int>(path[i].x) + dx, static_cast<int>(path[i].y) + dy))
          return false;
      }
    }
    return true;
  }

  bool Marked(int x, int y) const {
    return surface_.OnObject(x, y) && damage_.ids.Row<std::uint8_t>(y)[x] != 0;
  }

  /// A path of a length within the limits where nothing is yet, or the last one tried.
  DamagePath FreePath(double shortest, double longest, bool from_edge, double bend, double wobble) {
    const Size size = surface_.size();
    DamagePath path;
    for (int attempt = 0; attempt < 40; ++attempt) {
      const double length = random_.Uniform(shortest, longest);
      Point from{size.width * random_.Uniform(0.08, 0.92),
                 size.height * random_.Uniform(0.08, 0.92)};
      if (from_edge) (random_.Chance(0.5) ? from.x : from.y) = -3 * scale();
      if (from_edge && random_.Chance(0.5)) {
        from = {size.width - 1 - from.x, size.height - 1 - from.y};
      }
      const double turns = random_.Unit();
      const Point to{from.x + length * Cosine(turns), from.y + length * Sine(turns)};
      path = BentPath(from, to, random_.Uniform(-bend, bend), wobble * scale(), random_);
      const double rim = 0.05 * std::min(size.width, size.height);
      const bool inside =
          to.x > rim && to.y > rim && to.x < size.width - rim && to.y < size.height - rim;
      if (inside && IsFree(path)) break;
    }
    return path;
  }

  /// A box with sides within these shares of the longer side where nothing is yet.
  Box FreeBox(double smallest, double largest) {
    const Size size = surface_.size();
    Box box;
    for (int attempt = 0; attempt < 40; ++attempt) {
      box.width = Unit() * random_.Uniform(smallest, largest);
      box.height = Unit() * random_.Uniform(smallest, largest);
      box.x = random_.Uniform(0.06 * size.width, 0.94 * size.width - box.width);
      box.y = random_.Uniform(0.06 * size.height, 0.94 * size.height - box.height);
      const DamagePath diagonal =
          BentPath({box.x, box.y}, {box.x + box.width, box.y + box.height}, 0, 0, random_);
      const DamagePath other =
          BentPath({box.x, box.y + box.height}, {box.x + box.width, box.y}, 0, 0, random_);
      if (IsFree(diagonal) && IsFree(other)) break;
    }
    return box;
  }

  int FreeCorner() {
    int corner = random_.Integer(0, 3);
    while (used_corners_[static_cast<std::size_t>(corner)]) corner = (corner + 1) % 4;
    used_corners_[static_cast<std::size_t>(corner)] = true;
    return corner;
  }

  /// Measures what was just drawn under the next id; a defect that left no pixel is none.
  void Record(const char* type, Severity severity) {
    SynthDefect defect{
        .id = Next(), .type = type, .severity = kSeverities[static_cast<std::size_t>(severity)]};
    int left = surface_.size().width;
    int top = surface_.size().height;
    int right = -1;
    int bottom = -1;
    for (int y = 0; y < surface_.size().height; ++y) {
      for (int x = 0; x < surface_.size().width; ++x) {
        if (damage_.ids.Row<std::uint8_t>(y)[x] != defect.id) continue;
        ++defect.area_px;
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = std::max(bottom, y);
      }
    }
    if (defect.area_px == 0) return;
    defect.box = {left, top, right - left + 1, bottom - top + 1};
    damage_.defects.push_back(std::move(defect));
  }

  Surface& surface_;
  Random random_;
  Damage damage_;
  std::array<bool, 4> used_corners_{};  // three kinds of corner damage are never all drawn twice
};

void AgePage(DamagePainter& page) {
  Random& random = page.random();
  if (random.Chance(0.35)) page.AddMissingCorner();
  page.AddTear();
  page.AddCrease(Severity::kHeavy, random.Chance(0.4));
  page.AddCrease(Severity::kMedium, random.Chance(0.5));
  if (random.Chance(0.6)) page.AddCrease(Severity::kLight, true);
  const int ticks = random.Integer(2, 5);
  for (int i = 0; i < ticks; ++i) page.AddSpineTick(page.SomeSeverity());
  if (random.Chance(0.6)) page.AddStain(page.SomeSeverity());
  if (random.Chance(0.3)) page.AddScuff(page.SomeSeverity());
}

void AgeCover(DamagePainter& cover) {
  Random& random = cover.random();
  cover.AddMissingCorner();
  if (random.Chance(0.5)) cover.AddTear();
  if (random.Chance(0.5)) cover.AddCornerWear(cover.SomeSeverity());
  cover.AddCrease(Severity::kHeavy, random.Chance(0.5));
  cover.AddCrease(Severity::kLight, true);
  const int scratches = random.Integer(2, 4);
  for (int i = 0; i < scratches; ++i) cover.AddScratch(cover.SomeSeverity());
  const int ticks = random.Integer(3, 6);
  for (int i = 0; i < ticks; ++i) cover.AddSpineTick(cover.SomeSeverity());
}

void AgeCard(DamagePainter& card) {
  Random& random = card.random();
  const int corners = random.Integer(1, 2);
  for (int i = 0; i < corners; ++i) card.AddCornerWear(card.SomeSeverity());
  card.AddScuff(card.SomeSeverity());
  card.AddCrease(card.SomeSeverity(), true);
  const int scratches = random.Integer(3, 6);
  for (int i = 0; i < scratches; ++i) card.AddScratch(card.SomeSeverity());
}

}  // namespace

Damage DoDamage(SynthKind kind, Surface& surface, std::uint32_t seed) {
  DamagePainter ageing(surface, seed);
  switch (kind) {
    case SynthKind::kPage:
      AgePage(ageing);
      break;
    case SynthKind::kCover:
      AgeCover(ageing);
      break;
    case SynthKind::kCard:
      AgeCard(ageing);
      break;
  }
  return ageing.Result();
}

Damage NoDamage(Size size) { return {{}, NoIds(size)}; }

}  // namespace glint
