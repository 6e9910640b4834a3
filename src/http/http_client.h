// SPDX-License-Identifier: Apache-2.0
// One HTTP client for downloads, object stores and notices: libcurl behind values.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glint/cancel.h"
#include "glint/error.h"
#include "http/address_policy.h"
#include "http/url.h"

namespace glint {

struct HttpHeader {
  std::string name;
  std::string value;
};

/// An answer, of any status. Redirects are answers, too: nothing is followed.
struct HttpResponse {
  int status = 0;
  std::vector<HttpHeader> headers;  ///< of the final header block, in order
  std::string body;                 ///< empty where the request has its own on_body
  /// What Retry-After asks for.
  std::optional<std::chrono::seconds> retry_after;

  /// The first header of that name (any case); empty when there is none.
  std::string_view Header(std::string_view name) const;
};

struct HttpRequest {
  std::string method = "GET";
  Url url;  ///< http or https; its path is sent as given
  std::vector<HttpHeader> headers;
  /// Sent without being copied, from its start in each attempt; must stay while the request runs.
  std::span<const std::byte> body;
  /// How much of a body is kept in `HttpResponse::body`; more is a failure (LIMIT_EXCEEDED).
  std::size_t max_body_bytes = 1 << 20;
  /// Called once with status and headers before the body; a failure ends the request with it.
  std::function<absl::Status(const HttpResponse& head)> on_head;
  /// Takes the body piece by piece; a failure ends the request with it.
  std::function<absl::Status(std::span<const std::byte>)> on_body;
  /// For the whole exchange; nothing: as long as it moves.
  std::optional<std::chrono::milliseconds> timeout;
  /// Fewer bytes per second than this, either way, for that long: the request fails.
  std::int64_t low_speed_bytes = 1;
  std::chrono::seconds low_speed_time{30};
};

/// Answers for a host, in place of the system's resolver: addresses in text form.
using HttpResolver = std::function<std::vector<std::string>(const std::string& host, int port)>;

struct HttpClientOptions {
  /// Checked with the address that each socket is really opened to, after the name was resolved.
  /// Nothing: every address, for servers that the operator named.
  std::optional<AddressPolicy> policy;
  std::chrono::milliseconds connect_timeout{10'000};
  std::string ca_file;  ///< PEM certificates to trust instead of the system's; empty: the system's
  std::string cert_file, key_file;  ///< shown to servers that ask for a certificate (PEM)
  std::string proxy;      ///< a proxy's URL; empty: none, whatever the environment says. A proxy
                          ///< resolves names itself, so it is refused together with a policy.
  HttpResolver resolver;  ///< empty: the system's
};

/// Sends requests and keeps connections for the next ones. Safe to use from several threads; throws
/// nothing.
class HttpClient {
 public:
  explicit HttpClient(HttpClientOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// One attempt. A failure of the transport (no answer, or a part of one) has the reason
  /// `failed_as`, and IsTransient() says whether another attempt may help. Messages show URLs
  /// without their secrets.
  /// Errors: `failed_as`; URL_NOT_ALLOWED by the policy or for another scheme; LIMIT_EXCEEDED;
  /// CANCELLED, DEADLINE_EXCEEDED within a tenth of a second; OUT_OF_MEMORY; those of the callbacks
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request, Reason failed_as,
                                    const CancelToken& cancel);

 private:
  class Connection;
  std::unique_ptr<Connection> Acquire();
  void Release(std::unique_ptr<Connection> connection);

  struct Pool;
  const HttpClientOptions options_;
  const std::unique_ptr<Pool> pool_;
};

/// The same failure, marked as one that another attempt may cure.
absl::Status Transient(absl::Status status);
/// Whether it is marked so.
bool IsTransient(const absl::Status& status);

}  // namespace glint
