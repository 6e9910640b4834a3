// SPDX-License-Identifier: Apache-2.0
// A batch as text: for people, as CSV and as JSON.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "glint/v1/batch_service.pb.h"

namespace glint {

/// What an hour of one scan at a time costs on each kind of device, e.g. {"cuda", 0.59}.
using DevicePrices = std::map<std::string, double>;

/// Reads "cuda=0.59", or "0.12" for all devices without a price of their own (named ""). Errors:
/// INVALID_OPTION
absl::StatusOr<DevicePrices> ReadPrices(const std::vector<std::string>& texts);

/// What the scans of a tier, or of all, took and cost.
struct BatchCost {
  std::string tier;
  std::string device;      ///< empty: of several
  std::int64_t ended = 0;  ///< that succeeded or failed
  std::int64_t succeeded = 0;
  double seconds = 0;
  std::optional<double> cost;  ///< nothing when a device that it used has no price

  std::optional<double> per_thousand() const;  ///< of those that ended
};

/// The costs of each tier and device that had scans.
std::vector<BatchCost> CostsOf(const v1::Batch& batch, const DevicePrices& prices);
/// Their sum.
BatchCost Total(const std::vector<BatchCost>& costs);

/// "60 scans: 3 wait, 1 runs, ...".
std::string BatchCounts(const v1::Batch& batch);
/// "12.3 a minute, 0:20 left"; empty before the first end.
std::string BatchSpeed(const v1::Batch& batch);

/// A table for people; with its failures and costs when they are wanted.
std::string BatchTable(const v1::Batch& batch);
std::string BatchReportTable(const v1::Batch& batch, const DevicePrices& prices);
/// Lines of "what,tier,device,reason,scan_id,value", with a header.
std::string BatchReportCsv(const v1::Batch& batch, const DevicePrices& prices);
/// The batch in protobuf's JSON mapping, and its costs.
nlohmann::ordered_json BatchReportJson(const v1::Batch& batch, const DevicePrices& prices);

}  // namespace glint
