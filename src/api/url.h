// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace glint {

/// Bytes that the URL of a video may have.
inline constexpr std::size_t kMaxUrlBytes = 8192;

/// What stands before the id of a video that was uploaded to the worker.
inline constexpr std::string_view kUploadScheme = "upload://";

/// The id in "upload://ID"; empty when the text is no such address.
std::string_view UploadIdOf(std::string_view address);

/// Checks a video's URL by its text alone: upload://ID, or http or https, a host, no user info, no
/// spaces or control characters, not too long. Which hosts may be reached is not decided here.
/// @return the URL as it may be shown: without query string and fragment
/// Errors: INVALID_OPTION; the message does not repeat the URL, which may hold a secret
absl::StatusOr<std::string> CheckVideoUrl(std::string_view url);

}  // namespace glint
