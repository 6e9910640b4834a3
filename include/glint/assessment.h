// SPDX-License-Identifier: Apache-2.0
// What a scan found, in the words of people who collect and grade: names, severities, millimetres.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "glint/report.h"

namespace glint {

/// What a person who collects calls a piece of damage.
enum class DefectName {
  kCrease,           ///< a fold
  kSpineTick,        ///< a short line across the bound edge
  kScratch,          ///< a thin line inside the surface
  kCrack,            ///< a line in an unprinted surface
  kDent,             ///< a spot or area that answers to light, but is no line
  kTear,             ///< a narrow gap from an edge inwards
  kMissingCorner,    ///< the surroundings show where a corner should be
  kMissingPiece,     ///< the same at an edge
  kWornCorner,       ///< pale paper shows at a corner
  kStain,            ///< darker or more coloured than a good copy
  kFading,           ///< paler than a good copy
  kCreaseOrScratch,  ///< a thin line that may be a fold or a scratch: nothing tells which
};

/// How bad a defect is; the rule is SeverityRule() in assess/severity.h.
enum class Severity { kNone, kLight, kModerate, kHeavy };

/// What graders of this field look at.
enum class Axis { kCentering, kCorners, kEdges, kSurface };
inline constexpr std::array kAxes = {Axis::kCentering, Axis::kCorners, Axis::kEdges,
                                     Axis::kSurface};

/// One defect as a person would count it: lines that cross are several, though they are one region.
struct Defect {
  int id = 0;      ///< from 1, the worst first
  int region = 0;  ///< DefectRegion::id
  DefectName name = DefectName::kDent;
  Severity severity = Severity::kLight;
  bool breaks_colour =
      false;         ///< a line along which the print is gone, so that it shows in any light
  std::string part;  ///< ObjectPart::name: where most of it lies
  Axis axis = Axis::kSurface;
  Rectangle box;                                ///< object pixels
  std::optional<std::pair<Point, Point>> line;  ///< ends of a line, object pixels
  std::int64_t area_px = 0;
  double length_px = 0;
  std::optional<double> length_mm;  ///< where the object's size is known
};

/// A part of the object. Parts tile it: every pixel belongs to the first part whose box holds it.
struct ObjectPart {
  std::string name;  ///< "corner_tl", "edge_top", "spine", "face", ...
  Rectangle box;     ///< object pixels
  std::int64_t seen_px = 0;
  std::int64_t damaged_px = 0;            ///< of the seen ones
  std::optional<double> damaged_percent;  ///< of the seen ones; nothing: most could not be seen
  int defects = 0;                        ///< that lie in it for the most part
  Severity worst = Severity::kNone;       ///< of those
};

/// How large the object is.
struct ObjectScale {
  double width_mm = 0;
  double height_mm = 0;
  bool assumed = false;  ///< taken from the item type, not from the person who scans
  std::string name;      ///< of the preset: "trading card"; empty: a size was given
};

/// How wide the printed border is on each side.
struct Centering {
  double left_px = 0, right_px = 0, top_px = 0, bottom_px = 0;
  /// The wider one first to find: left as a share of left and right, in percent.
  double left_percent() const { return 100 * left_px / (left_px + right_px); }
  double top_percent() const { return 100 * top_px / (top_px + bottom_px); }
};

/// What is found along one axis.
struct AxisSummary {
  Axis axis = Axis::kSurface;
  int defects = 0;
  Severity worst = Severity::kNone;
  std::string text;  ///< a phrase: "1 missing corner (heavy)"
};

/// The whole assessment. It is no grade of any company.
struct Assessment {
  std::string verdict;  ///< one sentence
  Severity severity = Severity::kNone;
  bool judges = false;  ///< false: the detector marks print, too, so that there are no defects
  std::optional<ObjectScale> scale;
  std::vector<Defect> defects;    ///< the worst first
  std::vector<ObjectPart> parts;  ///< tile the object
  std::optional<Centering> centering;
  std::vector<AxisSummary> axes;   ///< in the order of kAxes
  std::vector<std::string> notes;  ///< what could not be judged, and what was assumed
};

/// Front and back of one item together; sides that were not judged count in nothing.
struct BothSides {
  std::string verdict;               ///< a sentence; one more where a side was not judged
  std::optional<Severity> severity;  ///< of the worst defect; nothing: no side has a severity
  std::vector<AxisSummary> axes;     ///< in the order of kAxes
  std::vector<std::string> notes;    ///< which side was not judged, and why
};

}  // namespace glint
