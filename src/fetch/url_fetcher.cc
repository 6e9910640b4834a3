// SPDX-License-Identifier: Apache-2.0
#include "glint/url_fetcher.h"

#include <fmt/format.h>

#include <utility>

#include "base/mutex.h"
#include "base/status_macros.h"
#include "fetch/download.h"
#include "fetch/url_client.h"
#include "fetch/work_folder.h"
#include "glint/error.h"
#include "http/http_client.h"
#include "http/url.h"

namespace glint {
namespace {

class UrlFetcher final : public Fetcher {
 public:
  UrlFetcher(UrlFetchOptions options, AddressPolicy policy, SteadyClock& clock)
      : options_(std::move(options)),
        policy_(std::move(policy)),
        client_(UrlClientOptions(options_, policy_)),
        clock_(clock) {}

  absl::StatusOr<std::unique_ptr<FetchedFile>> Fetch(std::string_view input,
                                                     const FetchProgress& progress,
                                                     const CancelToken& cancel) override {
    GLINT_RETURN_IF_ERROR(cancel.Check());
    GLINT_ASSIGN_OR_RETURN(const Url url, Url::Parse(input));
    GLINT_ASSIGN_OR_RETURN(WorkFolder* const folder, Folder());
    GLINT_ASSIGN_OR_RETURN(auto file, folder->NewFile());
    GLINT_RETURN_IF_ERROR(
        Download(options_, policy_, client_, *file, progress, cancel, clock_).Run(url));
    return file;
  }

  /// The folder, opened if it is not open yet.
  absl::StatusOr<WorkFolder*> Folder() {
    const MutexLock lock(mutex_);
    if (!folder_) {
      GLINT_ASSIGN_OR_RETURN(folder_, WorkFolder::Open(options_.work_folder, options_.work_bytes));
    }
    return folder_.get();
  }

 private:
  const UrlFetchOptions options_;
  const AddressPolicy policy_;
  HttpClient client_;
  SteadyClock& clock_;
  Mutex mutex_;
  std::unique_ptr<WorkFolder> folder_ ABSL_GUARDED_BY(mutex_);
};

class InputFetcher final : public Fetcher {
 public:
  explicit InputFetcher(std::unique_ptr<Fetcher> urls) : urls_(std::move(urls)) {}

  absl::StatusOr<std::unique_ptr<FetchedFile>> Fetch(std::string_view input,
                                                     const FetchProgress& progress,
                                                     const CancelToken& cancel) override {
    return (IsWebUrl(input) ? urls_ : files_)->Fetch(input, progress, cancel);
  }

 private:
  const std::unique_ptr<Fetcher> urls_;
  const std::unique_ptr<Fetcher> files_ = MakeFileFetcher();
};

}  // namespace

bool IsWebUrl(std::string_view input) {
  std::string begin(input.substr(0, 8));
  for (char& c : begin) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return begin.starts_with("http://") || begin.starts_with("https://");
}

absl::StatusOr<std::unique_ptr<Fetcher>> MakeUrlFetcher(UrlFetchOptions options) {
  return MakeUrlFetcher(std::move(options), RealClock());
}

absl::StatusOr<std::unique_ptr<Fetcher>> MakeUrlFetcher(UrlFetchOptions options,
                                                        SteadyClock& clock) {
  GLINT_ASSIGN_OR_RETURN(auto policy, AddressPolicy::Make(options.allowed_sources));
  // Who scans local files shall not find a new folder among the system's temporary ones.
  const bool when_needed = options.work_folder.empty();
  auto fetcher = std::make_unique<UrlFetcher>(std::move(options), std::move(policy), clock);
  if (!when_needed) GLINT_RETURN_IF_ERROR(fetcher->Folder().status());
  return fetcher;
}

absl::StatusOr<std::unique_ptr<Fetcher>> MakeInputFetcher(UrlFetchOptions options) {
  GLINT_ASSIGN_OR_RETURN(auto urls, MakeUrlFetcher(std::move(options)));
  return std::make_unique<InputFetcher>(std::move(urls));
}

}  // namespace glint
