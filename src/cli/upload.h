// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace glint {

/// Brings a local video to a worker's HTTP port by the tus protocol, and goes on where it was when
/// the connection breaks.
/// @param base_url  the worker's, as WorkerInfo has it
/// @param token     may be empty
/// @param progress  hears how much has come, 0..1
/// @return what SubmitScanRequest.video_url is then
/// Errors: those of the worker; INPUT_UNREADABLE; WORKER_UNREACHABLE; CANCELLED
absl::StatusOr<std::string> UploadVideo(const std::string& base_url, const std::string& token,
                                        const std::filesystem::path& video,
                                        const std::function<void(double)>& progress,
                                        const std::stop_token& stop);

}  // namespace glint
