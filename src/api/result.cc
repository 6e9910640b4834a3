// SPDX-License-Identifier: Apache-2.0
#include "api/result.h"

#include <google/protobuf/util/time_util.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>

#include "assess/trade_names.h"
#include "base/utf8.h"
#include "glint/error.h"
#include "report/names.h"

namespace glint {
namespace {

using google::protobuf::util::TimeUtil;

v1::Outcome Encode(ScanOutcome outcome) {
  switch (outcome) {
    case ScanOutcome::kScanned:
      return v1::OUTCOME_SCANNED;
    case ScanOutcome::kNoUsableFrames:
      return v1::OUTCOME_NO_USABLE_FRAMES;
    case ScanOutcome::kNotJudged:
      return v1::OUTCOME_NOT_JUDGED;
  }
  return v1::OUTCOME_UNSPECIFIED;
}

void AddAssessment(const Assessment& assessment, v1::ScanSummary& summary) {
  summary.set_verdict(assessment.verdict);
  if (!assessment.judges) return;
  summary.set_severity(std::string(Name(assessment.severity)));
  for (const Defect& defect : assessment.defects) {
    const std::string name(Name(defect.name)), severity(Name(defect.severity));
    auto& counts = *summary.mutable_defects();
    const auto same = std::ranges::find_if(counts, [&](const v1::DefectCount& other) {
      return other.name() == name && other.severity() == severity;
    });
    v1::DefectCount& found = same == counts.end() ? *summary.add_defects() : *same;
    found.set_name(name);
    found.set_severity(severity);
    found.set_count(found.count() + 1);
  }
}

v1::BothSides Encode(const BothSides& both) {
  v1::BothSides message;
  message.set_verdict(both.verdict);
  if (both.severity) message.set_severity(std::string(Name(*both.severity)));
  for (const std::string& note : both.notes) message.add_notes(note);
  return message;
}

v1::ScanSummary Summarise(const ScanReport& report, const std::optional<Assessment>& assessment) {
  v1::ScanSummary summary;
  summary.set_outcome(Encode(report.outcome));
  if (report.not_judged) {
    summary.mutable_not_judged()->set_cause(std::string(Name(report.not_judged->cause)));
    summary.mutable_not_judged()->set_time_ms(report.not_judged->timestamp_us / 1000);
  }
  if (report.damaged_percent) summary.set_damaged_percent(*report.damaged_percent);
  for (const NamedRegion& region : report.named_regions) {
    v1::RegionScore& score = *summary.add_named_regions();
    score.set_name(region.name);
    if (region.damaged_percent) score.set_damaged_percent(*region.damaged_percent);
  }
  summary.set_regions(static_cast<std::int32_t>(report.regions_found));
  for (const GoldenFrame& frame : report.golden) {
    summary.add_golden_frames(frame.measure.index);
    summary.add_golden_times_ms(frame.measure.timestamp_us / 1000);
  }
  for (const std::string& text : report.advice) summary.add_advice(ValidUtf8(text));
  for (const std::string& text : report.warnings) summary.add_warnings(ValidUtf8(text));
  summary.set_device(report.device);
  summary.set_device_why(ValidUtf8(report.device_why));
  if (assessment) AddAssessment(*assessment, summary);
  return summary;
}

/// The prefix that EncodeResult was given.
std::string PrefixOf(const v1::ScanObject& object) {
  const std::size_t bytes = object.key().size() - object.name().size();
  return object.key().substr(0, bytes == 0 ? 0 : bytes - 1);
}

void AddLinks(const ObjectLinks& links, v1::ScanResult& result) {
  std::vector<std::string> names;
  for (const v1::ScanObject& object : result.objects()) names.push_back(object.name());
  const auto found = links(PrefixOf(result.objects(0)), names);
  if (!found.ok() || found->size() != names.size()) {
    spdlog::warn("no links to the objects of a result: {}", Message(found.status()));
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    v1::ScanObject& object = *result.mutable_objects(static_cast<int>(i));
    object.set_key((*found)[i].key);
    object.set_url((*found)[i].url);
  }
}

}  // namespace

std::string EncodeResult(const ScanReport& report, double wall_ms, std::string_view prefix,
                         std::span<const StoredObject> objects,
                         const std::optional<Assessment>& assessment,
                         const std::optional<BackResult>& back) {
  v1::ScanResult result;
  *result.mutable_summary() = Summarise(report, assessment);
  if (back) {
    *result.mutable_back() = Summarise(back->report, back->assessment);
    *result.mutable_both_sides() = Encode(back->both);
  }
  for (const StoredObject& stored : objects) {
    v1::ScanObject& object = *result.add_objects();
    object.set_name(stored.name);
    object.set_key(prefix.empty() ? stored.name : std::string(prefix) + "/" + stored.name);
    object.set_content_type(stored.content_type);
    object.set_bytes(stored.bytes);
  }
  *result.mutable_wall_time() = TimeUtil::MillisecondsToDuration(std::llround(wall_ms));
  return result.SerializeAsString();
}

absl::StatusOr<v1::ScanResult> DecodeResult(std::string_view bytes, const ObjectLinks& links) {
  v1::ScanResult result;
  if (!result.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Error(Reason::kInternal, "the stored result of the scan cannot be read");
  }
  if (links && result.objects_size() > 0) AddLinks(links, result);
  return result;
}

}  // namespace glint
