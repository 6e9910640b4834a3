// SPDX-License-Identifier: Apache-2.0
#include "report/names.h"

#include <fmt/format.h>

namespace glint {

std::string_view Name(ScanOutcome outcome) {
  switch (outcome) {
    case ScanOutcome::kScanned:
      return "scanned";
    case ScanOutcome::kNoUsableFrames:
      return "no_usable_frames";
    case ScanOutcome::kNotJudged:
      return "not_judged";
  }
  return "?";
}

std::string_view Name(NotJudgedCause cause) {
  switch (cause) {
    case NotJudgedCause::kNoObject:
      return "no_object";
    case NotJudgedCause::kObjectOutside:
      return "object_outside";
    case NotJudgedCause::kFewViews:
      return "few_views";
    case NotJudgedCause::kStillLight:
      return "still_light";
    case NotJudgedCause::kPoorRegistration:
      return "poor_registration";
  }
  return "?";
}

std::string_view Name(RegionKind kind) {
  switch (kind) {
    case RegionKind::kLine:
      return "line";
    case RegionKind::kSpot:
      return "spot";
    case RegionKind::kEdgeLoss:
      return "edge_loss";
    case RegionKind::kArea:
      return "area";
    case RegionKind::kStain:
      return "stain";
    case RegionKind::kFading:
      return "fading";
  }
  return "?";
}

std::string GoldenPictureName(std::size_t place) {
  return fmt::format("golden_{:02}.png", place + 1);
}

}  // namespace glint
