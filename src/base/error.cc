// SPDX-License-Identifier: Apache-2.0
#include "glint/error.h"

#include <absl/strings/cord.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace glint {
namespace {

using absl::StatusCode;

constexpr absl::string_view kReasonUrl = "type.googleapis.com/glint.Reason";

constexpr std::array kReasons = {
    ReasonInfo{Reason::kInternal, "INTERNAL", StatusCode::kInternal, 1,
               "a bug of glint; please report it with the message"},
    ReasonInfo{Reason::kInvalidOption, "INVALID_OPTION", StatusCode::kInvalidArgument, 2,
               "an option, item type or profile does not exist or is out of range"},
    ReasonInfo{Reason::kInputNotFound, "INPUT_NOT_FOUND", StatusCode::kNotFound, 3,
               "the input does not exist"},
    ReasonInfo{Reason::kInputUnreadable, "INPUT_UNREADABLE", StatusCode::kPermissionDenied, 3,
               "the input exists but cannot be read"},
    ReasonInfo{Reason::kNotAVideo, "NOT_A_VIDEO", StatusCode::kInvalidArgument, 4,
               "the input is no video container that glint accepts, or holds no video"},
    ReasonInfo{Reason::kUnsupportedVideo, "UNSUPPORTED_VIDEO", StatusCode::kUnimplemented, 4,
               "the video has a codec or pixel format that glint does not decode"},
    ReasonInfo{Reason::kCorruptVideo, "CORRUPT_VIDEO", StatusCode::kDataLoss, 4,
               "the video is too damaged to be used"},
    ReasonInfo{Reason::kLimitExceeded, "LIMIT_EXCEEDED", StatusCode::kFailedPrecondition, 5,
               "the video is larger or longer than the limits allow"},
    ReasonInfo{Reason::kOutputUnwritable, "OUTPUT_UNWRITABLE", StatusCode::kUnavailable, 6,
               "the result could not be stored"},
    ReasonInfo{Reason::kDiskFull, "DISK_FULL", StatusCode::kUnavailable, 6,
               "no space is left where the result goes"},
    ReasonInfo{Reason::kDeviceUnavailable, "DEVICE_UNAVAILABLE", StatusCode::kUnavailable, 7,
               "the device that was asked for does not work here"},
    ReasonInfo{Reason::kOutOfMemory, "OUT_OF_MEMORY", StatusCode::kResourceExhausted, 7,
               "host or device memory is out"},
    ReasonInfo{Reason::kCancelled, "CANCELLED", StatusCode::kCancelled, 130,
               "the caller cancelled"},
    ReasonInfo{Reason::kDeadlineExceeded, "DEADLINE_EXCEEDED", StatusCode::kDeadlineExceeded, 8,
               "it took longer than allowed"},
    ReasonInfo{Reason::kUrlNotAllowed, "URL_NOT_ALLOWED", StatusCode::kPermissionDenied, 3,
               "the policy on URLs refuses the address, port, scheme or redirect"},
    ReasonInfo{Reason::kDownloadFailed, "DOWNLOAD_FAILED", StatusCode::kUnavailable, 3,
               "the input's server failed, was too slow or broke off; try again"},
    ReasonInfo{Reason::kStoreDenied, "STORE_DENIED", StatusCode::kFailedPrecondition, 6,
               "the object store refuses the credentials or the bucket"},
    ReasonInfo{Reason::kUnauthenticated, "UNAUTHENTICATED", StatusCode::kUnauthenticated, 9,
               "the call carries no token, or one that the worker does not know"},
    ReasonInfo{Reason::kScanNotFound, "SCAN_NOT_FOUND", StatusCode::kNotFound, 3,
               "no scan has this id"},
    ReasonInfo{Reason::kScanConflict, "SCAN_CONFLICT", StatusCode::kAlreadyExists, 2,
               "the scan id is in use for another request"},
    ReasonInfo{Reason::kQueueFull, "QUEUE_FULL", StatusCode::kResourceExhausted, 9,
               "as many scans wait as may; try again later"},
    ReasonInfo{Reason::kDraining, "DRAINING", StatusCode::kUnavailable, 9,
               "the worker is shutting down; try another, or later"},
    ReasonInfo{Reason::kWorkerDied, "WORKER_DIED", StatusCode::kInternal, 1,
               "the worker died each time it tried this scan"},
    ReasonInfo{Reason::kDecoderDied, "DECODER_DIED", StatusCode::kDataLoss, 4,
               "the decoder's process crashed on this video"},
    ReasonInfo{Reason::kClaimLost, "CLAIM_LOST", StatusCode::kAborted, 9,
               "another worker took the scan over"},
    ReasonInfo{Reason::kJobStoreUnavailable, "JOB_STORE_UNAVAILABLE", StatusCode::kUnavailable, 9,
               "the store of jobs cannot be reached, or is locked for too long"},
    ReasonInfo{Reason::kOverloaded, "OVERLOADED", StatusCode::kResourceExhausted, 9,
               "too many calls or streams at once; try again later"},
    ReasonInfo{Reason::kWorkerUnreachable, "WORKER_UNREACHABLE", StatusCode::kUnavailable, 9,
               "no worker answers at this address"},
};

}  // namespace

std::span<const ReasonInfo> Reasons() { return kReasons; }

const ReasonInfo& Info(Reason reason) {
  const ReasonInfo& info = kReasons[static_cast<std::size_t>(reason)];
  assert(info.reason == reason);
  return info;
}

absl::Status Error(Reason reason, std::string_view message) {
  const ReasonInfo& info = Info(reason);
  absl::Status status(info.code, absl::string_view(message.data(), message.size()));
  status.SetPayload(kReasonUrl, absl::Cord(absl::string_view(info.name.data(), info.name.size())));
  return status;
}

std::string_view Message(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

std::optional<Reason> ReasonOf(const absl::Status& status) {
  if (status.ok()) return std::nullopt;
  if (const auto payload = status.GetPayload(kReasonUrl)) {
    const auto named =
        std::ranges::find(kReasons, std::string(*payload),
                          [](const ReasonInfo& info) { return std::string(info.name); });
    if (named != kReasons.end()) return named->reason;
  }
  const auto coded = std::ranges::find(kReasons, status.code(), &ReasonInfo::code);
  return coded == kReasons.end() ? Reason::kInternal : coded->reason;
}

absl::Status In(std::string_view where, const absl::Status& status) {
  if (status.ok()) return status;
  absl::Status with_place(status.code(), fmt::format("{}: {}", where, Message(status)));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    with_place.SetPayload(url, payload);
  });
  return with_place;
}

}  // namespace glint
