// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace glint {

/// A worker's HTTP port, and how it is called.
struct UploadTarget {
  std::string base_url;                 ///< as WorkerInfo has it
  std::string token;                    ///< may be empty
  std::filesystem::path ca, cert, key;  ///< as ClientOptions has them
};

/// Brings a local video to a worker's HTTP port by the tus protocol, and goes on where it was when
/// the connection breaks.
/// @param progress  hears how much has come, 0..1
/// @return what SubmitScanRequest.video_url is then
/// Errors: those of the worker; INPUT_UNREADABLE; WORKER_UNREACHABLE; CANCELLED
absl::StatusOr<std::string> UploadVideo(const UploadTarget& target,
                                        const std::filesystem::path& video,
                                        const std::function<void(double)>& progress,
                                        const std::stop_token& stop);

}  // namespace glint
