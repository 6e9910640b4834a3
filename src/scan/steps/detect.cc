// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyse/item_types.h"
#include "analyse/judgeable.h"
#include "analyse/leave_unjudged.h"
#include "analyse/locate.h"
#include "analyse/photometric/outline/outline.h"
#include "analyse/reference/findings.h"
#include "assess/assess.h"
#include "base/freed_memory.h"
#include "base/status_macros.h"
#include "report/overlay.h"
#include "scan/close_ups.h"
#include "scan/record_detection.h"
#include "scan/steps/scan_steps.h"

namespace glint {
namespace {

/// The median view of the object alone.
Plane WithoutSurroundings(const Plane& colour) {
  constexpr int kMargin = photometric::kBackgroundMargin;
  return Crop(colour, kMargin, kMargin,
              {colour.width() - 2 * kMargin, colour.height() - 2 * kMargin});
}

absl::StatusOr<Detection> RunDetector(const ScanContext& scan, StageSet& stages,
                                      const ItemType& type, const Registered& registered) {
  const LocatedObject& object = *registered.report.object;
  if (!registered.views)
    return DetectClassicDamage(registered.golden, object.size, stages, scan.params);
  const bool outline_found = object.method == kFoundByOutline;
  return DetectPhotometricDamage(*registered.views, PhotometricOptionsFor(type, outline_found),
                                 registered.golden.front().frame_from_object, stages,
                                 scan.deps.pool, scan.cancel, scan.params);
}

/// Adds to `found` and `detected` what differs from the good copy.
absl::Status Compare(const ScanContext& scan, StageSet& stages, ReferenceFile good_copy,
                     const ViewStack& views, Detection& found, Detected& detected) {
  const Plane where = Both(found.surface, found.seen);
  GLINT_ASSIGN_OR_RETURN(auto comparison,
                         CompareWithCopy(detected.pictures.median, where, good_copy.copy, stages,
                                         scan.deps.pool, scan.cancel, scan.params.reference));
  GLINT_RETURN_IF_ERROR(AddComparison(comparison, views, detected.reference->frame_from_object,
                                      stages, scan.deps.pool, found, scan.params));
  ReferenceFacts& facts = detected.report.reference.emplace(std::move(good_copy.facts));
  facts.compared_percent = MarkedPercent(comparison.compared, where);
  facts.changed_percent = MarkedPercent(comparison.changed, comparison.compared);
  if (!comparison.known.empty()) {
    facts.new_regions = std::ranges::count_if(
        found.regions.regions, [](const DefectRegion& region) { return region.is_new == true; });
  }
  detected.pictures.good_copy = std::move(comparison.picture);
  return absl::OkStatus();
}

/// Whether the report is left unjudged for what the views lack.
bool LeaveUnjudgeable(const Detection& found, bool light_matters, const RegisteredFrame& reference,
                      const JudgeableParams& params, ScanReport& report) {
  const auto cause = WhyNotJudgeable(found, light_matters, params);
  if (!cause) return false;
  LeaveUnjudged({.cause = *cause, .timestamp_us = reference.frame.timestamp_us}, report);
  if (*cause == NotJudgedCause::kNoObject) report.object.reset();
  return true;
}

/// Everything of the step but the end of its scratch memory. The views go when it returns.
absl::StatusOr<Detected> DetectAndDescribe(const ScanContext& scan, StageSet& stages,
                                           Registered registered,
                                           std::optional<ReferenceFile> good_copy) {
  GLINT_ASSIGN_OR_RETURN(const ItemType* type, FindItemType(scan.request.item_type));
  GLINT_ASSIGN_OR_RETURN(Detection found, RunDetector(scan, stages, *type, registered));
  Detected detected{.reference = std::move(registered.golden.front()),
                    .report = std::move(registered.report)};
  const std::optional<ViewStack>& views = registered.views;
  const bool light_matters = type->printed && !good_copy;
  if (views && LeaveUnjudgeable(found, light_matters, *detected.reference, scan.params.judgeable,
                                detected.report)) {
    return Detected{.report = std::move(detected.report)};
  }
  if (views) detected.pictures.median = WithoutSurroundings(views->colour);
  if (good_copy) {
    GLINT_RETURN_IF_ERROR(Compare(scan, stages, *std::move(good_copy), *views, found, detected));
  }
  const Plane seen = found.seen;
  RecordDetection(std::move(found), *type, scan.side, scan.params.advice, detected.report,
                  detected.pictures);
  const ScanPictures& pictures = detected.pictures;
  const Plane none;
  detected.assessment =
      Assess({.report = detected.report,
              .labels = pictures.labels,
              .mask = pictures.mask,
              .seen = seen,
              .picture = pictures.median,
              .around = {views ? views->colour : none, photometric::kBackgroundMargin},
              .size = scan.request.size,
              .side = scan.side});
  if (views) {
    GLINT_ASSIGN_OR_RETURN(
        detected.pictures.close_ups,
        CutCloseUps(detected.report.regions, detected.pictures.labels, views->sources, stages));
  }
  return detected;
}

}  // namespace

absl::StatusOr<Detected> DetectDamage(const ScanContext& scan, StageSet& stages,
                                      Registered registered,
                                      std::optional<ReferenceFile> good_copy) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kDetecting));
  ReturnFreedMemory();  // registering has freed much, in small pieces
  GLINT_ASSIGN_OR_RETURN(Detected detected, DetectAndDescribe(scan, stages, std::move(registered),
                                                              std::move(good_copy)));
  GLINT_RETURN_IF_ERROR(stages.Renew());
  return detected;
}

}  // namespace glint
