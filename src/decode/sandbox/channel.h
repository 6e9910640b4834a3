// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/descriptor.h"

namespace glint::sandbox {

/// One end of the control socket: whole datagrams, with at most one descriptor each.
class Channel {
 public:
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  /// Two connected ends, closed on exec. Errors: INTERNAL with the system's words.
  static absl::StatusOr<std::array<Descriptor, 2>> MakePair();

  int descriptor() const { return socket_.number(); }

  /// Makes Send give up on an end that does not read for this long.
  void SetPatience(std::chrono::seconds patience) const;

  /// Sends a datagram; waits while the other end is slow. @param passed  a descriptor to go with
  /// it, or -1. @return false when the other end is gone or does not read
  bool Send(std::span<const std::uint8_t> bytes, int passed = -1) const;

  struct Received {
    std::vector<std::uint8_t> bytes;
    Descriptor passed;
  };
  /// Waits until a datagram can be received or the time is over. @return whether it can
  bool Wait(std::chrono::milliseconds time) const;
  /// The next datagram; nothing when the other end is gone. A datagram over the limit of wire.h is
  /// received as one byte more than the limit. Waits.
  std::optional<Received> Receive() const;

 private:
  Descriptor socket_;
};

}  // namespace glint::sandbox
