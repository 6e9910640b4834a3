// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "fetch/url_checks.h"
#include "fetch/url_client.h"
#include "glint/error.h"
#include "glint/url_fetcher.h"

namespace glint {
namespace {

/// The addresses of a host as they would be used, each once.
std::vector<IpAddress> Resolve(const Url& url, const UrlFetchOptions& options) {
  std::vector<IpAddress> addresses;
  const auto add = [&](const std::optional<IpAddress>& address) {
    if (address && std::ranges::find(addresses, *address) == addresses.end()) {
      addresses.push_back(*address);
    }
  };
  if (options.resolver && !IpAddress::Parse(url.host())) {
    for (const std::string& text : options.resolver(url.host(), url.port())) {
      add(IpAddress::Parse(text));
    }
    return addresses;
  }
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(url.host().c_str(), nullptr, &wanted, &found) != 0) return addresses;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    add(IpAddress::From(*one->ai_addr));
  }
  return addresses;
}

class Explanation {
 public:
  Explanation(const UrlFetchOptions& options, AddressPolicy policy, const CancelToken& cancel)
      : options_(options),
        policy_(std::move(policy)),
        cancel_(cancel),
        client_(UrlClientOptions(options, policy_)) {}

  std::vector<UrlStep> Run(std::string_view text) {
    auto url = Url::Parse(text);
    if (!Say("url", url.status(), url.ok() ? url->Shown() : "")) return steps_;
    std::optional<Url> from;
    for (int redirects = 0; redirects <= kMaxRedirects; ++redirects) {
      absl::Status allowed = CheckHop(*url, from ? &*from : nullptr, policy_);
      if (!Say("policy", allowed, "scheme and port are allowed")) return steps_;
      if (!SayAddresses(*url) || !Ask(*url) || !redirect_) return steps_;
      from = *std::move(url);
      url = *redirect_;
      Say("redirect", absl::OkStatus(), url->Shown());
    }
    Say("redirect",
        Error(Reason::kUrlNotAllowed, fmt::format("more than {} redirects", kMaxRedirects)), "");
    return steps_;
  }

 private:
  bool Say(std::string what, absl::Status status, std::string detail) {
    const bool ok = status.ok();
    steps_.push_back({std::move(what), std::move(status), ok ? std::move(detail) : ""});
    return ok;
  }

  /// The addresses that the name has now. The download looks again, at the address that it really
  /// connects to.
  bool SayAddresses(const Url& url) {
    const auto addresses = Resolve(url, options_);
    if (addresses.empty()) {
      return Say("address",
                 Error(Reason::kDownloadFailed,
                       fmt::format("'{}' does not resolve; check the name", url.host())),
                 "");
    }
    absl::Status refused;
    std::string good;
    for (const IpAddress& address : addresses) {
      const absl::Status allowed = policy_.Check(url.host(), url.port(), address);
      if (allowed.ok()) {
        good += (good.empty() ? "" : ", ") + address.Text();
      } else {
        refused = allowed;
      }
    }
    return Say("address", good.empty() ? refused : absl::OkStatus(), good);
  }

  bool Ask(const Url& url) {
    redirect_.reset();
    std::vector<std::byte> first;
    absl::Status answer = absl::OkStatus();
    std::string found;
    HttpRequest request;
    request.url = url;
    request.headers = {{"Accept-Encoding", "identity"}};
    request.timeout = std::chrono::seconds(30);
    request.on_head = [&](const HttpResponse& head) -> absl::Status {
      auto redirect = RedirectOf(head, url);
      answer = redirect.ok() ? absl::OkStatus() : redirect.status();
      if (redirect.ok()) redirect_ = *std::move(redirect);
      if (answer.ok() && !redirect_) answer = CheckAnswer(head, url, 0, options_.max_bytes);
      const auto length = DeclaredLength(head);
      found = fmt::format(
          "HTTP {}, {}, {}", head.status,
          length ? fmt::format("{} bytes", *length) : "length not announced",
          head.Header("Content-Type").empty() ? "no type" : head.Header("Content-Type"));
      return answer.ok() && !redirect_ ? absl::OkStatus() : absl::AbortedError("known enough");
    };
    request.on_body = [&](std::span<const std::byte> piece) -> absl::Status {
      const std::size_t wanted = std::min(piece.size(), kSniffBytes - first.size());
      first.insert(first.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(wanted));
      return first.size() < kSniffBytes ? absl::OkStatus() : absl::AbortedError("known enough");
    };
    const auto response = client_.Send(request, Reason::kDownloadFailed, cancel_);
    if (found.empty()) return Say("answer", response.status(), "");
    if (!Say("answer", answer, found) || redirect_) return redirect_.has_value();
    return Say("content", CheckContent(first, url), "may be a video");
  }

  const UrlFetchOptions& options_;
  const AddressPolicy policy_;
  const CancelToken& cancel_;
  HttpClient client_;
  std::vector<UrlStep> steps_;
  std::optional<Url> redirect_;
};

}  // namespace

std::vector<UrlStep> ExplainUrl(std::string_view url, const UrlFetchOptions& options,
                                const CancelToken& cancel) {
  auto policy = AddressPolicy::Make(options.allowed_sources);
  if (!policy.ok()) return {{"policy", policy.status(), ""}};
  return Explanation(options, *std::move(policy), cancel).Run(url);
}

}  // namespace glint
