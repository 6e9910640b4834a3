// SPDX-License-Identifier: Apache-2.0
#include "assess/assess.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "assess/centering.h"
#include "assess/object_size.h"
#include "assess/parts.h"
#include "assess/severity.h"
#include "assess/strokes.h"
#include "assess/verdict.h"
#include "glint/profile.h"

namespace glint {
namespace {

bool IsLineName(DefectName name) {
  return name == DefectName::kCrease || name == DefectName::kSpineTick ||
         name == DefectName::kScratch || name == DefectName::kCrack ||
         name == DefectName::kCreaseOrScratch;
}

/// The part that holds most of the pixels, the first of equals.
std::size_t MainPart(const std::vector<ObjectPart>& parts, const Stroke& stroke) {
  std::vector<std::size_t> pixels(parts.size(), 0);
  for (const Point& p : stroke.pixels) {
    ++pixels[PartAt(parts, static_cast<int>(p.x), static_cast<int>(p.y))];
  }
  return static_cast<std::size_t>(std::ranges::max_element(pixels) - pixels.begin());
}

/// The axis of a defect: what is gone or worn by its name, all else by where it lies.
Axis AxisFor(const Defect& defect) {
  const DefectName name = defect.name;
  if (name == DefectName::kMissingCorner || name == DefectName::kWornCorner) return Axis::kCorners;
  const bool of_edges = name == DefectName::kSpineTick || name == DefectName::kTear ||
                        name == DefectName::kMissingPiece;
  return of_edges ? Axis::kEdges : AxisOf(defect.part);
}

/// A length between two points in millimetres; the two directions may have different scales.
double LengthMm(const Stroke& stroke, double length_px, const ObjectScale& scale, Size object) {
  const double x = scale.width_mm / object.width, y = scale.height_mm / object.height;
  if (stroke.length() <= 0) return length_px * std::sqrt(x * y);
  const double mm =
      std::hypot(x * (stroke.to.x - stroke.from.x), y * (stroke.to.y - stroke.from.y));
  return mm * length_px / stroke.length();
}

Defect Describe(const AssessmentInput& input, const DefectRegion& region, const Stroke& stroke,
                bool only, Assessment& assessment) {
  const Size object = input.labels.size();
  Defect defect;
  defect.region = region.id;
  defect.box = stroke.box;
  defect.area_px = std::ssize(stroke.pixels);
  defect.length_px = only ? region.length_px : stroke.length();
  const bool breaks = MayCross(region) && BreaksColour(input.picture, stroke);
  defect.name = NameOf(region, stroke, {input.report.item_type, object, input.side}, input.around);
  if (IsLineName(defect.name)) {
    defect.breaks_colour = breaks && defect.name != DefectName::kCrack;
    defect.line = {stroke.from, stroke.to};
  }
  if (assessment.scale) {
    defect.length_mm = LengthMm(stroke, defect.length_px, *assessment.scale, object);
  }
  defect.severity = SeverityOf(defect, object);
  ObjectPart& part = assessment.parts[MainPart(assessment.parts, stroke)];
  defect.part = part.name;
  defect.axis = AxisFor(defect);
  ++part.defects;
  part.worst = std::max(part.worst, defect.severity);
  return defect;
}

/// Names the defects, the worst first, of those the longest.
void NameDefects(const AssessmentInput& input, Assessment& assessment) {
  std::vector<Defect>& defects = assessment.defects;
  for (const DefectRegion& region : input.report.regions) {
    const auto strokes = StrokesOf(input.labels, region.id, region.box, MayCross(region));
    for (const Stroke& stroke : strokes) {
      defects.push_back(Describe(input, region, stroke, strokes.size() == 1, assessment));
    }
  }
  std::ranges::stable_sort(defects, [](const Defect& a, const Defect& b) {
    return std::pair(b.severity, b.length_px) < std::pair(a.severity, a.length_px);
  });
  for (std::size_t i = 0; i < defects.size(); ++i) defects[i].id = static_cast<int>(i) + 1;
  if (!defects.empty()) assessment.severity = defects.front().severity;
}

}  // namespace

Assessment Assess(const AssessmentInput& input) {
  const Size object = input.labels.size();
  Assessment assessment;
  assessment.judges = input.report.profile == kProfilePhotometric;
  assessment.scale = ScaleOf(input.size, input.report.item_type, object);
  assessment.parts = PartsOf(input.report.item_type, object, input.side);
  MeasureParts(input.mask, input.seen, assessment.parts);
  if (!input.picture.empty() && input.report.item_type != "surface") {
    assessment.centering = MeasureCentering(input.picture);
  }
  if (assessment.judges) NameDefects(input, assessment);
  assessment.axes = SummariseAxes(assessment);
  assessment.notes = NotesOn(assessment, input.report);
  assessment.verdict = Verdict(assessment, input.report);
  return assessment;
}

}  // namespace glint
