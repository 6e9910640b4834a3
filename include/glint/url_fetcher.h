// SPDX-License-Identifier: Apache-2.0
// Videos from http(s) URLs, which strangers may have chosen: docs/security.md says what is guarded
// against.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "glint/cancel.h"
#include "glint/fetcher.h"

namespace glint {

/// Limits of a download, and where it may come from.
struct UrlFetchOptions {
  /// Where downloads lie until their scan is done, in a folder there that only this user may read.
  /// What a dead process left there is deleted when the fetcher is made. Empty: the system's
  /// temporary folder, with the first download.
  std::filesystem::path work_folder;
  std::int64_t max_bytes = std::int64_t{4} << 30;    ///< of one download
  std::int64_t work_bytes = std::int64_t{16} << 30;  ///< of all that lie there at a time
  std::chrono::milliseconds timeout{15 * 60'000};    ///< of one download with all its repetitions
  std::int64_t low_speed_bytes = 4096;  ///< fewer per second than this for low_speed_time: broken
  std::chrono::seconds low_speed_time{20};
  /// Sources besides public addresses on ports 80 and 443: "media.internal", "10.0.0.0/8:8080",
  /// "[::1]:*" (see http/address_policy.h).
  std::vector<std::string> allowed_sources;
  std::string ca_file;                        ///< PEM to trust instead of the system's certificates
  int attempts = 5;                           ///< without a new byte, before giving up
  std::chrono::milliseconds first_wait{500};  ///< between attempts, doubled each time
  /// Addresses of a host in place of the system's resolver's, for split DNS and tests.
  std::function<std::vector<std::string>(const std::string& host, int port)> resolver;
};

/// Downloads http and https URLs into files of its own, which are deleted with the FetchedFile. No
/// byte goes to an address that the rules do not allow, whatever names, redirects and DNS say. A
/// transfer that breaks off is resumed where the server lets it prove that the file is the same.
/// Errors of Fetch: URL_NOT_ALLOWED; INPUT_NOT_FOUND (404, 410); INPUT_UNREADABLE (401, 403);
/// DOWNLOAD_FAILED; LIMIT_EXCEEDED; NOT_A_VIDEO when a web page, a playlist or the like comes;
/// DISK_FULL; INVALID_OPTION for what is no http(s) URL; CANCELLED; DEADLINE_EXCEEDED
/// Errors here: INVALID_OPTION for allowed_sources; OUTPUT_UNWRITABLE for work_folder
absl::StatusOr<std::unique_ptr<Fetcher>> MakeUrlFetcher(UrlFetchOptions options);

/// MakeUrlFetcher for http and https, MakeFileFetcher for everything else.
absl::StatusOr<std::unique_ptr<Fetcher>> MakeInputFetcher(UrlFetchOptions options);

/// Whether an input is for MakeUrlFetcher: it begins with http:// or https://, in any case.
bool IsWebUrl(std::string_view input);

/// One step of ExplainUrl.
struct UrlStep {
  std::string what;  ///< "url", "policy", "address", "answer", "content", "redirect"
  absl::Status status;
  std::string detail;  ///< of a step that went well
};

/// Goes the way of a download step by step, to the first bytes of the content and no further, and
/// says at each step what was found. The last step fails where the download would.
std::vector<UrlStep> ExplainUrl(std::string_view url, const UrlFetchOptions& options,
                                const CancelToken& cancel);

}  // namespace glint
