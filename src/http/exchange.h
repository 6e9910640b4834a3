// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <curl/curl.h>

#include <array>
#include <memory>
#include <string>

#include "http/http_client.h"

namespace glint {

/// One request on one of libcurl's handles: sets the options, takes the callbacks, and says in our
/// words how it ended. Lives while the transfer runs.
class Exchange {
 public:
  /// All arguments must outlive the exchange.
  Exchange(const HttpRequest& request, const HttpClientOptions& options, CURL* easy);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  /// Takes every option off the handle; what it knows of connections stays.
  ~Exchange();

  /// Prepares the handle. Errors: URL_NOT_ALLOWED, OUT_OF_MEMORY
  absl::Status SetUp();

  /// The answer after libcurl's verdict.
  absl::StatusOr<HttpResponse> Result(CURLcode code, Reason failed_as);

 private:
  void SetMethodAndBody();
  absl::Status SetHeaders();
  void SetConnection();
  absl::Status SetAddresses();
  absl::Status Failure(CURLcode code, Reason failed_as) const;

  absl::Status ParseHeader(std::string_view line);
  absl::Status PassBody(std::span<const std::byte> piece);
  static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self);
  static curl_socket_t OnSocket(void* self, curlsocktype purpose, curl_sockaddr* address);

  template <class T>
  void Set(CURLoption option, T value) {
    curl_easy_setopt(easy_, option, value);
  }

  using List = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;
  const HttpRequest& request_;
  const HttpClientOptions& options_;
  CURL* const easy_;
  List headers_{nullptr, &curl_slist_free_all};
  List addresses_{nullptr, &curl_slist_free_all};
  std::array<char, CURL_ERROR_SIZE> error_{};
  HttpResponse response_;
  std::size_t header_bytes_ = 0;
  bool head_done_ = false;
  absl::Status stopped_;  // by a callback
  absl::Status refused_;  // by the policy, of the last address that was tried
};

}  // namespace glint
