// SPDX-License-Identifier: Apache-2.0
#include "bench/commands/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/text.h"
#include "glint/error.h"

namespace glint {
namespace {

using Json = nlohmann::ordered_json;

std::string Optional(const std::optional<double>& value, std::string_view unit) {
  return value ? fmt::format("{:.2f}{}", *value, unit) : "-";
}

std::string DevicesText(const BenchReport& report) {
  std::string text = fmt::format("glint {}, {} CPU threads\n", GLINT_VERSION, report.threads);
  for (const BenchReport::Device& device : report.devices) {
    text += fmt::format("{:<8}  {}; copies {:.1f} GB/s\n", device.name, OneLine(device.description),
                        device.copy_speed / 1e9);
  }
  for (const BackendChoice::Probe& probe : report.skipped) {
    text += fmt::format("{:<8}  NOT MEASURED: {}\n", probe.name, OneLine(Message(probe.status)));
  }
  return text;
}

std::string StagesText(const BenchReport::Stages& stages) {
  std::string text = fmt::format(
      "\n{} on {}, frames that lie there already\n{:<14} {:>10} {:>12} "
      "{:>10} {:>9}\n",
      ToString(stages.size), stages.device, "stage", "ms/frame", "frames/s", "MB/frame",
      "of floor");
  for (const StageRow& row : stages.rows) {
    const auto percent = row.of_floor ? std::optional(100 * *row.of_floor) : std::nullopt;
    text += fmt::format("{:<14} {:>10.3f} {:>12.1f} {:>10} {:>9}\n", row.stage, row.ms_per_frame,
                        row.frames_per_s, Optional(row.mb_per_frame, ""), Optional(percent, " %"));
  }
  return text;
}

std::string BatchText(const BatchTable& table) {
  std::string text = fmt::format("\n{} on {}, measured from host memory, {}\n{:<14} {:>12}\n",
                                 ToString(table.frame), table.device,
                                 table.motion ? "with motion" : "sharpness", "batch", "frames/s");
  const int best = BestOf(table.rows).frames;
  for (const BatchRow& row : table.rows) {
    text += fmt::format("{:<14} {:>12.1f}{}\n", row.frames, row.frames_per_s,
                        row.frames == best ? "  best" : "");
  }
  return text;
}

std::string ScansText(const BenchReport& report) {
  if (report.scans.empty()) return "";
  std::string text = fmt::format("\nwhole scans of {} frames\n{:<10} {:>10} {:>11} {:>12} {:>14}\n",
                                 report.scans.front().frames, "device", "at a time", "s/scan",
                                 "frames/s", "cost of 1000");
  for (const ScanRow& row : report.scans) {
    const auto cost = report.CostOf(row);
    text += fmt::format("{:<10} {:>10} {:>11.2f} {:>12.1f} {:>14}\n", row.device, row.at_a_time,
                        row.s_per_scan, row.frames_per_s,
                        Optional(cost ? std::optional(1000 * *cost) : std::nullopt, ""));
  }
  const ScanRow& fastest = *std::ranges::min_element(report.scans, {}, &ScanRow::s_per_scan);
  return text + fmt::format("fastest here: {}, {} at a time\n", fastest.device, fastest.at_a_time);
}

std::string TuningText(const BenchReport& report) {
  std::string text;
  for (const BenchReport::CpuLimit& limit : report.cpu_limits) {
    const std::string frames = limit.pixels == std::numeric_limits<std::int64_t>::max()
                                   ? "frames of any size"
                                   : fmt::format("frames of up to {} pixels", limit.pixels);
    text += limit.pixels == 0
                ? fmt::format("auto takes {} for frames of any size\n", limit.device)
                : fmt::format("auto takes the cpu instead of {} for {}\n", limit.device, frames);
  }
  if (!report.tuning_file.empty()) {
    text += fmt::format("kept for the scans that follow in {}\n", OneLine(report.tuning_file));
  }
  return text.empty() ? text : "\n" + text;
}

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json StagesJson(const BenchReport& report) {
  Json json = Json::array();
  for (const BenchReport::Stages& stages : report.stages) {
    for (const StageRow& row : stages.rows) {
      json.push_back({{"device", stages.device},
                      {"size", ToString(stages.size)},
                      {"stage", row.stage},
                      {"ms_per_frame", row.ms_per_frame},
                      {"frames_per_s", row.frames_per_s},
                      {"mb_per_frame", OrNull(row.mb_per_frame)},
                      {"of_floor", OrNull(row.of_floor)}});
    }
  }
  return json;
}

Json BatchesJson(const BenchReport& report) {
  Json json = Json::array();
  for (const BatchTable& table : report.batches) {
    for (const BatchRow& row : table.rows) {
      json.push_back({{"device", table.device},
                      {"size", ToString(table.frame)},
                      {"motion", table.motion},
                      {"batch", row.frames},
                      {"frames_per_s", row.frames_per_s}});
    }
  }
  return json;
}

}  // namespace

std::optional<double> BenchReport::CostOf(const ScanRow& row) const {
  const auto price = prices.find(row.device.substr(0, row.device.find(':')));
  if (price == prices.end()) return std::nullopt;
  return price->second * row.s_per_scan / 3600;
}

std::string ToText(const BenchReport& report) {
  std::string text = DevicesText(report);
  for (const BenchReport::Stages& stages : report.stages) text += StagesText(stages);
  for (const BatchTable& table : report.batches) text += BatchText(table);
  return text + ScansText(report) + TuningText(report);
}

Json ToJson(const BenchReport& report) {
  Json json = {{"event", "bench"},
               {"version", GLINT_VERSION},
               {"threads", report.threads},
               {"devices", Json::array()},
               {"not_measured", Json::array()},
               {"stages", StagesJson(report)},
               {"batches", BatchesJson(report)},
               {"scans", Json::array()}};
  for (const BenchReport::Device& device : report.devices) {
    json["devices"].push_back({{"name", device.name},
                               {"description", device.description},
                               {"copy_bytes_per_s", device.copy_speed}});
  }
  for (const BackendChoice::Probe& probe : report.skipped) {
    json["not_measured"].push_back({{"name", probe.name}, {"message", Message(probe.status)}});
  }
  for (const ScanRow& row : report.scans) {
    json["scans"].push_back({{"device", row.device},
                             {"at_a_time", row.at_a_time},
                             {"frames", row.frames},
                             {"s_per_scan", row.s_per_scan},
                             {"frames_per_s", row.frames_per_s},
                             {"cost", OrNull(report.CostOf(row))}});
  }
  if (report.tuning_file.empty()) return json;
  json["tuning"] = {{"file", report.tuning_file}, {"cpu_up_to_pixels", Json::object()}};
  for (const BenchReport::CpuLimit& limit : report.cpu_limits) {
    json["tuning"]["cpu_up_to_pixels"][limit.device] = limit.pixels;
  }
  return json;
}

}  // namespace glint
