// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace glint {

/// Why something failed, finer than a status code. Each reason has one status code and one exit
/// code of the command line (see `Reasons()`); its name travels in the status as a payload. A
/// program around the library may have reasons of its own (see ReasonInfo).
enum class Reason {
  kInternal,           ///< a bug of ours
  kInvalidOption,      ///< an option, item type or profile that does not exist or is out of range
  kInputNotFound,      ///< the input does not exist
  kInputUnreadable,    ///< the input exists, but may not or cannot be read
  kNotAVideo,          ///< the bytes are no container that glint accepts, or hold no video
  kUnsupportedVideo,   ///< a codec or pixel format that glint does not decode
  kCorruptVideo,       ///< a video whose data are too damaged to be used
  kLimitExceeded,      ///< larger, longer or more frames than the limits allow
  kOutputUnwritable,   ///< the place for results refuses this result, and will again
  kStoreUnavailable,   ///< the place for results is away for the moment; store it later
  kDiskFull,           ///< no space is left where the result goes
  kDeviceUnavailable,  ///< the device that was asked for does not work here
  kOutOfMemory,        ///< host or device memory is out
  kCancelled,          ///< the caller cancelled
  kDeadlineExceeded,   ///< it took longer than allowed
  kUrlNotAllowed,      ///< the policy on URLs refuses the address, port, scheme or redirect
  kDownloadFailed,     ///< the server of the input failed, was too slow or broke off; try again
  kStoreDenied,        ///< the object store refuses our credentials or the bucket
  kDecoderDied,        ///< the decoder's process crashed on this video
};

/// One line of a table of reasons: the library's, or one of a program's own. Such tables are
/// static.
struct ReasonInfo {
  std::string_view name;   ///< stable, e.g. "NOT_A_VIDEO"
  absl::StatusCode code;   ///< the code of the status (and of gRPC)
  int exit_code;           ///< what the command line exits with
  std::string_view help;   ///< one sentence for documentation
  bool retryable = false;  ///< whether the same request may succeed later, unchanged
};

/// The whole table, one line per reason, in the order of the enum.
std::span<const ReasonInfo> Reasons();

/// A failed status with the reason's code and its name as payload.
/// @param message  what happened, to what, and what to do about it
absl::Status Error(const ReasonInfo& reason, std::string_view message);
absl::Status Error(Reason reason, std::string_view message);

/// The message of a status (Abseil may be built with a string_view of its own).
std::string_view Message(const absl::Status& status);

/// The name that a status carries, of whichever table; empty when it carries none.
std::string ReasonName(const absl::Status& status);

/// The library's reason of a status: its payload, or the likeliest reason for its code; nothing
/// when it is OK.
std::optional<Reason> ReasonOf(const absl::Status& status);

/// The table's line for a reason.
const ReasonInfo& Info(Reason reason);

/// The same failure with where it happened in front: "decode: frame 12: ...". OK stays OK.
absl::Status In(std::string_view where, const absl::Status& status);

}  // namespace glint
