// SPDX-License-Identifier: Apache-2.0
#include "api/batch_message.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "api/failure.h"
#include "api/scan_message.h"
#include "scan/request_check.h"

namespace glint {
namespace {

using google::protobuf::util::TimeUtil;
using Minutes = std::chrono::duration<double, std::ratio<60>>;

bool IsOver(const BatchState& batch) {
  return batch.counts.queued == 0 && batch.counts.running == 0;
}

template <class Message>
void SetCounts(const JobCounts& counts, Message& message) {
  message.set_queued(static_cast<std::int32_t>(counts.queued));
  message.set_running(static_cast<std::int32_t>(counts.running));
  message.set_succeeded(static_cast<std::int32_t>(counts.succeeded));
  message.set_failed(static_cast<std::int32_t>(counts.failed));
  message.set_cancelled(static_cast<std::int32_t>(counts.cancelled));
}

v1::BatchFailures ToMessage(const BatchFailures& failures) {
  v1::BatchFailures message;
  message.set_reason(std::string(Info(failures.reason).name));
  message.set_scans(static_cast<std::int32_t>(failures.jobs));
  message.set_retryable(Info(failures.reason).retryable);
  for (const auto& example : failures.examples) {
    auto& shown = *message.add_examples();
    shown.set_scan_id(std::string(IdOf(example.scan_id)));
    *shown.mutable_error() = ToErrorMessage({failures.reason, example.message});
  }
  return message;
}

v1::BatchShare ToMessage(const BatchShare& share) {
  v1::BatchShare message;
  message.set_tier(share.tier);
  message.set_device(share.device);
  SetCounts(share.counts, message);
  message.set_seconds(std::chrono::duration<double>(share.time).count());
  return message;
}

}  // namespace

absl::Status CheckBatchName(std::string_view field, std::string_view batch) {
  if (IsScanId(batch)) return absl::OkStatus();
  return BadRequest({{std::string(field),
                      "must be 1 to 128 of the characters A-Z a-z 0-9 . _ - without a leading "
                      "dot"}});
}

double ScansPerMinute(const BatchState& batch) {
  if (!batch.started) return 0;
  const bool over = IsOver(batch);
  const std::int64_t ended = over ? batch.counts.succeeded + batch.counts.failed : batch.recently;
  const JobTime until = over ? batch.ended.value_or(batch.now) : batch.now;
  Minutes time = until - *batch.started;
  if (!over) time = std::min<Minutes>(time, BatchState::kRecently);
  constexpr Minutes kLeast = std::chrono::seconds(1);
  return static_cast<double>(ended) / std::max(time, kLeast).count();
}

std::optional<std::chrono::milliseconds> TimeLeft(const BatchState& batch) {
  const double speed = ScansPerMinute(batch);
  if (IsOver(batch) || speed <= 0) return std::nullopt;
  const Minutes left(static_cast<double>(batch.counts.queued + batch.counts.running) / speed);
  return std::chrono::duration_cast<std::chrono::milliseconds>(left);
}

v1::Batch ToBatchMessage(const BatchName& name, const BatchState& batch) {
  v1::Batch message;
  message.set_batch(name.batch);
  message.set_owner(name.owner);
  SetCounts(batch.counts, message);
  if (batch.created) *message.mutable_create_time() = ToTimestamp(*batch.created);
  if (batch.started) *message.mutable_start_time() = ToTimestamp(*batch.started);
  if (IsOver(batch) && batch.ended) *message.mutable_end_time() = ToTimestamp(*batch.ended);
  message.set_scans_per_minute(ScansPerMinute(batch));
  if (const auto left = TimeLeft(batch)) {
    *message.mutable_time_left() = TimeUtil::MillisecondsToDuration(left->count());
  }
  for (const BatchFailures& failures : batch.failures) {
    *message.add_failures() = ToMessage(failures);
  }
  for (const BatchShare& share : batch.shares) *message.add_shares() = ToMessage(share);
  return message;
}

}  // namespace glint
