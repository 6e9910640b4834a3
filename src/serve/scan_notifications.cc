// SPDX-License-Identifier: Apache-2.0
#include "serve/scan_notifications.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

#include "glint/error.h"

namespace glint {
namespace {

std::string MessageOf(const Job& job) {
  if (job.failure) return job.failure->message;
  if (job.state == JobState::kQueued) return fmt::format("{} scans before it", job.queue_position);
  if (job.delivery) {
    return fmt::format("delivering, attempt {} failed: {}", job.delivery->attempt,
                       job.delivery->because);
  }
  if (job.state == JobState::kRunning && job.progress.frames_of > 0) {
    return fmt::format("{}: frame {} of {}", Name(job.progress.step), job.progress.frames,
                       job.progress.frames_of);
  }
  return std::string(job.state == JobState::kRunning ? Name(job.progress.step) : Name(job.state));
}

}  // namespace

ScanNotification ToNotification(const Job& job) {
  ScanNotification notification;
  notification.scan_id = job.scan_id;
  notification.seq = job.last_seq;
  notification.state = std::string(Name(job.state));
  notification.final = IsFinal(job.state);
  notification.step = job.progress.step;
  notification.fraction = job.progress.fraction;
  notification.message = MessageOf(job);
  notification.trace = job.trace;
  if (job.failure) notification.reason = std::string(Info(job.failure->reason).name);
  notification.time = std::chrono::time_point_cast<std::chrono::milliseconds>(job.ended.value_or(
      std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now())));
  return notification;
}

ScanNotifications::ScanNotifications(JobStore& jobs,
                                     std::vector<std::unique_ptr<NotificationTarget>> targets)
    : jobs_(jobs),
      notifier_(MakeNotifier(std::move(targets),
                             {.on_final =
                                  [&jobs](const std::string& scan_id, const std::string& target) {
                                    const auto ended = jobs.EndNotice(scan_id, target);
                                    if (!ended.ok()) {
                                      spdlog::warn("scan {} is told of again: {}", scan_id,
                                                   Message(ended));
                                    }
                                  }})),
      reads_(1, 0) {
  // What other workers of a fleet do, they tell; what they could not, the outbox tells.
  subscription_ =
      jobs_.Subscribe([this](const std::string& scan_id) { OnChanged(scan_id); }, JobChanges::kOwn);
}

ScanNotifications::~ScanNotifications() {
  subscription_.reset();
  reads_.Stop();
}

void ScanNotifications::OnChanged(const std::string& scan_id) {
  const MutexLock lock(mutex_);
  if (waiting_.insert(scan_id).second) reads_.Post([this, scan_id] { Notify(scan_id); });
}

void ScanNotifications::Notify(const std::string& scan_id) {
  {
    const MutexLock lock(mutex_);
    waiting_.erase(scan_id);
  }
  const auto job = jobs_.Get(scan_id);
  if (job.ok()) {
    notifier_->Post(ToNotification(*job));
  } else if (FailureReasonOf(job.status()) != ServiceReason::kScanNotFound) {
    spdlog::warn("nobody is told of scan {}: {}", scan_id, Message(job.status()));
  }
}

}  // namespace glint
