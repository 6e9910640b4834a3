// SPDX-License-Identifier: Apache-2.0
#include "api/scan_message.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <limits>

#include "api/failure.h"
#include "api/url.h"
#include "base/utf8.h"
#include "glint/v1/scan_service.pb.h"

namespace glint {
namespace {

using google::protobuf::util::TimeUtil;

v1::ScanState ToMessage(JobState state) {
  switch (state) {
    case JobState::kQueued:
      return v1::SCAN_STATE_QUEUED;
    case JobState::kRunning:
      return v1::SCAN_STATE_RUNNING;
    case JobState::kSucceeded:
      return v1::SCAN_STATE_SUCCEEDED;
    case JobState::kFailed:
      return v1::SCAN_STATE_FAILED;
    case JobState::kCancelled:
      return v1::SCAN_STATE_CANCELLED;
  }
  return v1::SCAN_STATE_UNSPECIFIED;
}

v1::ScanStep ToMessage(ScanStep step) {
  switch (step) {
    case ScanStep::kQueued:
      return v1::SCAN_STEP_QUEUED;
    case ScanStep::kDownloading:
      return v1::SCAN_STEP_DOWNLOADING;
    case ScanStep::kDecoding:
      return v1::SCAN_STEP_DECODING;
    case ScanStep::kMeasuring:
      return v1::SCAN_STEP_MEASURING;
    case ScanStep::kSelecting:
      return v1::SCAN_STEP_SELECTING;
    case ScanStep::kLocating:
      return v1::SCAN_STEP_LOCATING;
    case ScanStep::kRegistering:
      return v1::SCAN_STEP_REGISTERING;
    case ScanStep::kDetecting:
      return v1::SCAN_STEP_DETECTING;
    case ScanStep::kRendering:
      return v1::SCAN_STEP_RENDERING;
    case ScanStep::kUploading:
      return v1::SCAN_STEP_UPLOADING;
    case ScanStep::kDone:
      return v1::SCAN_STEP_DONE;
  }
  return v1::SCAN_STEP_UNSPECIFIED;
}

v1::ScanProgress ToMessage(const JobProgress& progress) {
  v1::ScanProgress message;
  message.set_step(ToMessage(progress.step));
  message.set_fraction(progress.fraction);
  message.set_frames(progress.frames);
  message.set_frames_of(progress.frames_of);
  message.set_bytes(progress.bytes);
  message.set_bytes_of(progress.bytes_of);
  return message;
}

/// What stays the same during a scan, and how often it was tried.
v1::Scan Frame(const Job& job) {
  v1::Scan scan;
  scan.set_scan_id(std::string(IdOf(job.scan_id)));
  scan.set_owner(job.owner);
  scan.set_tier(job.tier);
  scan.set_batch(job.batch);
  scan.set_device(job.device);
  scan.set_placing(job.placing);
  scan.set_video_url(ValidUtf8(job.shown_url));
  v1::SubmitScanRequest request;
  if (request.ParseFromString(job.request)) {
    *scan.mutable_options() = request.options();
    const auto back = CheckVideoUrl(request.back_video_url());
    if (back.ok()) scan.set_back_video_url(ValidUtf8(*back));
  }
  *scan.mutable_create_time() = ToTimestamp(job.created);
  if (job.started) *scan.mutable_start_time() = ToTimestamp(*job.started);
  scan.set_attempts(job.attempts);
  if (job.delivery) {
    scan.mutable_delivery()->set_attempt(job.delivery->attempt);
    scan.mutable_delivery()->set_because(ValidUtf8(job.delivery->because));
  }
  return scan;
}

void AddEnd(const Job& job, const v1::ScanResult* result, v1::Scan& scan) {
  if (job.ended) *scan.mutable_end_time() = ToTimestamp(*job.ended);
  if (job.failure) *scan.mutable_error() = ToErrorMessage(*job.failure);
  if (result != nullptr) *scan.mutable_result() = *result;
}

}  // namespace

google::protobuf::Timestamp ToTimestamp(JobTime time) {
  return TimeUtil::MicrosecondsToTimestamp(time.time_since_epoch().count());
}

v1::ScanError ToErrorMessage(const JobFailure& failure) {
  const ReasonInfo& info = Info(failure.reason);
  v1::ScanError message;
  message.set_reason(std::string(info.name));
  message.set_code(static_cast<int>(info.code));
  message.set_message(ValidUtf8(failure.message));
  message.set_retryable(info.retryable);
  return message;
}

v1::Scan ToScanMessage(const Job& job, const v1::ScanResult* result) {
  v1::Scan scan = Frame(job);
  scan.set_state(ToMessage(job.state));
  *scan.mutable_progress() = ToMessage(job.progress);
  scan.mutable_progress()->set_queue_position(static_cast<std::int32_t>(
      std::min<std::int64_t>(job.queue_position, std::numeric_limits<std::int32_t>::max())));
  AddEnd(job, result, scan);
  scan.set_last_seq(job.last_seq);
  return scan;
}

v1::ScanEvent ToSnapshot(const Job& job, JobTime now, const v1::ScanResult* result) {
  v1::ScanEvent message;
  message.set_seq(job.last_seq);
  *message.mutable_time() = ToTimestamp(now);
  *message.mutable_scan() = ToScanMessage(job, result);
  return message;
}

v1::ScanEvent ToEventMessage(const Job& job, const JobEvent& event, const v1::ScanResult* result) {
  v1::ScanEvent message;
  message.set_seq(event.seq);
  *message.mutable_time() = ToTimestamp(event.time);
  v1::Scan& scan = *message.mutable_scan();
  scan = Frame(job);
  scan.set_state(ToMessage(event.state));
  *scan.mutable_progress() = ToMessage(event.progress);
  if (IsFinal(event.state)) AddEnd(job, result, scan);
  scan.set_last_seq(event.seq);
  return message;
}

std::optional<JobState> ToJobState(v1::ScanState state) {
  for (const JobState job : {JobState::kQueued, JobState::kRunning, JobState::kSucceeded,
                             JobState::kFailed, JobState::kCancelled}) {
    if (ToMessage(job) == state) return job;
  }
  return std::nullopt;
}

}  // namespace glint
