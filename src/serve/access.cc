// SPDX-License-Identifier: Apache-2.0
#include "serve/access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/request.h"
#include "base/status_macros.h"
#include "jobs/failure_reason.h"

namespace glint {
namespace {

constexpr std::array kRightNames = {
    std::pair{std::string_view("submit"), Right::kSubmit},
    std::pair{std::string_view("read"), Right::kRead},
    std::pair{std::string_view("cancel"), Right::kCancel},
    std::pair{std::string_view("administer"), Right::kAdminister},
};

std::string_view NameOf(Right right) {
  return std::ranges::find(kRightNames, right, [](const auto& entry) { return entry.second; })
      ->first;
}

}  // namespace

absl::StatusOr<Rights> Rights::Parse(std::string_view text) {
  std::uint8_t bits = 0;
  if (text.empty()) return Error(Reason::kInvalidOption, "no right is named");
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    const auto known =
        std::ranges::find(kRightNames, name, [](const auto& entry) { return entry.first; });
    if (known == kRightNames.end()) {
      return Error(
          Reason::kInvalidOption,
          fmt::format("'{}' is no right; there are submit, read, cancel and administer", name));
    }
    bits |= static_cast<std::uint8_t>(known->second);
    text.remove_prefix(std::min(name.size() + 1, text.size()));
  }
  return Rights(bits);
}

absl::Status CheckRight(const Identity& caller, Right right, std::string_view what) {
  if (caller.rights.Has(right)) return absl::OkStatus();
  return Error(ServiceReason::kNotPermitted,
               fmt::format("the token '{}' may not {}; that needs the right to {}", caller.name,
                           what, NameOf(right)));
}

absl::StatusOr<std::string> ScanFor(const Identity& caller, Right right, std::string_view owner,
                                    std::string_view scan_id) {
  GLINT_RETURN_IF_ERROR(CheckScanId(scan_id));
  if (owner.empty() || owner == caller.owner) {
    GLINT_RETURN_IF_ERROR(CheckRight(caller, right, fmt::format("{} scans", NameOf(right))));
    return JobId(caller.owner, scan_id);
  }
  GLINT_RETURN_IF_ERROR(CheckRight(caller, Right::kAdminister, "use the scans of others"));
  if (!IsTierName(owner)) {
    return Error(Reason::kInvalidOption, fmt::format("'{}' is no owner's name", owner));
  }
  return JobId(owner, scan_id);
}

absl::Status MakeOwn(const Identity& caller, std::string_view usual_tier, NewJob& job) {
  GLINT_RETURN_IF_ERROR(CheckRight(caller, Right::kSubmit, "submit scans"));
  if (job.tier.empty()) {
    job.tier = caller.tiers.empty() ? std::string(usual_tier) : caller.tiers.front();
  }
  const bool any = caller.tiers.empty() && caller.owner.empty();
  const bool usual = caller.tiers.empty() && job.tier == usual_tier;
  if (!any && !usual && std::ranges::find(caller.tiers, job.tier) == caller.tiers.end()) {
    return Error(
        ServiceReason::kNotPermitted,
        fmt::format("the token '{}' may not submit to the tier '{}'; its tiers: {}", caller.name,
                    job.tier,
                    caller.tiers.empty() ? fmt::format("'{}'", usual_tier)
                                         : fmt::format("{}", fmt::join(caller.tiers, ", "))));
  }
  job.scan_id = JobId(caller.owner, job.scan_id);
  job.owner = caller.owner;
  job.quotas = caller.quotas;
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> OwnerToList(const Identity& caller,
                                                       std::string_view owner) {
  if (owner.empty() || owner == caller.owner) {
    GLINT_RETURN_IF_ERROR(CheckRight(caller, Right::kRead, "read scans"));
    return caller.owner;
  }
  GLINT_RETURN_IF_ERROR(CheckRight(caller, Right::kAdminister, "list the scans of others"));
  if (owner == "*") return std::nullopt;
  return std::string(owner);
}

}  // namespace glint
