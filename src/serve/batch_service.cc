// SPDX-License-Identifier: Apache-2.0
#include "serve/batch_service.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/batch_message.h"
#include "api/failure.h"
#include "base/status_macros.h"
#include "serve/access.h"
#include "serve/batch_submission.h"

namespace glint {
namespace {

constexpr std::size_t kBatchRequestBytes = 8 << 10;  // of requests that hold names and numbers
constexpr int kExamples = 3;
constexpr int kMostExamples = 100;
constexpr int kChangesOfACall = 1'000;  // scans that one call cancels or queues again
constexpr int kMostRunning = 10'000;    // scans that run at a time

absl::Status NotFound(const BatchName& batch) {
  return Error(ServiceReason::kScanNotFound,
               fmt::format("no scan of a batch '{}' is known", batch.batch));
}

/// The reasons that a request names, or all that may pass. Errors: INVALID_OPTION
absl::StatusOr<std::vector<FailureReason>> ReasonsOf(const v1::RetryBatchRequest& request) {
  std::vector<FailureReason> reasons;
  for (const std::string& name : request.reasons()) {
    const auto reason = FailureReasonNamed(name);
    if (!reason || !Info(*reason).retryable) {
      return BadRequest(
          {{"reasons", fmt::format("'{}' is no reason that may pass; docs/api.md lists those",
                                   name.substr(0, 64))}});
    }
    reasons.push_back(*reason);
  }
  if (!reasons.empty()) return reasons;
  for (const FailureReason reason : FailureReasons()) {
    if (Info(reason).retryable) reasons.push_back(reason);
  }
  return reasons;
}

}  // namespace

BatchServiceImpl::BatchServiceImpl(CallRouter& router, ServiceState& state, ScanServiceImpl& scans)
    : state_(state) {
  const auto* const service =
      v1::SubmitBatchRequest::descriptor()->file()->FindServiceByName("BatchService");
  router.Add(service, "SubmitBatch",
             {.max_bytes = router.limits().max_request_bytes,
              .start = [&router, &state, &scans](const auto& call, grpc::ByteBuffer* bytes) {
                std::make_shared<BatchSubmission>(router, state, scans, call)->Take(bytes);
              }});
  router.AddUnary<v1::GetBatchRequest, v1::GetBatchResponse>(
      service, "GetBatch", kBatchRequestBytes, state_.lists,
      [this](const auto& caller, const auto& request,
             auto& response) -> absl::StatusOr<CallRouter::Later<v1::GetBatchResponse>> {
        GLINT_RETURN_IF_ERROR(Get(caller, request, response));
        return nullptr;
      });
  router.AddUnary<v1::CancelBatchRequest, v1::CancelBatchResponse>(
      service, "CancelBatch", kBatchRequestBytes, state_.lists,
      [this](const auto& caller, const auto& request,
             auto& response) -> absl::StatusOr<CallRouter::Later<v1::CancelBatchResponse>> {
        GLINT_RETURN_IF_ERROR(Cancel(caller, request, response));
        return nullptr;
      });
  router.AddUnary<v1::RetryBatchRequest, v1::RetryBatchResponse>(
      service, "RetryBatch", kBatchRequestBytes, state_.lists,
      [this](const auto& caller, const auto& request,
             auto& response) -> absl::StatusOr<CallRouter::Later<v1::RetryBatchResponse>> {
        GLINT_RETURN_IF_ERROR(Retry(caller, request, response));
        return nullptr;
      });
}

absl::Status BatchServiceImpl::Get(const IncomingCall::Facts& caller,
                                   const v1::GetBatchRequest& request,
                                   v1::GetBatchResponse& response) const {
  if (request.examples() < 0 || request.examples() > kMostExamples) {
    return BadRequest({{"examples", fmt::format("is {}; it may be 1 to {}, or 0 for {}",
                                                request.examples(), kMostExamples, kExamples)}});
  }
  GLINT_ASSIGN_OR_RETURN(const auto name,
                         Named(caller, Right::kRead, request.owner(), request.batch()));
  const int examples = request.examples() == 0 ? kExamples : request.examples();
  GLINT_ASSIGN_OR_RETURN(const auto batch, state_.jobs.Batch(name, examples));
  if (!batch.created) return NotFound(name);
  *response.mutable_batch() = ToBatchMessage(name, batch);
  return absl::OkStatus();
}

absl::Status BatchServiceImpl::Cancel(const IncomingCall::Facts& caller,
                                      const v1::CancelBatchRequest& request,
                                      v1::CancelBatchResponse& response) const {
  GLINT_ASSIGN_OR_RETURN(const auto name,
                         Named(caller, Right::kCancel, request.owner(), request.batch()));
  // A worker may take one meanwhile; it is told then.
  const auto cancel = [&](std::span<const std::string> scan_ids) {
    GLINT_ASSIGN_OR_RETURN(const int cancelled, state_.jobs.CancelAll(scan_ids));
    response.set_cancelled(response.cancelled() + cancelled);
    return absl::OkStatus();
  };
  GLINT_ASSIGN_OR_RETURN(const int waiting,
                         ForSome(name, JobState::kQueued, "", kChangesOfACall, cancel));
  response.set_more(waiting >= kChangesOfACall);
  if (!response.more()) {
    GLINT_ASSIGN_OR_RETURN(const int running,
                           ForSome(name, JobState::kRunning, "", kMostRunning, cancel));
    response.set_stopping(running);
    if (waiting + running == 0) GLINT_RETURN_IF_ERROR(RequireKnown(name));
  }
  spdlog::info("batch {}: {} scans are cancelled and {} told to stop", name.batch,
               response.cancelled(), response.stopping());
  return absl::OkStatus();
}

absl::Status BatchServiceImpl::Retry(const IncomingCall::Facts& caller,
                                     const v1::RetryBatchRequest& request,
                                     v1::RetryBatchResponse& response) const {
  const SubmissionGuard guard(state_);
  if (state_.draining) return DrainingError();
  GLINT_ASSIGN_OR_RETURN(const auto reasons, ReasonsOf(request));
  GLINT_ASSIGN_OR_RETURN(const auto name,
                         Named(caller, Right::kSubmit, request.owner(), request.batch()));
  for (const FailureReason reason : reasons) {
    const int left = kChangesOfACall - response.queued();
    const auto tried =
        ForSome(name, JobState::kFailed, Info(reason).name, left,
                [&](const auto& scan_ids) { return RetrySome(caller, scan_ids, response); });
    if (FailureReasonOf(tried.status()) == FailureReason(ServiceReason::kQueueFull)) {
      response.set_queue_full(true);
      break;
    }
    GLINT_RETURN_IF_ERROR(tried.status());
    response.set_more(*tried >= left);
    if (response.more()) break;
  }
  if (response.queued() == 0) GLINT_RETURN_IF_ERROR(RequireKnown(name));
  spdlog::info("batch {}: {} scans that had failed are queued again", name.batch,
               response.queued());
  return absl::OkStatus();
}

/// Errors: QUEUE_FULL, QUOTA_EXCEEDED, as the first that found no room
absl::Status BatchServiceImpl::RetrySome(const IncomingCall::Facts& caller,
                                         std::span<const std::string> scan_ids,
                                         v1::RetryBatchResponse& response) const {
  std::vector<NewJob> again;
  for (const std::string& scan_id : scan_ids) {
    GLINT_ASSIGN_OR_RETURN(const auto job, state_.jobs.Get(scan_id));
    // An administrator's own quotas are not those of another owner.
    const bool own = job.owner == caller.caller->owner;
    again.push_back({.scan_id = job.scan_id,
                     .request = job.request,
                     .shown_url = job.shown_url,
                     .owner = job.owner,
                     .tier = job.tier,
                     .batch = job.batch,
                     .quotas = own ? caller.caller->quotas : OwnerQuotas()});
  }
  GLINT_ASSIGN_OR_RETURN(const auto submitted, state_.jobs.SubmitAll(again));
  for (const auto& one : submitted) {
    if (one.ok() && one->created) response.set_queued(response.queued() + 1);
  }
  for (const auto& one : submitted) GLINT_RETURN_IF_ERROR(one.status());
  return absl::OkStatus();
}

/// A batch that the caller may use. Errors: INVALID_OPTION, NOT_PERMITTED
absl::StatusOr<BatchName> BatchServiceImpl::Named(const IncomingCall::Facts& caller, Right right,
                                                  const std::string& owner,
                                                  const std::string& batch) const {
  GLINT_RETURN_IF_ERROR(CheckBatchName("batch", batch));
  // The rules are those of one of its scans.
  GLINT_RETURN_IF_ERROR(ScanFor(*caller.caller, right, owner, batch).status());
  return BatchName{owner.empty() ? caller.caller->owner : owner, batch};
}

/// That some scan of a batch is known, which is counted: for calls that met none.
/// Errors: SCAN_NOT_FOUND
absl::Status BatchServiceImpl::RequireKnown(const BatchName& name) const {
  GLINT_ASSIGN_OR_RETURN(const auto state, state_.jobs.Batch(name, 0));
  return state.created ? absl::OkStatus() : NotFound(name);
}

/// Calls `act` for jobs of a batch, some at a time, until it fails. @return for how many
template <class Act>
absl::StatusOr<int> BatchServiceImpl::ForSome(const BatchName& batch, JobState state,
                                              std::string_view reason, int limit,
                                              const Act& act) const {
  constexpr int kPage = 100;
  int done = 0;
  std::int64_t after = 0;
  while (done < limit) {
    GLINT_ASSIGN_OR_RETURN(const auto page, state_.jobs.JobsOfBatch(batch, state, reason, after,
                                                                    std::min(kPage, limit - done)));
    if (page.scan_ids.empty()) break;
    GLINT_RETURN_IF_ERROR(act(page.scan_ids));
    done += static_cast<int>(page.scan_ids.size());
    after = page.next;
  }
  return done;
}

}  // namespace glint
