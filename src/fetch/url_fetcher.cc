// SPDX-License-Identifier: Apache-2.0
#include "glint/url_fetcher.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

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
  UrlFetcher(UrlFetchOptions options, AddressPolicy policy)
      : options_(std::move(options)),
        policy_(std::move(policy)),
        client_(UrlClientOptions(options_, policy_)) {}

  absl::StatusOr<std::unique_ptr<FetchedFile>> Fetch(std::string_view input,
                                                     const FetchProgress& progress,
                                                     const CancelToken& cancel) override {
    if (absl::Status go_on = cancel.Check(); !go_on.ok()) return go_on;
    const auto url = Url::Parse(input);
    if (!url.ok()) return url.status();
    auto file = NewFile();
    if (!file.ok()) return file.status();
    Download download(options_, policy_, client_, **file, progress, cancel);
    if (absl::Status status = download.Run(*url); !status.ok()) return status;
    return *std::move(file);
  }

  /// Opens the folder if it is not open yet; needs the lock, or to be the only one here.
  absl::Status OpenFolder() {
    if (folder_) return absl::OkStatus();
    auto folder = WorkFolder::Open(options_.work_folder, options_.work_bytes);
    if (!folder.ok()) return folder.status();
    folder_ = *std::move(folder);
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<std::unique_ptr<WorkFile>> NewFile() {
    const std::scoped_lock lock(mutex_);
    if (auto opened = OpenFolder(); !opened.ok()) return opened;
    return folder_->NewFile();
  }

  const UrlFetchOptions options_;
  const AddressPolicy policy_;
  HttpClient client_;
  std::mutex mutex_;
  std::unique_ptr<WorkFolder> folder_;
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
  auto policy = AddressPolicy::Make(options.allowed_sources);
  if (!policy.ok()) return policy.status();
  // Who scans local files shall not find a new folder among the system's temporary ones.
  const bool when_needed = options.work_folder.empty();
  auto fetcher = std::make_unique<UrlFetcher>(std::move(options), *std::move(policy));
  if (when_needed) return fetcher;
  if (auto opened = fetcher->OpenFolder(); !opened.ok()) return opened;
  return fetcher;
}

absl::StatusOr<std::unique_ptr<Fetcher>> MakeInputFetcher(UrlFetchOptions options) {
  auto urls = MakeUrlFetcher(std::move(options));
  if (!urls.ok()) return urls.status();
  return std::make_unique<InputFetcher>(*std::move(urls));
}

}  // namespace glint
