// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "fetch/work_folder.h"
#include "glint/cancel.h"
#include "glint/fetcher.h"
#include "glint/url_fetcher.h"
#include "http/address_policy.h"
#include "http/http_client.h"
#include "http/url.h"

namespace glint {

/// One download: attempts, each with its redirects, until the file is complete. Used once.
class Download {
 public:
  /// All arguments must outlive the download.
  Download(const UrlFetchOptions& options, const AddressPolicy& policy, HttpClient& client,
           WorkFile& file, const FetchProgress& progress, const CancelToken& cancel,
           SteadyClock& clock);

  /// Errors: as MakeUrlFetcher
  absl::Status Run(const Url& url);

 private:
  /// One attempt, redirects followed.
  bool IsTooSlow() const;
  absl::Status Attempt(const Url& start);
  /// One request. Sets `redirect_` where the answer is one.
  absl::Status Exchange(const Url& url);
  HttpRequest Request(const Url& url);
  absl::Status OnHead(const HttpResponse& head, const Url& url);
  /// Whether the answer continues what is in the file.
  bool Continues(const HttpResponse& head) const;
  absl::Status OnBody(std::span<const std::byte> piece, const Url& url);
  absl::Status Finish(const Url& url);
  absl::Status StartOver();

  const UrlFetchOptions& options_;
  const AddressPolicy& policy_;
  HttpClient& client_;
  WorkFile& file_;
  const FetchProgress& progress_;
  const CancelToken& cancel_;
  SteadyClock& clock_;
  const SteadyClock::TimePoint begin_;
  const SteadyClock::TimePoint end_;

  std::string validator_;  // ETag or date of what is in the file; empty: it cannot be resumed
  std::optional<std::int64_t> total_;  // announced size of the file
  std::vector<std::byte> first_;       // its first bytes, for CheckContent
  std::optional<Url> redirect_;
  std::optional<std::chrono::seconds> retry_after_;
};

}  // namespace glint
