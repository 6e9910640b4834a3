// SPDX-License-Identifier: Apache-2.0
#include "fetch/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/status_macros.h"
#include "fetch/url_checks.h"
#include "glint/error.h"
#include "http/retry.h"

namespace glint {
namespace {

constexpr std::chrono::milliseconds kLongestWait(30'000);

/// What proves that a file is still the same: a strong ETag, else the date of its last change.
std::string ValidatorOf(const HttpResponse& head) {
  const std::string_view tag = head.Header("ETag");
  if (!tag.empty() && !tag.starts_with("W/")) return std::string(tag);
  return std::string(head.Header("Last-Modified"));
}

/// The parts of "bytes BEGIN-END/TOTAL"; `total` is nothing for "*".
struct ContentRange {
  std::int64_t begin = -1;
  std::optional<std::int64_t> total;
};

std::optional<ContentRange> ContentRangeOf(const HttpResponse& head) {
  std::string_view text = head.Header("Content-Range");
  if (!text.starts_with("bytes ")) return std::nullopt;
  text.remove_prefix(6);
  const auto number = [&]() -> std::optional<std::int64_t> {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty()) text.remove_prefix(1);
    return value;
  };
  const auto begin = number();
  const auto last = number();
  if (!begin || !last || *last < *begin) return std::nullopt;
  return ContentRange{*begin, number()};
}

}  // namespace

Download::Download(const UrlFetchOptions& options, const AddressPolicy& policy, HttpClient& client,
                   WorkFile& file, const FetchProgress& progress, const CancelToken& cancel,
                   SteadyClock& clock)
    : options_(options),
      policy_(policy),
      client_(client),
      file_(file),
      progress_(progress),
      cancel_(cancel),
      clock_(clock),
      begin_(clock.Now()),
      end_(begin_ + options.timeout) {}

absl::Status Download::Run(const Url& url) {
  const RetryPolicy retry{.attempts = options_.attempts,
                          .first_wait = options_.first_wait,
                          .longest_wait = kLongestWait};
  std::int64_t furthest = 0;
  for (int attempt = 1;; ++attempt) {
    retry_after_.reset();
    absl::Status status = Attempt(url);
    if (status.ok() || !IsTransient(status)) return status;
    if (file_.size() > furthest) attempt = 1;  // it gets on
    furthest = std::max(furthest, file_.size());
    if (IsTooSlow()) {
      return Error(Reason::kDownloadFailed,
                   fmt::format("{}: sends too slowly, {} bytes so far; given up", url.Shown(),
                               file_.size()));
    }
    const auto wait = WaitBefore(attempt + 1, retry, retry_after_);
    if (clock_.Now() + wait >= end_) {  // another attempt could only begin, and lose what has come
      return Error(
          Reason::kDownloadFailed,
          fmt::format("{}: not done within {:.0f} s; given up with {} bytes", url.Shown(),
                      std::chrono::duration<double>(options_.timeout).count(), file_.size()));
    }
    if (attempt >= options_.attempts) {
      return Error(Reason::kDownloadFailed,
                   fmt::format("{}; given up with {} bytes", Message(status), file_.size()));
    }
    GLINT_RETURN_IF_ERROR(clock_.Wait(wait, cancel_));
  }
}

/// Whether what has come so far, over all attempts, came more slowly than a source may send.
bool Download::IsTooSlow() const {
  const std::chrono::duration<double> taken = clock_.Now() - begin_;
  return taken > 2 * options_.low_speed_time &&
         static_cast<double>(file_.size()) <
             taken.count() * static_cast<double>(options_.low_speed_bytes);
}

absl::Status Download::Attempt(const Url& start) {
  Url url = start;
  std::optional<Url> from;
  for (int redirects = 0; redirects <= kMaxRedirects; ++redirects) {
    absl::Status allowed = CheckHop(url, from ? &*from : nullptr, policy_);
    if (!allowed.ok()) return from ? In("redirected", allowed) : allowed;
    redirect_.reset();
    absl::Status status = Exchange(url);
    if (!redirect_) return status.ok() ? Finish(url) : status;
    from = std::move(url);
    url = *redirect_;
  }
  return Error(Reason::kUrlNotAllowed,
               fmt::format("{}: more than {} redirects", start.Shown(), kMaxRedirects));
}

HttpRequest Download::Request(const Url& url) {
  HttpRequest request;
  request.url = url;
  // The file as it is: what is unpacked on the way could be a thousand times as large.
  request.headers = {{"Accept", "video/*, application/octet-stream, */*;q=0.1"},
                     {"Accept-Encoding", "identity"}};
  if (file_.size() > 0) {
    request.headers.push_back({"Range", fmt::format("bytes={}-", file_.size())});
    request.headers.push_back({"If-Range", validator_});
  }
  request.low_speed_bytes = options_.low_speed_bytes;
  request.low_speed_time = options_.low_speed_time;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - clock_.Now());
  request.timeout = std::max(left, std::chrono::milliseconds(1));
  request.on_head = [this, url](const HttpResponse& head) { return OnHead(head, url); };
  request.on_body = [this, url](std::span<const std::byte> piece) { return OnBody(piece, url); };
  return request;
}

absl::Status Download::Exchange(const Url& url) {
  if (file_.size() > 0 && validator_.empty()) {
    GLINT_RETURN_IF_ERROR(StartOver());
  }
  return client_.Send(Request(url), Reason::kDownloadFailed, cancel_).status();
}

absl::Status Download::OnHead(const HttpResponse& head, const Url& url) {
  retry_after_ = head.retry_after;
  GLINT_ASSIGN_OR_RETURN(redirect_, RedirectOf(head, url));
  if (redirect_) return absl::AbortedError("its body is not wanted");
  if (absl::Status fits = CheckAnswer(head, url, file_.size(), options_.max_bytes); !fits.ok()) {
    const bool range_refused = head.status == 416 && file_.size() > 0;
    GLINT_RETURN_IF_ERROR(range_refused ? StartOver() : absl::OkStatus());
    return fits;
  }
  if (head.status == 206) {
    if (Continues(head)) return absl::OkStatus();
    GLINT_RETURN_IF_ERROR(StartOver());
    return Transient(Error(Reason::kDownloadFailed,
                           fmt::format("{} changed while it was downloaded", url.Shown())));
  }
  GLINT_RETURN_IF_ERROR(StartOver());
  total_ = DeclaredLength(head);
  validator_ = ValidatorOf(head);
  return absl::OkStatus();
}

bool Download::Continues(const HttpResponse& head) const {
  const auto range = ContentRangeOf(head);
  if (file_.size() == 0 || !range || range->begin != file_.size()) return false;
  if (range->total && total_ && *range->total != *total_) return false;
  return ValidatorOf(head).empty() || ValidatorOf(head) == validator_;
}

absl::Status Download::OnBody(std::span<const std::byte> piece, const Url& url) {
  if (file_.size() + static_cast<std::int64_t>(piece.size()) > options_.max_bytes) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("{} has more than the {} bytes that are downloaded", url.Shown(),
                             options_.max_bytes));
  }
  const bool sniffing = first_.size() < kSniffBytes;
  if (sniffing) {
    const std::size_t wanted = std::min(piece.size(), kSniffBytes - first_.size());
    first_.insert(first_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(wanted));
    if (first_.size() == kSniffBytes) {
      GLINT_RETURN_IF_ERROR(CheckContent(first_, url));
    }
  }
  GLINT_RETURN_IF_ERROR(file_.Append(piece));
  if (progress_) progress_(file_.size(), total_.value_or(0));
  return absl::OkStatus();
}

absl::Status Download::Finish(const Url& url) {
  if (total_ && file_.size() != *total_) {
    return Transient(
        Error(Reason::kDownloadFailed,
              fmt::format("{}: {} of {} bytes came", url.Shown(), file_.size(), *total_)));
  }
  return CheckContent(first_, url);
}

absl::Status Download::StartOver() {
  validator_.clear();
  total_.reset();
  first_.clear();
  return file_.Clear();
}

}  // namespace glint
