// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "web/web_request.h"
#include "web/web_stream.h"
#include "web/web_tls.h"

namespace glint {

/// An answer: its head, and one of the bodies.
struct WebAnswer {
  int status = 200;
  WebFields headers = {};
  std::string body = {};
  Descriptor file = {};  ///< a plain file, sent from its beginning
  /// Gives the body piece by piece on the server's thread; an empty piece ends it, a failure cuts
  /// the connection.
  std::function<absl::StatusOr<std::string>()> pieces = {};
  std::shared_ptr<WebStream> stream = {};
};

/// Takes a request's body piece by piece, on the server's thread. What it says of a piece is the
/// end of that body: the rest is not read.
class WebBody {
 public:
  virtual ~WebBody() = default;
  /// An answer ends the request.
  virtual std::optional<WebAnswer> Add(std::span<const std::byte> piece) = 0;
};

/// A request whose answer somebody has to give.
class WebExchange {
 public:
  virtual ~WebExchange() = default;
  virtual const WebRequest& request() const = 0;
  /// The whole body, unless a WebBody took it.
  virtual const std::string& body() const = 0;
  /// Whether the client has left.
  virtual bool gone() const = 0;
  /// Once, from any thread; whoever comes second is not heard.
  virtual void Answer(WebAnswer answer) = 0;
};

/// What becomes of a request, decided by its headers alone.
struct WebPlan {
  std::optional<WebAnswer> answer = {};  ///< at once; the body is not read
  std::size_t max_body = 0;
  std::unique_ptr<WebBody> body = {};  ///< null: the body is kept in the exchange
  /// When the body is whole: on the server's thread, which must not wait.
  std::function<void(const std::shared_ptr<WebExchange>&)> then = {};
  /// When all is over. @param left_early  the client left before it was answered
  std::function<void(bool left_early)> ended = {};
};

struct WebLimits {
  std::size_t header_bytes = 16 << 10;  ///< of the first line and all headers, about
  /// From the first byte of a connection, or the last answer, to the end of the headers; and from
  /// there to the end of a body that no WebBody takes.
  std::chrono::milliseconds request_time{10'000};
  /// A body that a WebBody takes brings so much in each span of so long.
  std::int64_t body_bytes = 32 << 10;
  std::chrono::milliseconds body_time{20'000};
  std::chrono::seconds silence{30};        ///< of a client that takes nothing of its answer
  std::chrono::milliseconds beat{10'000};  ///< of streams
};

/// HTTP/1.1 over connections that somebody else accepts: one thread for all, which waits for none.
class WebServer {
 public:
  virtual ~WebServer() = default;
  /// Takes a connection over.
  virtual void Take(int socket, const sockaddr_storage& from, const std::string& peer) = 0;
  /// Takes no more requests, ends streams, gives answers `grace` to go out, and closes all.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

/// @param tls  what it speaks TLS with, 1.2 or later; renewed files are used by new connections
/// within
///             seconds. Clients without a certificate that is asked for are refused with 403.
/// @param refuse  makes the answer to what HTTP itself refuses: a status and what is wrong
/// @param plan  called for each request on the server's thread, which must not wait
/// Errors: OUT_OF_MEMORY; INVALID_OPTION files that cannot be used, or a system without TLS
absl::StatusOr<std::unique_ptr<WebServer>> StartWebServer(
    const WebLimits& limits, const WebTls& tls,
    std::function<WebAnswer(int status, std::string_view what)> refuse,
    std::function<WebPlan(const WebRequest&)> plan);

}  // namespace glint
