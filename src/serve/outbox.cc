// SPDX-License-Identifier: Apache-2.0
#include "serve/outbox.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/catch_exceptions.h"
#include "base/clock.h"
#include "serve/scan_notifications.h"

namespace glint {

Outbox::Outbox(JobStore& jobs, std::vector<std::unique_ptr<NotificationTarget>> targets,
               OutboxOptions options)
    : jobs_(jobs), targets_(std::move(targets)), options_(options) {
  for (const auto& target : targets_) {
    threads_.emplace_back([this, &target](const std::stop_token& stop) { Serve(*target, stop); });
  }
}

Outbox::~Outbox() = default;

void Outbox::Serve(NotificationTarget& target, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto notice = jobs_.TakeNotice(target.name(), options_.hold);
    if (notice.ok() && *notice) {
      Tell(target, **notice, CancelToken(stop));
    } else {
      RealClock().Sleep(options_.look, stop);
    }
  }
}

void Outbox::Tell(NotificationTarget& target, const JobStore::Notice& notice,
                  const CancelToken& cancel) {
  const absl::Status told = CatchExceptions([&]() -> absl::Status {
    const auto job = jobs_.Get(notice.scan_id);
    return job.ok() ? target.Deliver(ToNotification(*job), cancel) : job.status();
  });
  absl::Status recorded;
  if (told.ok()) {
    ++delivered_;
    recorded = jobs_.EndNotice(notice.scan_id, target.name());
  } else if (notice.attempts >= options_.attempts) {
    ++dead_;
    spdlog::error("{}: that scan {} ended was never delivered: {}", target.name(), notice.scan_id,
                  Message(told));
    recorded = jobs_.EndNotice(notice.scan_id, target.name());
  } else {
    constexpr int kMostDoubled = 20;
    const auto wait = std::min<std::chrono::milliseconds>(
        options_.first_wait * (1LL << std::min(notice.attempts - 1, kMostDoubled)),
        options_.longest_wait);
    recorded = jobs_.DelayNotice(notice.scan_id, target.name(), wait);
  }
  if (!recorded.ok()) spdlog::warn("the outbox: {}", Message(recorded));
}

}  // namespace glint
