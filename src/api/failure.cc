// SPDX-License-Identifier: Apache-2.0
#include "api/failure.h"

#include <absl/strings/cord.h>
#include <fmt/format.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "base/utf8.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "observe/redact.h"

namespace glint {
namespace {

using google::protobuf::util::TimeUtil;
using namespace std::chrono_literals;

constexpr absl::string_view kBadRequestUrl = "type.googleapis.com/google.rpc.BadRequest";
/// Clients and proxies refuse trailers above 8 KiB, base64 and all; a failure must get through.
constexpr std::size_t kMaxDetailBytes = 4096;
constexpr std::size_t kMaxMessageBytes = 600;

const std::array kRules = {
    FailureRule{Reason::kInternal, 500},
    FailureRule{Reason::kInvalidOption, 400},
    FailureRule{Reason::kInputNotFound, 404},
    FailureRule{Reason::kInputUnreadable, 403},
    FailureRule{Reason::kNotAVideo, 415},
    FailureRule{Reason::kUnsupportedVideo, 415},
    FailureRule{Reason::kCorruptVideo, 422},
    FailureRule{Reason::kLimitExceeded, 413},
    FailureRule{Reason::kOutputUnwritable, 500},
    FailureRule{Reason::kStoreUnavailable, 503, 30'000ms},
    FailureRule{Reason::kDiskFull, 503, 30'000ms},
    FailureRule{Reason::kDeviceUnavailable, 503},
    FailureRule{Reason::kOutOfMemory, 503},
    FailureRule{Reason::kCancelled, 499},
    FailureRule{Reason::kDeadlineExceeded, 504},
    FailureRule{Reason::kUrlNotAllowed, 403},
    FailureRule{Reason::kDownloadFailed, 502},
    FailureRule{Reason::kStoreDenied, 500},
    FailureRule{ServiceReason::kUnauthenticated, 401},
    FailureRule{ServiceReason::kScanNotFound, 404},
    FailureRule{ServiceReason::kScanConflict, 409},
    FailureRule{ServiceReason::kQueueFull, 429, 5'000ms},
    FailureRule{ServiceReason::kDraining, 503, 1'000ms},
    FailureRule{ServiceReason::kWorkerDied, 500},
    FailureRule{Reason::kDecoderDied, 422},
    FailureRule{ServiceReason::kClaimLost, 409},
    FailureRule{ServiceReason::kJobStoreUnavailable, 503, 1'000ms},
    FailureRule{ServiceReason::kOverloaded, 429, 1'000ms},
    FailureRule{ServiceReason::kWorkerUnreachable, 503},
    FailureRule{ServiceReason::kDecoderUnavailable, 503},
    FailureRule{ServiceReason::kNotPermitted, 403},
    FailureRule{ServiceReason::kQuotaExceeded, 429, 5'000ms},
};

/// The reason of a failure that carries no ErrorInfo: it did not come from glint's own code.
FailureReason LikeliestReason(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::OUT_OF_RANGE:
      return Reason::kInvalidOption;
    case grpc::StatusCode::NOT_FOUND:
      return ServiceReason::kScanNotFound;
    case grpc::StatusCode::ALREADY_EXISTS:
      return ServiceReason::kScanConflict;
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
      return ServiceReason::kUnauthenticated;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return ServiceReason::kOverloaded;
    case grpc::StatusCode::CANCELLED:
      return Reason::kCancelled;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return Reason::kDeadlineExceeded;
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::UNIMPLEMENTED:
      return ServiceReason::kWorkerUnreachable;
    case grpc::StatusCode::OK:
    case grpc::StatusCode::UNKNOWN:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::DATA_LOSS:
    case grpc::StatusCode::DO_NOT_USE:
      break;
  }
  return Reason::kInternal;
}

/// The first detail of this kind.
template <class Detail>
std::optional<Detail> Find(const grpc::Status& status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return std::nullopt;
  for (const auto& any : details.details()) {
    Detail detail;
    if (any.Is<Detail>() && any.UnpackTo(&detail)) return detail;
  }
  return std::nullopt;
}

}  // namespace

const FailureRule& RuleOf(FailureReason reason) {
  const auto rule = std::ranges::find(kRules, reason, &FailureRule::reason);
  assert(rule != kRules.end());
  return *rule;
}

absl::Status BadRequest(const std::vector<FieldViolation>& violations) {
  google::rpc::BadRequest details;
  std::string message;
  for (const FieldViolation& violation : violations) {
    const std::string description = ValidUtf8(violation.description, 300);
    message += fmt::format("{}{}: {}", message.empty() ? "" : "; ", violation.field, description);
    auto* wrong = details.add_field_violations();
    wrong->set_field(violation.field);
    wrong->set_description(description);
  }
  absl::Status status = Error(Reason::kInvalidOption, message);
  status.SetPayload(kBadRequestUrl, absl::Cord(details.SerializeAsString()));
  return status;
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const FailureReason reason = FailureReasonOf(status).value_or(Reason::kInternal);
  const ReasonInfo& info = Info(reason);
  google::rpc::Status details;
  details.set_code(static_cast<int>(info.code));
  details.set_message(ValidUtf8(WithoutPlaces(Message(status)), kMaxMessageBytes));
  google::rpc::ErrorInfo error;
  error.set_reason(std::string(info.name));
  error.set_domain(std::string(kErrorDomain));
  details.add_details()->PackFrom(error);
  if (const auto wait = RuleOf(reason).retry_after; wait > 0ms) {
    google::rpc::RetryInfo retry;
    *retry.mutable_retry_delay() = TimeUtil::MillisecondsToDuration(wait.count());
    details.add_details()->PackFrom(retry);
  }
  const auto wrong = status.GetPayload(kBadRequestUrl);
  if (wrong && details.ByteSizeLong() + wrong->size() < kMaxDetailBytes) {
    auto* any = details.add_details();
    any->set_type_url(std::string(kBadRequestUrl));
    any->set_value(std::string(*wrong));
  }
  return {static_cast<grpc::StatusCode>(info.code), details.message(), details.SerializeAsString()};
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (const auto info = Find<google::rpc::ErrorInfo>(status);
      info && info->domain() == kErrorDomain) {
    if (const auto reason = FailureReasonNamed(info->reason())) {
      return Error(*reason, status.error_message());
    }
  }
  return Error(LikeliestReason(status.error_code()), status.error_message());
}

std::optional<std::chrono::milliseconds> RetryDelayOf(const grpc::Status& status) {
  const auto retry = Find<google::rpc::RetryInfo>(status);
  if (!retry) return std::nullopt;
  return std::chrono::milliseconds(TimeUtil::DurationToMilliseconds(retry->retry_delay()));
}

std::vector<FieldViolation> ViolationsOf(const grpc::Status& status) {
  std::vector<FieldViolation> violations;
  if (const auto wrong = Find<google::rpc::BadRequest>(status)) {
    for (const auto& field : wrong->field_violations()) {
      violations.push_back({field.field(), field.description()});
    }
  }
  return violations;
}

}  // namespace glint
