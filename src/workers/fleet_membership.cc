// SPDX-License-Identifier: Apache-2.0
#include "workers/fleet_membership.h"

#include <spdlog/spdlog.h>

#include <stop_token>
#include <utility>

#include "base/catch_exceptions.h"
#include "base/clock.h"
#include "glint/error.h"

namespace glint {

using Clock = std::chrono::steady_clock;

FleetMembership::FleetMembership(JobStore& jobs, RegisteredWorker self,
                                 std::function<int()> running, bool listens,
                                 std::chrono::milliseconds period)
    : jobs_(jobs),
      self_(std::move(self)),
      running_(std::move(running)),
      listens_(listens),
      period_(period),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

FleetMembership::~FleetMembership() {
  thread_.request_stop();
  thread_.join();
  if (reachable_) Report(true);
}

FleetMembership::Fleet FleetMembership::fleet() const {
  const MutexLock lock(mutex_);
  if (!fleet_) return nullptr;
  auto now = std::make_shared<std::vector<RegisteredWorker>>(*fleet_);
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - read_);
  for (RegisteredWorker& worker : *now) worker.unseen_for += since;
  return now;
}

bool FleetMembership::Report(bool gone) {
  RegisteredWorker self = self_;
  self.running = running_();
  self.gone = gone;
  const absl::Status said = CatchExceptions([&] { return jobs_.Register(self); });
  if (!said.ok()) spdlog::warn("the queue does not know of this worker: {}", Message(said));
  return said.ok();
}

void FleetMembership::Run(const std::stop_token& stop) {
  do {
    reachable_ = Report(false);
    if (!listens_) continue;
    const absl::Status learned = CatchExceptions([&] {
      auto workers = jobs_.Workers();
      if (!workers.ok()) return workers.status();
      const MutexLock lock(mutex_);
      fleet_ = std::make_shared<const std::vector<RegisteredWorker>>(*std::move(workers));
      read_ = Clock::now();
      return absl::OkStatus();
    });
    if (!learned.ok()) spdlog::warn("who else works is not known: {}", Message(learned));
  } while (RealClock().Sleep(period_, stop));
}

}  // namespace glint
