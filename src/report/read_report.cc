// SPDX-License-Identifier: Apache-2.0
#include "report/read_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "assess/trade_names.h"
#include "base/status_macros.h"
#include "image/png.h"
#include "report/json.h"
#include "report/json_file.h"
#include "report/names.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The value of which this is the name; the usual one for names of other versions.
template <class T, class Values>
T FromName(std::string_view name, const Values& values, T usual) {
  const auto found = std::ranges::find_if(values, [&](T value) { return Name(value) == name; });
  return found == std::end(values) ? usual : *found;
}

constexpr std::array kOutcomes = {ScanOutcome::kScanned, ScanOutcome::kNoUsableFrames,
                                  ScanOutcome::kNotJudged};
constexpr std::array kKinds = {RegionKind::kLine, RegionKind::kSpot,  RegionKind::kEdgeLoss,
                               RegionKind::kArea, RegionKind::kStain, RegionKind::kFading};
constexpr std::array kSeverities = {Severity::kNone, Severity::kLight, Severity::kModerate,
                                    Severity::kHeavy};

Size ToSize(const json& value) { return {value.at(0).get<int>(), value.at(1).get<int>()}; }

Rectangle ToRectangle(const json& value) {
  return {value.at(0).get<int>(), value.at(1).get<int>(), value.at(2).get<int>(),
          value.at(3).get<int>()};
}

Point ToPoint(const json& value) { return {value.at(0).get<double>(), value.at(1).get<double>()}; }

template <class T>
std::optional<T> Optional(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return found->get<T>();
}

/// The list under a key; empty where there is none.
json ListOf(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? json::array() : *found;
}

LocatedObject ToObject(const json& value) {
  return {.reference_frame = value.at("reference_frame").get<std::int64_t>(),
          .corners = ToCorners(value.at("corners")),
          .size = ToSize(value.at("size"))};
}

GoldenFrame ToGoldenFrame(const json& value) {
  GoldenFrame golden;
  golden.measure.index = value.at("frame").get<std::int64_t>();
  golden.measure.timestamp_us = value.value("timestamp_us", std::int64_t{0});
  golden.registered = value.value("registered", true);
  golden.frame_from_object = value.at("frame_from_object").get<Homography>();
  return golden;
}

DefectRegion ToRegion(const json& value) {
  DefectRegion region;
  region.id = value.at("id").get<int>();
  region.kind = FromName(value.at("kind").get<std::string>(), kKinds, RegionKind::kSpot);
  region.box = ToRectangle(value.at("box"));
  region.area_px = value.at("area_px").get<std::int64_t>();
  region.length_px = value.at("length_px").get<double>();
  region.strength = value.at("strength").get<double>();
  region.family = value.value("family", std::string());
  region.confidence = Optional<double>(value, "confidence");
  return region;
}

Defect ToDefect(const json& value) {
  Defect defect;
  defect.id = value.at("id").get<int>();
  defect.region = value.at("region").get<int>();
  defect.name = FromName(value.at("name").get<std::string>(), kDefectNames, DefectName::kDent);
  defect.severity =
      FromName(value.at("severity").get<std::string>(), kSeverities, Severity::kLight);
  defect.breaks_colour = value.at("breaks_colour").get<bool>();
  defect.part = value.at("part").get<std::string>();
  defect.axis = FromName(value.at("axis").get<std::string>(), kAxes, Axis::kSurface);
  defect.box = ToRectangle(value.at("box"));
  if (const json& line = value.at("line"); !line.is_null()) {
    defect.line = {ToPoint(line.at(0)), ToPoint(line.at(1))};
  }
  defect.area_px = value.at("area_px").get<std::int64_t>();
  defect.length_px = value.at("length_px").get<double>();
  defect.length_mm = Optional<double>(value, "length_mm");
  return defect;
}

StoredReport ToReport(const json& value) {
  StoredReport stored;
  ScanReport& report = stored.report;
  report.scan_id = value.value("scan_id", std::string());
  report.item_type = value.value("item_type", std::string());
  report.profile = value.value("profile", std::string());
  report.outcome =
      FromName(value.at("outcome").get<std::string>(), kOutcomes, ScanOutcome::kScanned);
  if (const json& object = value.at("object"); !object.is_null()) report.object = ToObject(object);
  if (value.contains("video")) report.video.size = ToSize(value.at("video").at("size"));
  for (const json& golden : ListOf(value, "golden_frames")) {
    report.golden.push_back(ToGoldenFrame(golden));
  }
  for (const json& region : ListOf(value, "regions")) report.regions.push_back(ToRegion(region));
  if (const auto assessment = value.find("assessment");
      assessment != value.end() && !assessment->is_null()) {
    stored.assessment.emplace();
    for (const json& defect : ListOf(*assessment, "defects")) {
      stored.assessment->defects.push_back(ToDefect(defect));
    }
  }
  return stored;
}

bool IsPicture(Size size) {
  return size.width > 0 && size.height > 0 && size.area() <= kMaxPicturePixels;
}

bool LiesIn(const Rectangle& box, Size size) {
  return box.x >= 0 && box.y >= 0 && box.width > 0 && box.height > 0 &&
         box.width <= size.width - box.x && box.height <= size.height - box.y;
}

/// What nobody may rely on in a file that others may have written.
absl::Status Check(const ScanReport& report, const fs::path& file) {
  if (!report.object) return absl::OkStatus();
  if (!IsPicture(report.object->size)) return Unusable(file, "its object has no picture's size");
  if (report.video.size != Size{} && !IsPicture(report.video.size)) {
    return Unusable(file, "its video has no picture's size");
  }
  for (const DefectRegion& region : report.regions) {
    if (LiesIn(region.box, report.object->size)) continue;
    return Unusable(file, fmt::format("its region {} lies outside of the object", region.id));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StoredReport> ReadReport(const fs::path& folder) {
  const fs::path file = folder / "report.json";
  return WithJson(file, [&](const json& value) -> absl::StatusOr<StoredReport> {
    StoredReport stored = ToReport(value);
    GLINT_RETURN_IF_ERROR(Check(stored.report, file));
    return stored;
  });
}

absl::StatusOr<Plane> ReadLabelsPicture(const fs::path& folder, const ScanReport& report) {
  const fs::path file = folder / "labels.png";
  GLINT_ASSIGN_OR_RETURN(const std::string content, ReadFile(file));
  absl::StatusOr<Plane> labels = DecodeLabelPng(std::as_bytes(std::span(content)));
  if (!labels.ok()) return In(file.string(), labels.status());
  if (report.object && labels->size() == report.object->size) return labels;
  return Unusable(file, "it does not belong to the report.json beside it");
}

}  // namespace glint
