// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>
#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/call_router.h"

namespace glint {

/// How many connections there may be.
struct ConnectionLimits {
  int max_connections = 1'000;  ///< in all
  int max_per_address = 250;    ///< of one IPv4 address, or one /64 of IPv6
  /// Calls without a token that are not over, of one connection and of all: they are refused at
  /// once, so more of them means clients that do not read.
  int max_strange_calls_per_connection = 64;
  int max_strange_calls = 2'000;
  /// Calls without a token that an address may begin: so many at once, and so many more a second.
  /// Beyond it the connection is closed. Not of an address from which a connection has shown a
  /// token: it may be a proxy's.
  double strange_calls = 200;
  double strange_calls_per_s = 50;
  /// Calls that a connection's client may leave before they are answered: so many at once, and so
  /// many more a second. Beyond it the connection is closed ("rapid reset").
  double resets = 500;
  double resets_per_s = 50;
  /// What a connection may send: so much at once, and so much more a second. gRPC 1.51 reads on
  /// before it has dealt with what it read, so that this alone bounds what floods cost.
  double strange_bytes = 24 << 10;  ///< before its first call with a token
  double strange_bytes_per_s = 8 << 10;
  double trusted_bytes = 2 << 20;
  double trusted_bytes_per_s = 2 << 20;
  /// What the system may have received of a connection and the server not read; 0: as much as it
  /// likes, for servers that read no more than they have dealt with. Then only what comes after the
  /// first call has begun is counted.
  int receive_bytes = 32 << 10;
  std::chrono::milliseconds penalty{1'000};      ///< after that, the address gets no new connection
  std::chrono::milliseconds unanswered{10'000};  ///< TCP_USER_TIMEOUT
};

/// Accepts TCP connections for the server and bounds them, which gRPC 1.51 cannot. When there are
/// too many, the oldest that never made a call with a token is closed for a new one; when all have
/// made one, the new one is closed.
class ConnectionGate : public ConnectionJudge {
 public:
  /// Opens the sockets; connections wait in the system's queue until Start().
  /// @param addresses  host:port or [v6]:port; port 0 is a free one
  /// Errors: INVALID_OPTION an address that cannot be listened on
  static absl::StatusOr<std::unique_ptr<ConnectionGate>> Listen(
      const std::vector<std::string>& addresses, const ConnectionLimits& limits);

  /// The ports, one per address.
  virtual const std::vector<int>& ports() const = 0;
  virtual std::size_t connections() = 0;
  /// Takes a connection over, and closes it in the end.
  /// @param listener  the socket that it came by
  using TakeOver = std::function<void(int listener, int socket, const sockaddr_storage& from)>;
  /// Hands connections to the server from now on.
  virtual void Start(TakeOver take_over) = 0;
  /// Accepts no more, and closes the sockets.
  virtual void Stop() = 0;
};

/// A connection's name, as gRPC has it: "ipv4:192.0.2.1:50123".
std::string ConnectionName(const sockaddr_storage& from);

}  // namespace glint
