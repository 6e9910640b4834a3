// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace glint {

/// A TCP connection whose descriptor somebody else owns, who closes it at any time, from any
/// thread, and says so to nobody. The descriptor's number is this connection's while the socket
/// behind it has the same inode.
class WatchedSocket {
 public:
  WatchedSocket() = default;
  /// @param number  an open socket
  explicit WatchedSocket(int number);

  /// Whether its owner has not closed it yet.
  bool open() const;
  /// The bytes that the system has received on it so far; nothing when it is closed.
  std::optional<std::uint64_t> ReceivedBytes() const;
  /// Ends the connection, if its owner has not; the descriptor stays the owner's to close.
  void Shutdown() const;

 private:
  int number_ = -1;
  ino_t inode_ = 0;
};

}  // namespace glint
