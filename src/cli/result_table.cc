// SPDX-License-Identifier: Apache-2.0
#include "cli/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/text.h"

namespace glint {
namespace {

/// Lines of a name and a value each.
class Table {
 public:
  explicit Table(bool colour) : colour_(colour) {}

  void Add(std::string_view name, std::string_view value) {
    text_ += fmt::format("{}{:<9}{}  {}\n", colour_ ? "\x1b[1m" : "", name,
                         colour_ ? "\x1b[0m" : "", value);
  }
  const std::string& text() const { return text_; }

 private:
  const bool colour_;
  std::string text_;
};

std::string Video(const VideoInfo& video, const DecodeSummary& decoding) {
  std::string text = fmt::format("{} {}, {} frames, {:.1f} s", video.codec, ToString(video.size),
                                 decoding.frames, video.duration_s);
  if (decoding.damaged > 0) text += fmt::format(", {} damaged", decoding.damaged);
  if (decoding.truncated) text += ", truncated";
  return text;
}

std::string Marked(const ScanReport& report) {
  const auto listed = static_cast<std::int64_t>(report.regions.size());
  const std::string regions = Counted(static_cast<std::size_t>(report.regions_found), "region");
  std::string text =
      report.damaged_percent
          ? fmt::format("{} of the seen surface, {}", Percent(report.damaged_percent), regions)
          : fmt::format("unknown: too little of the surface could be seen; {}", regions);
  if (listed < report.regions_found) text += fmt::format(" (the {} largest listed)", listed);
  return text;
}

std::string Golden(const std::vector<GoldenFrame>& golden) {
  std::string text;
  for (const GoldenFrame& frame : golden) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", frame.measure.index);
  }
  const auto registered = std::ranges::count_if(golden, &GoldenFrame::registered);
  return fmt::format("frames {} ({} of {} registered)", text, registered, golden.size());
}

std::string Times(const ScanTiming& timing) {
  std::string text = fmt::format("{:.2f} s", timing.wall_ms / 1000);
  std::string_view separator = ": ";
  for (const auto& [step, ms] : timing.step_ms) {
    if (ms < 1) continue;
    text += fmt::format("{}{} {:.2f}", separator, step, ms / 1000);
    separator = ", ";
  }
  return text + fmt::format("; peak memory {:.0f} MiB",
                            static_cast<double>(timing.peak_rss_bytes) / (1 << 20));
}

/// Why a scan marked nothing, shortly.
std::string_view Unmarked(ScanOutcome outcome) {
  return outcome == ScanOutcome::kNotJudged ? "not judged" : "no usable frames";
}

void AddFindings(const ScanReport& report, Table& table) {
  if (report.object) {
    table.Add("object",
              fmt::format("{} px, found by {}, confidence {:.2f}", ToString(report.object->size),
                          report.object->method, report.object->confidence));
  }
  table.Add("marked", Marked(report));
  for (const NamedRegion& region : report.named_regions) {
    table.Add("", fmt::format("{:<10} {:>8}", region.name, Percent(region.damaged_percent)));
  }
  table.Add("golden", Golden(report.golden));
}

/// What was marked on a side, or why nothing was.
std::string MarkedOn(const ScanReport& side) {
  return side.outcome == ScanOutcome::kScanned
             ? Marked(side)
             : std::string(Unmarked(side.outcome)) + ": nothing was marked";
}

/// Advice and warnings of both sides.
void AddSentences(const ScanResult& result, Table& table) {
  std::vector<std::pair<std::string_view, const ScanReport*>> sides = {{"", &result.report}};
  if (result.back) sides.emplace_back("back: ", &result.back->report);
  bool advised = false;
  for (const auto& [name, side] : sides) {
    for (const std::string& advice : side->advice) {
      table.Add("advice", std::string(name) + OneLine(advice));
      advised = true;
    }
  }
  if (advised) table.Add("", "(how to film: glint help filming)");
  for (const auto& [name, side] : sides) {
    for (const std::string& warning : side->warnings) {
      table.Add("warning", std::string(name) + OneLine(warning));
    }
  }
}

}  // namespace

std::string Percent(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.2f} %", *percent) : "unknown";
}

std::string ResultTable(const ScanResult& result, const std::string& report_path, bool colour) {
  const ScanReport& report = result.report;
  Table table(colour);
  table.Add("scan", fmt::format("{} ({}, {})", report.scan_id, report.item_type, report.profile));
  table.Add("video", OneLine(Video(report.video, report.decoding)));
  if (result.back) {
    table.Add("verdict", OneLine(result.back->both.verdict));
  } else if (result.assessment) {
    table.Add("verdict", OneLine(result.assessment->verdict));
  }
  if (report.outcome == ScanOutcome::kScanned) {
    AddFindings(report, table);
  } else {
    table.Add(result.back ? "front" : "result", MarkedOn(report));
  }
  if (result.back) table.Add("back", MarkedOn(result.back->report));
  AddSentences(result, table);
  table.Add("device", fmt::format("{} ({})", report.device, OneLine(report.device_why)));
  table.Add("time", Times(result.timing));
  table.Add("report", OneLine(report_path));
  return table.text();
}

std::string ResultLine(const std::string& scan_id, const ScanResult& result,
                       const std::string& report_path) {
  const ScanReport& report = result.report;
  const std::string found =
      report.outcome != ScanOutcome::kScanned
          ? std::string(Unmarked(report.outcome))
          : fmt::format("{} marked, {}", Percent(report.damaged_percent),
                        Counted(static_cast<std::size_t>(report.regions_found), "region"));
  return fmt::format("{}: {}, {:.2f} s: {}\n", scan_id, found, result.timing.wall_ms / 1000,
                     OneLine(report_path));
}

std::string TotalsLine(const BatchTotals& totals) {
  std::string text = Counted(totals.scanned, "video") + " scanned";
  if (totals.not_judged > 0) text += fmt::format(" ({} not judged)", totals.not_judged);
  if (totals.unusable > 0) text += fmt::format(" ({} without usable frames)", totals.unusable);
  text += fmt::format(", {} skipped, {} failed", totals.skipped, totals.failed);
  if (totals.not_started > 0) text += fmt::format(", {} not started", totals.not_started);
  const double rate = totals.seconds > 0 ? static_cast<double>(totals.scanned) / totals.seconds : 0;
  return text + fmt::format("; {:.1f} s, {:.2f} videos/s\n", totals.seconds, rate);
}

}  // namespace glint
