// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_report.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/status_macros.h"
#include "cli/text.h"
#include "glint/error.h"

namespace glint {
namespace {

using google::protobuf::util::TimeUtil;

constexpr double kSecondsAnHour = 3600;

std::int64_t Scans(const v1::Batch& batch) {
  return batch.queued() + batch.running() + batch.succeeded() + batch.failed() + batch.cancelled();
}

std::string TableRow(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format("{:<11} {}\n", name, OneLine(value));
}

std::string NameOfTier(const std::string& tier) { return tier.empty() ? "-" : tier; }

std::string Money(const std::optional<double>& amount) {
  return amount ? fmt::format("{:.4f}", *amount) : "-";
}

std::optional<double> PriceOf(const DevicePrices& prices, const std::string& device) {
  if (const auto own = prices.find(device); own != prices.end()) return own->second;
  const auto all = prices.find("");
  return all == prices.end() ? std::nullopt : std::optional(all->second);
}

std::string CostRow(const BatchCost& cost, std::string_view tier) {
  return fmt::format(
      "{:<12} {:<8} {:>9} {:>10} {:>10.3f} {:>10} {:>10}\n", Fitted(tier, 12),
      cost.device.empty() ? "-" : cost.device, cost.ended,
      cost.ended == 0 ? "-" : fmt::format("{:.2f}", cost.seconds / static_cast<double>(cost.ended)),
      cost.seconds / kSecondsAnHour, Money(cost.cost), Money(cost.per_thousand()));
}

std::string CostTable(const std::vector<BatchCost>& costs) {
  if (costs.empty()) return "";
  std::string table = fmt::format("\n{:<12} {:<8} {:>9} {:>10} {:>10} {:>10} {:>10}\n", "tier",
                                  "device", "ended", "s a scan", "hours", "cost", "per 1,000");
  for (const BatchCost& cost : costs) table += CostRow(cost, NameOfTier(cost.tier));
  return table + CostRow(Total(costs), "all");
}

/// A field of a CSV line.
std::string Quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// Lines of CSV.
class Csv {
 public:
  struct Of {
    std::string_view tier = {}, device = {}, reason = {}, scan_id = {};
  };
  void Add(std::string_view what, const Of& of, std::string_view value) {
    text_ += fmt::format("{},{},{},{},{},{}\n", what, Quoted(of.tier), Quoted(of.device), of.reason,
                         of.scan_id, Quoted(value));
  }
  template <std::integral Number>
  void Add(std::string_view what, const Of& of, Number value) {
    Add(what, of, std::to_string(value));
  }
  void Add(std::string_view what, const Of& of, const std::optional<double>& value) {
    if (value) Add(what, of, fmt::format("{:.6g}", *value));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = "what,tier,device,reason,scan_id,value\n";
};

template <class Counting>
void AddCounts(const Counting& counted, const Csv::Of& of, Csv& csv) {
  csv.Add("queued", of, counted.queued());
  csv.Add("running", of, counted.running());
  csv.Add("succeeded", of, counted.succeeded());
  csv.Add("failed", of, counted.failed());
  csv.Add("cancelled", of, counted.cancelled());
}

nlohmann::ordered_json CostJson(const BatchCost& cost) {
  nlohmann::ordered_json json = {{"tier", cost.tier},           {"device", cost.device},
                                 {"ended", cost.ended},         {"succeeded", cost.succeeded},
                                 {"seconds", cost.seconds},     {"cost", nullptr},
                                 {"cost_per_thousand", nullptr}};
  if (cost.cost) json["cost"] = *cost.cost;
  if (const auto rate = cost.per_thousand()) json["cost_per_thousand"] = *rate;
  return json;
}

}  // namespace

absl::StatusOr<DevicePrices> ReadPrices(const std::vector<std::string>& texts) {
  DevicePrices prices;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    const std::string device = equals == std::string::npos ? "" : text.substr(0, equals);
    const std::string_view number =
        std::string_view(text).substr(equals == std::string::npos ? 0 : equals + 1);
    double price = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), price);
    if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(price) ||
        price < 0 || equals == 0) {
      return Error(Reason::kInvalidOption,
                   fmt::format("--price-per-hour '{}' is no price: 0.12 for all devices, or "
                               "cuda=0.59 for one",
                               text));
    }
    prices[device] = price;
  }
  return prices;
}

std::optional<double> BatchCost::per_thousand() const {
  constexpr double kThousand = 1000;
  if (!cost || ended == 0) return std::nullopt;
  return *cost / static_cast<double>(ended) * kThousand;
}

std::vector<BatchCost> CostsOf(const v1::Batch& batch, const DevicePrices& prices) {
  std::vector<BatchCost> costs;
  for (const v1::BatchShare& share : batch.shares()) {
    if (share.device().empty() && share.seconds() == 0) continue;  // no worker had them
    const auto price = PriceOf(prices, share.device());
    costs.push_back(
        {.tier = share.tier(),
         .device = share.device(),
         .ended = share.succeeded() + share.failed(),
         .succeeded = share.succeeded(),
         .seconds = share.seconds(),
         .cost = price ? std::optional(*price * share.seconds() / kSecondsAnHour) : std::nullopt});
  }
  return costs;
}

BatchCost Total(const std::vector<BatchCost>& costs) {
  BatchCost total{.cost = 0};
  for (const BatchCost& cost : costs) {
    total.ended += cost.ended;
    total.succeeded += cost.succeeded;
    total.seconds += cost.seconds;
    if (total.cost) total.cost = cost.cost ? std::optional(*total.cost + *cost.cost) : std::nullopt;
  }
  return total;
}

std::string BatchCounts(const v1::Batch& batch) {
  return fmt::format("{}: {} queued, {} running, {} succeeded, {} failed, {} cancelled",
                     Counted(static_cast<std::size_t>(Scans(batch)), "scan"), batch.queued(),
                     batch.running(), batch.succeeded(), batch.failed(), batch.cancelled());
}

std::string BatchSpeed(const v1::Batch& batch) {
  if (batch.scans_per_minute() <= 0) return "";
  std::string speed = fmt::format("{:.1f} videos a minute", batch.scans_per_minute());
  if (batch.has_time_left()) {
    speed += fmt::format(
        ", {} left", Clock(static_cast<double>(TimeUtil::DurationToSeconds(batch.time_left()))));
  }
  return speed;
}

std::string BatchTable(const v1::Batch& batch) {
  std::string table = TableRow("batch", batch.batch());
  table += TableRow("owner", batch.owner());
  table += TableRow("scans", BatchCounts(batch));
  table += TableRow("speed", BatchSpeed(batch));
  if (batch.has_start_time() && batch.has_end_time()) {
    const auto taken = batch.end_time() - batch.start_time();
    table += TableRow("took", Clock(static_cast<double>(TimeUtil::DurationToSeconds(taken))));
  }
  for (const v1::BatchFailures& failures : batch.failures()) {
    table += TableRow("failed", fmt::format("{} with {}{}", failures.scans(), failures.reason(),
                                            failures.retryable() ? ", which may pass" : ""));
  }
  return table;
}

std::string BatchReportTable(const v1::Batch& batch, const DevicePrices& prices) {
  std::string table = BatchTable(batch);
  for (const v1::BatchFailures& failures : batch.failures()) {
    table += fmt::format("\n{}\n", failures.reason());
    for (const v1::BatchRefusal& example : failures.examples()) {
      table += fmt::format("  {}: {}\n", example.scan_id(), OneLine(example.error().message()));
    }
  }
  return table + CostTable(CostsOf(batch, prices));
}

std::string BatchReportCsv(const v1::Batch& batch, const DevicePrices& prices) {
  Csv csv;
  AddCounts(batch, {}, csv);
  csv.Add("videos_per_minute", {}, std::optional(batch.scans_per_minute()));
  if (batch.has_time_left()) {
    csv.Add("seconds_left", {}, TimeUtil::DurationToSeconds(batch.time_left()));
  }
  for (const v1::BatchFailures& failures : batch.failures()) {
    csv.Add("failed_for", {.reason = failures.reason()}, failures.scans());
    for (const v1::BatchRefusal& example : failures.examples()) {
      csv.Add("example", {.reason = failures.reason(), .scan_id = example.scan_id()},
              example.error().message());
    }
  }
  for (const v1::BatchShare& share : batch.shares()) {
    AddCounts(share, {.tier = share.tier(), .device = share.device()}, csv);
  }
  const std::vector<BatchCost> costs = CostsOf(batch, prices);
  const auto add_cost = [&csv](const BatchCost& cost, const Csv::Of& of) {
    csv.Add("seconds", of, std::optional(cost.seconds));
    csv.Add("cost", of, cost.cost);
    csv.Add("cost_per_1000", of, cost.per_thousand());
  };
  for (const BatchCost& cost : costs) add_cost(cost, {.tier = cost.tier, .device = cost.device});
  if (!costs.empty()) add_cost(Total(costs), {});
  return csv.text();
}

nlohmann::ordered_json BatchReportJson(const v1::Batch& batch, const DevicePrices& prices) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  const auto written = google::protobuf::util::MessageToJsonString(batch, &text, options);
  nlohmann::ordered_json json =
      written.ok() ? nlohmann::ordered_json::parse(text) : nlohmann::ordered_json::object();
  const std::vector<BatchCost> costs = CostsOf(batch, prices);
  json["costs"] = nlohmann::ordered_json::array();
  for (const BatchCost& cost : costs) json["costs"].push_back(CostJson(cost));
  json["total"] = CostJson(Total(costs));
  return json;
}

}  // namespace glint
