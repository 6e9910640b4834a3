// SPDX-License-Identifier: Apache-2.0
#include "glint/error.h"

#include <absl/strings/cord.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace glint {
namespace {

using absl::StatusCode;

constexpr absl::string_view kReasonUrl = "type.googleapis.com/glint.Reason";

constexpr bool kRetryable = true;

/// In the order of the enum.
constexpr std::array kReasons = {
    ReasonInfo{"INTERNAL", StatusCode::kInternal, 1,
               "a bug of glint; please report it with the message"},
    ReasonInfo{"INVALID_OPTION", StatusCode::kInvalidArgument, 2,
               "an option, item type or profile does not exist or is out of range"},
    ReasonInfo{"INPUT_NOT_FOUND", StatusCode::kNotFound, 3, "the input does not exist"},
    ReasonInfo{"INPUT_UNREADABLE", StatusCode::kPermissionDenied, 3,
               "the input exists but cannot be read"},
    ReasonInfo{"NOT_A_VIDEO", StatusCode::kInvalidArgument, 4,
               "the input is no video container that glint accepts, or holds no video"},
    ReasonInfo{"UNSUPPORTED_VIDEO", StatusCode::kUnimplemented, 4,
               "the video has a codec or pixel format that glint does not decode"},
    ReasonInfo{"CORRUPT_VIDEO", StatusCode::kDataLoss, 4, "the video is too damaged to be used"},
    ReasonInfo{
        "LIMIT_EXCEEDED", StatusCode::kFailedPrecondition, 5,
        "the video is larger or longer than the limits allow, or measuring it would take longer "
        "than a scan may"},
    ReasonInfo{"OUTPUT_UNWRITABLE", StatusCode::kFailedPrecondition, 6,
               "the place for results refuses the result: too large, of a type or with a key that "
               "it does not take, or a folder that may not be written"},
    ReasonInfo{"STORE_UNAVAILABLE", StatusCode::kUnavailable, 6,
               "the place for results does not answer, or says that it cannot for the moment",
               kRetryable},
    ReasonInfo{"DISK_FULL", StatusCode::kUnavailable, 6, "no space is left where the result goes",
               kRetryable},
    ReasonInfo{"DEVICE_UNAVAILABLE", StatusCode::kUnavailable, 7,
               "the device that was asked for does not work here", kRetryable},
    ReasonInfo{"OUT_OF_MEMORY", StatusCode::kResourceExhausted, 7, "host or device memory is out",
               kRetryable},
    ReasonInfo{"CANCELLED", StatusCode::kCancelled, 130, "the caller cancelled"},
    ReasonInfo{"DEADLINE_EXCEEDED", StatusCode::kDeadlineExceeded, 8, "it took longer than allowed",
               kRetryable},
    ReasonInfo{"URL_NOT_ALLOWED", StatusCode::kPermissionDenied, 3,
               "the policy on URLs refuses the address, port, scheme or redirect"},
    ReasonInfo{"DOWNLOAD_FAILED", StatusCode::kUnavailable, 3,
               "the input's server failed, was too slow or broke off; try again", kRetryable},
    ReasonInfo{"STORE_DENIED", StatusCode::kFailedPrecondition, 6,
               "the object store refuses the credentials or the bucket"},
    ReasonInfo{"DECODER_DIED", StatusCode::kDataLoss, 4,
               "the decoder's process crashed on this video"},
};
static_assert(kReasons.size() == static_cast<std::size_t>(Reason::kDecoderDied) + 1);

}  // namespace

std::span<const ReasonInfo> Reasons() { return kReasons; }

const ReasonInfo& Info(Reason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

absl::Status Error(const ReasonInfo& reason, std::string_view message) {
  absl::Status status(reason.code, absl::string_view(message.data(), message.size()));
  status.SetPayload(kReasonUrl,
                    absl::Cord(absl::string_view(reason.name.data(), reason.name.size())));
  return status;
}

absl::Status Error(Reason reason, std::string_view message) { return Error(Info(reason), message); }

std::string_view Message(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

std::string ReasonName(const absl::Status& status) {
  const auto payload = status.GetPayload(kReasonUrl);
  return payload ? std::string(*payload) : "";
}

std::optional<Reason> ReasonOf(const absl::Status& status) {
  if (status.ok()) return std::nullopt;
  auto found = std::ranges::find(kReasons, ReasonName(status), &ReasonInfo::name);
  if (found == kReasons.end())
    found = std::ranges::find(kReasons, status.code(), &ReasonInfo::code);
  if (found == kReasons.end()) return Reason::kInternal;
  return static_cast<Reason>(found - kReasons.begin());
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
