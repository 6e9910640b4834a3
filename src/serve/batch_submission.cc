// SPDX-License-Identifier: Apache-2.0
#include "serve/batch_submission.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "api/batch_message.h"
#include "api/failure.h"
#include "api/scan_message.h"
#include "base/catch_exceptions.h"
#include "base/status_macros.h"
#include "observe/redact.h"

namespace glint {
namespace {

constexpr std::size_t kSubmittedAtOnce = 100;  // scans of one transaction, between two reads
constexpr int kMostScans = 10'000;             // of one call, whose answer names each refusal

}  // namespace

void BatchSubmission::Take(grpc::ByteBuffer* bytes) {
  if (bytes == nullptr) {
    if (scans_read_ == 0) {
      return call_->End(Error(Reason::kInvalidOption, "the call has no scans"));
    }
    return SubmitAndGoOn(true);
  }
  if (const absl::Status added = Add(bytes); !added.ok()) return call_->End(added);
  if (waiting_.size() >= kSubmittedAtOnce) return SubmitAndGoOn(false);
  ReadOn();
}

absl::Status BatchSubmission::Add(grpc::ByteBuffer* bytes) {
  v1::SubmitBatchRequest request;
  GLINT_RETURN_IF_ERROR(ParseRequest(bytes, call_->facts().max_bytes, request));
  if (++scans_read_ > kMostScans) {
    return Error(
        ServiceReason::kOverloaded,
        fmt::format("a call may bring {} scans; bring the others in another call", kMostScans));
  }
  const std::string& batch = request.scan().batch();
  if (scans_read_ == 1) {
    GLINT_RETURN_IF_ERROR(CheckBatchName("scan.batch", batch));
    batch_ = batch;
  } else if (batch != batch_) {
    return BadRequest({{"scan.batch", "is another one than in the call's first message"}});
  }
  waiting_.push_back(std::move(*request.mutable_scan()));
  return absl::OkStatus();
}

void BatchSubmission::ReadOn() {
  router_.Read(call_, false, [self = shared_from_this()](const CallPtr&, grpc::ByteBuffer* bytes) {
    self->Take(bytes);
  });
}

void BatchSubmission::SubmitAndGoOn(bool last) {
  const bool accepted = state_.calls.TryPost([self = shared_from_this(), last] {
    if (self->call_->gone()) {
      return self->call_->End(Error(Reason::kCancelled, "the caller has left"));
    }
    const absl::Status done = CatchExceptions([&] { return self->Submit(); });
    if (!done.ok()) return self->call_->End(done);
    if (!last) return self->ReadOn();
    spdlog::info("batch {}: {} scans are queued, {} were there, {} are refused", self->batch_,
                 self->response_.created(), self->response_.existed(),
                 self->response_.refused_size());
    self->call_->Answer(self->response_);
  });
  if (!accepted) call_->End(OverloadedError());
}

/// Submits what waits. Errors: those that all others would meet as well; what is wrong with one is
/// in the response
absl::Status BatchSubmission::Submit() {
  const auto scans = std::exchange(waiting_, {});
  GLINT_ASSIGN_OR_RETURN(const auto answers, scans_.SubmitAll(call_->facts(), scans));
  for (std::size_t i = 0; i < scans.size(); ++i) {
    const auto& submitted = answers[i];
    if (!submitted.ok()) {
      Refuse(scans[i].scan_id(), submitted.status());
    } else if (submitted->batch != batch_) {
      Refuse(scans[i].scan_id(),
             Error(ServiceReason::kScanConflict,
                   submitted->batch.empty()
                       ? "the scan exists and is in no batch; choose another scan_id"
                       : fmt::format("the scan is in the batch '{}'; choose another scan_id",
                                     submitted->batch)));
    } else if (submitted->created) {
      response_.set_created(response_.created() + 1);
    } else {
      response_.set_existed(response_.existed() + 1);
    }
  }
  return absl::OkStatus();
}

void BatchSubmission::Refuse(const std::string& scan_id, const absl::Status& why) {
  auto& refusal = *response_.add_refused();
  refusal.set_scan_id(scan_id.substr(0, 128));
  *refusal.mutable_error() =
      ToErrorMessage({FailureReasonOf(why).value_or(Reason::kInternal), Redact(Message(why))});
}

}  // namespace glint
