// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "assess/trade_names.h"
#include "report/json_text.h"
#include "report/names.h"
#include "report/selection.h"

namespace glint {
namespace {

using Json = nlohmann::ordered_json;

// Decimals that are kept: far finer than anything that is measured.
constexpr int kPixelDecimals = 4;
constexpr int kPercentDecimals = 5;
constexpr int kShareDecimals = 6;
constexpr int kSecondDecimals = 6;
constexpr int kMillisecondDecimals = 3;
constexpr int kMillimetreDecimals = 3;

Json OptionalPercent(const std::optional<double>& percent) {
  return percent ? Rounded(*percent, kPercentDecimals) : Json(nullptr);
}

Json ToJson(Size size) { return {size.width, size.height}; }

Json ToJson(const Rectangle& box) { return {box.x, box.y, box.width, box.height}; }

Json ToJson(const Quadrilateral& corners) {
  Json out = Json::array();
  for (const Point& corner : corners) {
    out.push_back({Rounded(corner.x, kPixelDecimals), Rounded(corner.y, kPixelDecimals)});
  }
  return out;
}

Json ToJson(const LocatedObject& object) {
  Json json = {{"reference_frame", object.reference_frame},
               {"corners", ToJson(object.corners)},
               {"size", ToJson(object.size)},
               {"method", object.method},
               {"confidence", Rounded(object.confidence, kShareDecimals)}};
  json["up"] = Name(object.up);
  return json;
}

Json ToJson(const NamedRegion& region) {
  return {{"name", region.name},
          {"box", ToJson(region.box)},
          {"damaged_percent", OptionalPercent(region.damaged_percent)}};
}

Json ToJson(const DefectRegion& region) {
  Json json = {{"id", region.id},
               {"kind", Name(region.kind)},
               {"box", ToJson(region.box)},
               {"frame_box", ToJson(region.frame_box)},
               {"area_px", region.area_px},
               {"length_px", Rounded(region.length_px, kPixelDecimals)},
               {"width_px", Rounded(region.width_px, kPixelDecimals)},
               {"strength", Rounded(region.strength, kShareDecimals)},
               {"views", region.views}};
  if (!region.family.empty()) json["family"] = region.family;
  if (region.confidence) json["confidence"] = Rounded(*region.confidence, kShareDecimals);
  if (region.best_frame) json["best_frame"] = *region.best_frame;
  if (region.is_new) json["new"] = *region.is_new;
  return json;
}

Json ToJson(const ReferenceFacts& reference) {
  Json json = {{"file", reference.name},
               {"scan_id", reference.scan_id.empty() ? Json(nullptr) : Json(reference.scan_id)},
               {"compared_percent", Rounded(reference.compared_percent, kPercentDecimals)},
               {"changed_percent", Rounded(reference.changed_percent, kPercentDecimals)}};
  if (reference.new_regions) json["new_regions"] = *reference.new_regions;
  return json;
}

/// Sixteenths and 256ths are exact in binary, so these need no rounding.
Json ToJson(const FrameMeasure& frame) {
  Json motion = nullptr;
  if (frame.motion256) motion = static_cast<double>(*frame.motion256) / 256;
  return {{"index", frame.index},
          {"timestamp_us", frame.timestamp_us},
          {"sharpness", static_cast<double>(frame.sharpness16) / 16},
          {"motion_px", motion},
          {"clipped", Rounded(frame.clipped, kShareDecimals)},
          {"eligible", frame.eligible}};
}

/// The homography is written in full: rounding it would move far corners.
Json ToJson(const GoldenFrame& golden, std::size_t place) {
  return {{"picture", GoldenPictureName(place)},
          {"frame", golden.measure.index},
          {"timestamp_us", golden.measure.timestamp_us},
          {"registered", golden.registered},
          {"residual_px", Rounded(golden.residual_px, kPixelDecimals)},
          {"coverage", Rounded(golden.coverage, kShareDecimals)},
          {"frame_from_object", golden.frame_from_object},
          {"why_dropped", golden.why_dropped}};
}

Json ToJson(const NotJudged& why) {
  return {{"cause", Name(why.cause)}, {"timestamp_us", why.timestamp_us}};
}

Json ToJson(const VideoInfo& video) {
  return {{"container", video.container},
          {"codec", video.codec},
          {"pixel_format", video.pixel_format},
          {"coded_size", ToJson(video.coded_size)},
          {"size", ToJson(video.size)},
          {"rotation", video.rotation},
          {"frames", video.frames},
          {"duration_s", Rounded(video.duration_s, kSecondDecimals)},
          {"frames_per_s", Rounded(video.frames_per_s, kSecondDecimals)},
          {"bit_depth", video.bit_depth},
          {"full_range", video.full_range}};
}

Json ToJson(const DecodeSummary& decoding) {
  return {{"frames", decoding.frames},
          {"damaged", decoding.damaged},
          {"truncated", decoding.truncated},
          {"warnings", decoding.warnings}};
}

Json SelectionToJson(const ScanReport& report) {
  const Selection selection = Summarise(report);
  Json near_misses = Json::array();
  for (const FrameMeasure& frame : selection.near_misses) near_misses.push_back(frame.index);
  return {{"motion_limit_px", Rounded(report.motion_limit_px, kPixelDecimals)},
          {"motion_mode", report.motion_mode},
          {"measured", report.frames.size()},
          {"eligible", selection.eligible},
          {"moving", selection.moving},
          {"unmeasured", selection.unmeasured},
          {"near_misses", near_misses},
          {"views_chosen", report.views_chosen},
          {"views_used", report.views_used}};
}

Json DeviceToJson(const ScanReport& report) {
  Json stages = Json::array();
  for (const StageDevice& stage : report.stages) {
    stages.push_back({{"stage", stage.stage}, {"device", stage.device}});
  }
  return {{"name", report.device},
          {"why", report.device_why},
          {"stages", stages},
          {"decoder",
           {{"name", report.video.decoder},
            {"why", report.video.decoder_why},
            {"sandbox", report.video.sandbox}}}};
}

Json ToJson(const Point& point) {
  return {Rounded(point.x, kPixelDecimals), Rounded(point.y, kPixelDecimals)};
}

Json ToJson(const Defect& defect) {
  Json line = nullptr;
  if (defect.line) line = {ToJson(defect.line->first), ToJson(defect.line->second)};
  return {{"id", defect.id},
          {"region", defect.region},
          {"name", Name(defect.name)},
          {"severity", Name(defect.severity)},
          {"breaks_colour", defect.breaks_colour},
          {"part", defect.part},
          {"axis", Name(defect.axis)},
          {"box", ToJson(defect.box)},
          {"line", line},
          {"area_px", defect.area_px},
          {"length_px", Rounded(defect.length_px, kPixelDecimals)},
          {"length_mm",
           defect.length_mm ? Rounded(*defect.length_mm, kMillimetreDecimals) : Json(nullptr)}};
}

Json ToJson(const ObjectPart& part) {
  return {{"name", part.name},
          {"box", ToJson(part.box)},
          {"seen_px", part.seen_px},
          {"damaged_px", part.damaged_px},
          {"damaged_percent", OptionalPercent(part.damaged_percent)},
          {"defects", part.defects},
          {"worst", Name(part.worst)}};
}

Json ToJson(const AxisSummary& axis) {
  return {{"name", Name(axis.axis)},
          {"defects", axis.defects},
          {"worst", Name(axis.worst)},
          {"text", axis.text}};
}

Json ToJson(const ObjectScale& scale) {
  return {{"width_mm", scale.width_mm},
          {"height_mm", scale.height_mm},
          {"assumed", scale.assumed},
          {"name", scale.name}};
}

Json ToJson(const Centering& centering) {
  return {{"left_px", Rounded(centering.left_px, kPixelDecimals)},
          {"right_px", Rounded(centering.right_px, kPixelDecimals)},
          {"top_px", Rounded(centering.top_px, kPixelDecimals)},
          {"bottom_px", Rounded(centering.bottom_px, kPixelDecimals)},
          {"left_percent", Rounded(centering.left_percent(), kPercentDecimals)},
          {"top_percent", Rounded(centering.top_percent(), kPercentDecimals)}};
}

template <class T>
Json ListToJson(const std::vector<T>& values) {
  Json out = Json::array();
  out.get_ref<Json::array_t&>().reserve(values.size());
  for (const T& value : values) out.push_back(ToJson(value));
  return out;
}

Json ToJson(const Assessment& assessment) {
  return {{"verdict", assessment.verdict},
          {"severity", assessment.judges ? Json(Name(assessment.severity)) : Json(nullptr)},
          {"size", assessment.scale ? ToJson(*assessment.scale) : Json(nullptr)},
          {"defects", ListToJson(assessment.defects)},
          {"parts", ListToJson(assessment.parts)},
          {"centering", assessment.centering ? ToJson(*assessment.centering) : Json(nullptr)},
          {"axes", ListToJson(assessment.axes)},
          {"notes", assessment.notes}};
}

/// Both sides together, and where the back's own report is.
Json ToJson(const BackSummary& back) {
  const auto& [report, assessment, both] = back;
  const bool names = assessment && assessment->judges && report.damaged_percent;
  Json side = {{"report", std::string(kBackFolder) + "report.json"},
               {"outcome", Name(report.outcome)},
               {"damaged_percent", OptionalPercent(report.damaged_percent)},
               {"verdict", assessment ? Json(assessment->verdict) : Json(nullptr)},
               {"severity", names ? Json(Name(assessment->severity)) : Json(nullptr)},
               {"defects", names ? Json(assessment->defects.size()) : Json(nullptr)}};
  return {{"verdict", both.verdict},
          {"severity", both.severity ? Json(Name(*both.severity)) : Json(nullptr)},
          {"axes", ListToJson(both.axes)},
          {"notes", both.notes},
          {"back", std::move(side)}};
}

}  // namespace

std::string ToJson(const ScanReport& report, const std::optional<Assessment>& assessment,
                   const std::optional<BackSummary>& back) {
  Json golden = Json::array();
  for (std::size_t i = 0; i < report.golden.size(); ++i) {
    golden.push_back(ToJson(report.golden[i], i));
  }
  Json json = {{"schema_version", kSchemaVersion},
               {"glint_version", GLINT_VERSION},
               {"scan_id", report.scan_id},
               {"item_type", report.item_type},
               {"profile", report.profile},
               {"outcome", Name(report.outcome)},
               {"damaged_percent", OptionalPercent(report.damaged_percent)}};
  if (report.not_judged) json["not_judged"] = ToJson(*report.not_judged);
  if (report.unknown_percent) {
    json["unknown_percent"] = Rounded(*report.unknown_percent, kPercentDecimals);
  }
  if (report.glare_percent) {
    json["glare_percent"] = Rounded(*report.glare_percent, kPercentDecimals);
  }
  json["assessment"] = assessment ? ToJson(*assessment) : Json(nullptr);
  if (back) json["both_sides"] = ToJson(*back);
  if (report.reference) json["reference"] = ToJson(*report.reference);
  json["object"] = report.object ? ToJson(*report.object) : Json(nullptr);
  json["named_regions"] = ListToJson(report.named_regions);
  json["regions_found"] = report.regions_found;
  json["regions"] = ListToJson(report.regions);
  json["golden_frames"] = std::move(golden);
  json["selection"] = SelectionToJson(report);
  json["advice"] = report.advice;
  json["warnings"] = report.warnings;
  json["video"] = ToJson(report.video);
  json["decoding"] = ToJson(report.decoding);
  json["device"] = DeviceToJson(report);
  json["frames"] = ListToJson(report.frames);
  return ReadableText(json);
}

std::string ToJson(const ScanTiming& timing) {
  Json steps = Json::array();
  for (const auto& [step, ms] : timing.step_ms) {
    steps.push_back({{"step", step}, {"ms", Rounded(ms, kMillisecondDecimals)}});
  }
  return ReadableText({{"schema_version", kSchemaVersion},
                       {"wall_ms", Rounded(timing.wall_ms, kMillisecondDecimals)},
                       {"cpu_ms", Rounded(timing.cpu_ms, kMillisecondDecimals)},
                       {"peak_rss_bytes", timing.peak_rss_bytes},
                       {"threads", timing.threads},
                       {"steps", steps}});
}

}  // namespace glint
