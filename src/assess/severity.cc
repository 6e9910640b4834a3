// SPDX-License-Identifier: Apache-2.0
#include "assess/severity.h"

#include <fmt/format.h>

#include <algorithm>

namespace glint {
namespace {

// Of the object's shorter side: 3 mm and 16 mm of a trading card, 8 mm and 42 mm of a comic.
constexpr double kModerateLength = 0.05, kHeavyLength = 0.25;
// Of the object's area.
constexpr double kModerateArea = 0.002, kHeavyArea = 0.02;

bool IsArea(DefectName name) {
  return name == DefectName::kStain || name == DefectName::kFading || name == DefectName::kDent;
}

bool IsLine(DefectName name) {
  return name == DefectName::kCrease || name == DefectName::kSpineTick ||
         name == DefectName::kScratch || name == DefectName::kCreaseOrScratch;
}

bool IsLoss(DefectName name) {
  return name == DefectName::kTear || name == DefectName::kMissingCorner ||
         name == DefectName::kMissingPiece;
}

int StepOf(double share, double moderate, double heavy) {
  return share > heavy ? 3 : share > moderate ? 2 : 1;
}

}  // namespace

Severity SeverityOf(const Defect& defect, Size object) {
  const double side = std::min(object.width, object.height);
  const double area = static_cast<double>(object.area());
  int step = IsArea(defect.name)
                 ? StepOf(static_cast<double>(defect.area_px) / area, kModerateArea, kHeavyArea)
                 : StepOf(defect.length_px / side, kModerateLength, kHeavyLength);
  if (IsLine(defect.name) && !defect.breaks_colour) --step;
  if (IsLoss(defect.name)) ++step;
  return static_cast<Severity>(std::clamp(step, 1, 3));
}

std::string SeverityRule() {
  return fmt::format(
      "Lines, tears, cracks and corners go by their length: light up to {:.0f} % of the object's "
      "shorter side, moderate up to {:.0f} %, heavy beyond. Stains, faded areas and dents go by "
      "their area: light up to {:.1f} % of the object, moderate up to {:.0f} %, heavy beyond. A "
      "crease, spine tick or scratch that leaves the colour whole counts one step less, a tear, a "
      "missing corner or a missing piece one step more. The object is as bad as its worst defect; "
      "this is no grade of any company.",
      100 * kModerateLength, 100 * kHeavyLength, 100 * kModerateArea, 100 * kHeavyArea);
}

}  // namespace glint
