// SPDX-License-Identifier: Apache-2.0
#include "workers/tier_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "glint/error.h"

namespace glint {
namespace {

using std::chrono::milliseconds;

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// How long no worker with such a device has served the tier.
milliseconds AbsentFor(std::string_view tier, std::string_view device,
                       const std::vector<RegisteredWorker>& fleet) {
  milliseconds absent = milliseconds::max();
  for (const RegisteredWorker& worker : fleet) {
    const bool serves = Contains(worker.tiers, tier) || Contains(worker.tiers, ClaimOrder::kOthers);
    if (serves && Contains(worker.devices, device)) absent = std::min(absent, worker.unseen_for);
  }
  return absent;
}

}  // namespace

absl::StatusOr<std::pair<std::string, std::string>> ReadTierDevice(std::string_view text) {
  const auto equals = text.find('=');
  if (equals != std::string_view::npos && equals > 0) {
    const std::string_view device = text.substr(equals + 1);
    if (device == "cpu" || device == "cuda") {
      return std::pair(std::string(text.substr(0, equals)), std::string(device));
    }
  }
  return Error(Reason::kInvalidOption,
               fmt::format("'{}' is no TIER=cpu and no TIER=cuda, such as premium=cuda", text));
}

TierOrder::TierOrder(TierOptions options, std::vector<std::string> devices, Clock::time_point now)
    : options_(std::move(options)), devices_(std::move(devices)) {
  const MutexLock lock(mutex_);
  for (const std::string& tier : options_.tiers) passed_over_[tier] = now;
}

/// Whether the tier's scans are meant for a device that this worker has.
bool TierOrder::Suits(std::string_view tier) const {
  const auto meant = options_.devices.find(std::string(tier));
  return meant == options_.devices.end() || Contains(devices_, meant->second);
}

bool TierOrder::needs_fleet() const {
  return options_.spill_to_cpu && std::ranges::any_of(options_.devices, [this](const auto& meant) {
           return meant.second != "cpu" && !Contains(devices_, meant.second);
         });
}

/// The tier at the end of the order, where its scans may run here although they are meant for
/// another device.
void TierOrder::AddSpilled(std::string_view tier, const std::vector<RegisteredWorker>* fleet,
                           ClaimOrder& order) const {
  const std::string& meant = options_.devices.at(std::string(tier));
  if (meant == "cpu") {
    if (!options_.spill_to_idle_gpu) return;
    order.tiers.push_back({.name = std::string(tier),
                           .placing = fmt::format("a {} worker was idle", devices_.front())});
    return;
  }
  if (!options_.spill_to_cpu || fleet == nullptr) return;
  if (AbsentFor(tier, meant, *fleet) < *options_.spill_to_cpu) return;
  order.tiers.push_back(
      {.name = std::string(tier),
       .waited = *options_.spill_to_cpu,
       .placing = fmt::format("no {} worker for {} s", meant,
                              std::chrono::duration<double>(*options_.spill_to_cpu).count())});
}

ClaimOrder TierOrder::Next(const std::vector<RegisteredWorker>* fleet, Clock::time_point now) {
  ClaimOrder order;
  order.device = devices_.front();
  order.tiers.clear();
  {
    const MutexLock lock(mutex_);
    std::vector<std::pair<Clock::time_point, std::string>> overdue;
    for (const std::string& tier : options_.tiers) {
      const Clock::time_point since = passed_over_.at(tier);
      if (Suits(tier) && now - since >= options_.patience) overdue.emplace_back(since, tier);
    }
    std::ranges::stable_sort(overdue, {}, [](const auto& entry) { return entry.first; });
    for (const auto& [since, tier] : overdue) order.tiers.push_back({.name = tier});
  }
  for (const std::string& tier : options_.tiers) {
    const bool there =
        std::ranges::find(order.tiers, tier, &ClaimOrder::Tier::name) != order.tiers.end();
    if (Suits(tier) && !there) order.tiers.push_back({.name = tier});
  }
  const bool others = Contains(options_.tiers, ClaimOrder::kOthers);
  for (const auto& [tier, meant] : options_.devices) {
    if (Suits(tier)) continue;
    order.not_others.push_back(tier);
    if (others || Contains(options_.tiers, tier)) AddSpilled(tier, fleet, order);
  }
  return order;
}

void TierOrder::Claimed(const ClaimOrder& order, const std::optional<std::string>& tier,
                        Clock::time_point now) {
  const MutexLock lock(mutex_);
  // What was looked at before was empty; what came after is passed over.
  for (const ClaimOrder::Tier& looked_at : order.tiers) {
    const auto known = passed_over_.find(looked_at.name);
    if (known != passed_over_.end()) known->second = now;
    const bool others = looked_at.name == ClaimOrder::kOthers && tier &&
                        !Contains(options_.tiers, *tier) && !Contains(order.not_others, *tier);
    if (others || looked_at.name == tier) return;
  }
}

}  // namespace glint
