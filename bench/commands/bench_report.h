// SPDX-License-Identifier: Apache-2.0
// What `glint bench` found out, and how it is told.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/timing/scan_rows.h"
#include "bench/timing/stage_rows.h"
#include "bench/timing/tune.h"
#include "glint/backend.h"

namespace glint {

struct BenchReport {
  struct Device {
    std::string name;
    std::string description;
    double copy_speed = 0;  ///< bytes/s
  };
  /// The stages of one device at one size.
  struct Stages {
    std::string device;
    Size size;
    std::vector<StageRow> rows;
  };
  /// Up to how many pixels of a frame scans go to the CPU.
  struct CpuLimit {
    std::string device;
    std::int64_t pixels = 0;
  };

  int threads = 1;
  std::vector<Device> devices;
  std::vector<BackendChoice::Probe> skipped;  ///< devices that do not work, and why
  std::vector<Stages> stages;
  std::vector<BatchTable> batches;
  std::vector<ScanRow> scans;
  std::vector<CpuLimit> cpu_limits;      ///< with --tune
  std::string tuning_file;               ///< with --tune
  std::map<std::string, double> prices;  ///< per hour, by the kind of device: "cpu", "cuda"

  /// What a scan costs, where a price was given. @return in the price's currency
  std::optional<double> CostOf(const ScanRow& row) const;
};

std::string ToText(const BenchReport& report);
nlohmann::ordered_json ToJson(const BenchReport& report);

}  // namespace glint
