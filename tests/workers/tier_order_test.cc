// SPDX-License-Identifier: Apache-2.0
// Which tier a worker looks at first: preference, patience, and work that is meant for other
// devices.
#include "workers/tier_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "jobs/sqlite_jobs.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "workers/fleet_membership.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr TierOrder::Clock::time_point kStart{};

std::vector<std::string> Names(const ClaimOrder& order) {
  std::vector<std::string> names;
  for (const ClaimOrder::Tier& tier : order.tiers) names.push_back(tier.name);
  return names;
}

/// The first tier of the order in which something waits.
std::optional<std::string> Serve(const ClaimOrder& order, const std::set<std::string>& waiting) {
  for (const ClaimOrder::Tier& tier : order.tiers) {
    if (waiting.contains(tier.name)) return tier.name;
  }
  return std::nullopt;
}

TEST(TierOrder, AWorkerThatIsToldNothingServesAllAlike) {
  TierOrder order({}, {"cpu"}, kStart);
  const ClaimOrder next = order.Next(nullptr, kStart + 1h);
  EXPECT_THAT(Names(next), ElementsAre("*"));
  EXPECT_EQ(next.device, "cpu");
  EXPECT_FALSE(order.needs_fleet());
}

TEST(TierOrder, NoTierIsPassedOverForLongerThanPatienceAndTheOthersClaims) {
  const std::vector<std::string> tiers = {"premium", "free", "*"};
  TierOrder order({.tiers = tiers, .patience = 60s}, {"cpu"}, kStart);
  constexpr auto kScan = 7s;
  std::map<std::string, TierOrder::Clock::time_point> begun;
  std::map<std::string, TierOrder::Clock::duration> longest;
  std::map<std::string, int> times;
  for (const std::string& tier : tiers) begun[tier] = kStart;
  for (auto now = kStart; now < kStart + 1h; now += kScan) {  // something waits in all of them
    const ClaimOrder next = order.Next(nullptr, now);
    const std::string first = next.tiers.front().name;
    order.Claimed(next, first == "*" ? "unnamed" : first, now);
    longest[first] = std::max(longest[first], now - begun[first]);
    begun[first] = now;
    ++times[first];
  }
  for (const std::string& tier : tiers) {
    EXPECT_LE(longest[tier], 60s + tiers.size() * kScan) << tier;
  }
  EXPECT_GT(times["premium"], 3 * times["free"]) << "and the preferred one has the most";
}

TEST(TierOrder, ATierThatWasEmptyHasNotWaited) {
  TierOrder order({.tiers = {"premium", "free"}, .patience = 60s}, {"cpu"}, kStart);
  auto now = kStart;
  for (int i = 0; i < 100; ++i, now += 10s) {  // nothing waits but free's
    const ClaimOrder next = order.Next(nullptr, now);
    order.Claimed(next, Serve(next, {"free"}), now);
  }
  EXPECT_THAT(Names(order.Next(nullptr, now)), ElementsAre("premium", "free"));
}

TEST(TierOrder, ScansForGpusRunOnACpuOnlyWhenNoWorkerWithOneServesTheirTier) {
  TierOrder order({.tiers = {"free", "premium"}, .devices = {{"premium", "cuda"}}}, {"cpu"},
                  kStart);
  EXPECT_TRUE(order.needs_fleet());
  const auto next = [&](const std::vector<RegisteredWorker>& fleet) {
    return order.Next(&fleet, kStart);
  };
  const RegisteredWorker gpu{.name = "gpu", .devices = {"cuda"}, .tiers = {"premium"}};
  RegisteredWorker lost = gpu;
  lost.unseen_for = 59s;
  EXPECT_THAT(Names(order.Next(nullptr, kStart)), ElementsAre("free")) << "nobody knows";
  EXPECT_THAT(Names(next({gpu})), ElementsAre("free"));
  EXPECT_THAT(Names(next({lost})), ElementsAre("free"));
  lost.unseen_for = 60s;
  EXPECT_THAT(Names(next({lost, gpu})), ElementsAre("free"));
  for (const std::vector<RegisteredWorker>& fleet :
       {std::vector<RegisteredWorker>{}, std::vector{lost},
        std::vector{RegisteredWorker{.devices = {"cpu"}, .tiers = {"premium"}}},
        std::vector{RegisteredWorker{.devices = {"cuda"}, .tiers = {"free"}}}}) {
    const ClaimOrder spilled = next(fleet);
    ASSERT_THAT(Names(spilled), ElementsAre("free", "premium"));
    EXPECT_EQ(spilled.tiers[1].waited, 60s);
    EXPECT_EQ(spilled.tiers[1].placing, "no cuda worker for 60 s");
  }
  EXPECT_THAT(Names(next({RegisteredWorker{.devices = {"cuda"}, .tiers = {"*"}}})),
              ElementsAre("free"));
}

TEST(TierOrder, SpillingToACpuMayBeForbidden) {
  TierOrder order({.devices = {{"premium", "cuda"}}, .spill_to_cpu = std::nullopt}, {"cpu"},
                  kStart);
  const ClaimOrder next = order.Next(nullptr, kStart);
  EXPECT_THAT(Names(next), ElementsAre("*"));
  EXPECT_THAT(next.not_others, ElementsAre("premium"));
  EXPECT_FALSE(order.needs_fleet());
}

TEST(TierOrder, ScansForCpusRunOnAnIdleGpuAfterAllElseOrNever) {
  const TierOptions options{.tiers = {"free", "premium"},
                            .devices = {{"premium", "cuda"}, {"free", "cpu"}}};
  TierOrder idle(options, {"cuda"}, kStart);
  const ClaimOrder next = idle.Next(nullptr, kStart + 1h);
  EXPECT_THAT(Names(next), ElementsAre("premium", "free")) << "however long free has waited";
  EXPECT_EQ(next.tiers[0].placing, "");
  EXPECT_EQ(next.tiers[1].placing, "a cuda worker was idle");
  EXPECT_EQ(next.tiers[1].waited, 0s);
  TierOptions strict = options;
  strict.spill_to_idle_gpu = false;
  EXPECT_THAT(Names(TierOrder(strict, {"cuda"}, kStart).Next(nullptr, kStart)),
              ElementsAre("premium"));
  EXPECT_THAT(Names(TierOrder(strict, {"cuda", "cpu"}, kStart).Next(nullptr, kStart)),
              ElementsAre("free", "premium"));
}

TEST(TierOrder, ATierAndItsDeviceAreReadAsOneWord) {
  EXPECT_EQ(*ReadTierDevice("premium=cuda"),
            (std::pair<std::string, std::string>("premium", "cuda")));
  EXPECT_EQ(ReadTierDevice("free=cpu")->second, "cpu");
  for (const char* wrong : {"premium", "premium=", "=cuda", "premium=tpu", ""}) {
    EXPECT_FALSE(ReadTierDevice(wrong).ok()) << wrong;
  }
}

TEST(FleetMembership, WorkersKnowEachOtherAndSayWhenTheyEnd) {
  const TempFolder folder;
  const auto jobs = OpenSqliteJobs(folder.path() / "jobs.db", {});
  ASSERT_THAT(jobs, IsOk());
  const FleetMembership here(
      **jobs, {.name = "here", .devices = {"cpu"}}, [] { return 3; }, true, 20ms);
  const auto wait_for = [&](const std::function<bool(const RegisteredWorker&)>& holds) {
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < until) {
      const auto fleet = here.fleet();
      if (fleet && std::ranges::any_of(*fleet, holds)) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  };
  EXPECT_TRUE(wait_for([](const auto& worker) { return worker.running == 3; }));
  {
    const FleetMembership there(
        **jobs, {.name = "there"}, [] { return 0; }, false);
    EXPECT_TRUE(wait_for([](const auto& w) { return w.name == "there" && !w.gone; }));
  }
  EXPECT_TRUE(wait_for([](const auto& w) { return w.name == "there" && w.gone; }));
}

}  // namespace
}  // namespace glint
