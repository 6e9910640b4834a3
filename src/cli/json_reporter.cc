// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <map>

#include "assess/trade_names.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/reporter.h"
#include "glint/error.h"
#include "http/url.h"
#include "report/names.h"

namespace glint {
namespace {

using Json = nlohmann::ordered_json;
using Steady = std::chrono::steady_clock;

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json NamedRegions(const ScanReport& report) {
  Json regions = Json::object();
  for (const NamedRegion& region : report.named_regions) {
    regions[region.name] = OrNull(region.damaged_percent);
  }
  return regions;
}

Json BothSidesJson(const BackResult& back) {
  const auto& [report, assessment, both] = back;
  const bool names = assessment && assessment->judges && report.damaged_percent;
  return {{"verdict", both.verdict},
          {"severity", both.severity ? Json(glint::Name(*both.severity)) : Json(nullptr)},
          {"back",
           {{"outcome", glint::Name(report.outcome)},
            {"damaged_percent", OrNull(report.damaged_percent)},
            {"regions", report.regions_found},
            {"defects", names ? Json(assessment->defects.size()) : Json(nullptr)},
            {"advice", report.advice},
            {"warnings", report.warnings}}}};
}

class JsonReporter final : public Reporter {
 public:
  explicit JsonReporter(Console& console) : console_(console) {}

  void Begin(std::size_t jobs) override { Write({{"event", "begin"}, {"videos", jobs}}); }

  void Started(const ScanJob& job) override {
    Write({{"event", "started"}, {"scan_id", job.scan_id}, {"input", ShownInput(job.input)}});
  }

  void Advanced(const ScanJob& job, const Progress& progress) override {
    constexpr std::chrono::milliseconds kEvery(200);
    Told& told = told_[job.scan_id];
    if (told.step == progress.step && Steady::now() - told.when < kEvery) return;
    told = {progress.step, Steady::now()};
    Write({{"event", "progress"},
           {"scan_id", job.scan_id},
           {"step", glint::Name(progress.step)},
           {"fraction", progress.fraction},
           {"frames", progress.frames},
           {"frames_of", progress.frames_of},
           {"bytes", progress.bytes},
           {"bytes_of", progress.bytes_of}});
  }

  void Scanned(const ScanJob& job, const ScanResult& result, const std::string& path) override {
    told_.erase(job.scan_id);
    const ScanReport& report = result.report;
    Json line = {{"event", "result"},
                 {"scan_id", job.scan_id},
                 {"input", ShownInput(job.input)},
                 {"outcome", glint::Name(report.outcome)},
                 {"report", path},
                 {"damaged_percent", OrNull(report.damaged_percent)},
                 {"regions", report.regions_found},
                 {"named_regions", NamedRegions(report)},
                 {"frames", report.decoding.frames},
                 {"golden_frames", Json::array()},
                 {"advice", report.advice},
                 {"warnings", report.warnings},
                 {"device", report.device},
                 {"wall_ms", result.timing.wall_ms},
                 {"peak_rss_bytes", result.timing.peak_rss_bytes}};
    if (const auto& assessment = result.assessment) {
      line["verdict"] = assessment->verdict;
      line["severity"] =
          assessment->judges ? Json(glint::Name(assessment->severity)) : Json(nullptr);
      line["defects"] = assessment->defects.size();
    }
    if (result.back) line["both_sides"] = BothSidesJson(*result.back);
    for (const GoldenFrame& frame : report.golden) {
      line["golden_frames"].push_back(frame.measure.index);
    }
    Write(line);
  }

  void Skipped(const ScanJob& job, const std::string& path) override {
    Write({{"event", "skipped"},
           {"scan_id", job.scan_id},
           {"input", ShownInput(job.input)},
           {"report", path}});
  }

  void Failed(const ScanJob& job, const absl::Status& status) override {
    told_.erase(job.scan_id);
    Json line = FailureJson(status);
    line["scan_id"] = job.scan_id;
    line["input"] = ShownInput(job.input);
    Write(line);
  }

  void End(const BatchTotals& totals) override {
    const double rate =
        totals.seconds > 0 ? static_cast<double>(totals.scanned) / totals.seconds : 0;
    Write({{"event", "end"},
           {"scanned", totals.scanned},
           {"without_usable_frames", totals.unusable},
           {"not_judged", totals.not_judged},
           {"skipped", totals.skipped},
           {"failed", totals.failed},
           {"not_started", totals.not_started},
           {"seconds", totals.seconds},
           {"videos_per_s", rate},
           {"exit_code", totals.exit_code}});
  }

 private:
  struct Told {
    ScanStep step = ScanStep::kDone;
    Steady::time_point when;
  };

  void Write(const Json& line) { console_.Print(JsonLine(line)); }

  Console& console_;
  std::map<std::string, Told> told_;  // by scan id
};

}  // namespace

std::unique_ptr<Reporter> MakeJsonReporter(Console& console) {
  return std::make_unique<JsonReporter>(console);
}

}  // namespace glint
