// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace glint {

/// A request as it came, header names in lower case.
struct ServerRequest {
  std::string method;
  std::string target;  ///< path and query
  std::map<std::string, std::string> headers;
  std::string body;
  int connection = 0;  ///< 1, 2, ...: which connection it came over

  std::string Header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

/// The way back to the client; a handler may misbehave with it as it likes.
class ServerReply {
 public:
  virtual ~ServerReply() = default;
  /// Raw bytes. @return false when the client has gone
  virtual bool Send(std::string_view bytes) = 0;
  /// Ends the connection now.
  virtual void Cut() = 0;
  /// Sleeps until the client has gone or the server ends.
  virtual void Hang() = 0;
  /// A whole well-formed answer. @param headers  whole lines without their ends
  void Answer(int status, std::string_view body, const std::vector<std::string>& headers = {});
};

/// A real HTTP server on a loopback address, a thread per connection. The handler is called from
/// these threads.
class HttpServer {
 public:
  using Handler = std::function<void(const ServerRequest&, ServerReply&)>;
  struct Options {
    std::string address = "127.0.0.1";
    /// PEM of a certificate and its key: speaks TLS. See MakeTestCertificate.
    std::string certificate = {};
    bool keeps_requests = true;  ///< for requests()
  };

  explicit HttpServer(Handler handler) : HttpServer(std::move(handler), Options()) {}
  HttpServer(Handler handler, Options options);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  /// "http://127.0.0.1:1234" + target; another host of the same port on request.
  std::string Url(std::string_view target, std::string_view host = "") const;
  /// What has come so far.
  std::vector<ServerRequest> requests() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// A port of the loopback where nobody listens (it was free a moment ago).
int UnusedPort();

/// A fresh self-signed certificate for a host name and its key, as PEM.
std::string MakeTestCertificate(const std::string& host);

}  // namespace glint
