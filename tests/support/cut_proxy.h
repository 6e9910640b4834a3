// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "base/descriptor.h"

namespace glint {

/// Passes TCP connections on to a port of this machine, until it is told to cut them or to swallow
/// what they say.
class CutProxy {
 public:
  explicit CutProxy(int target_port);
  ~CutProxy();
  CutProxy(const CutProxy&) = delete;
  CutProxy& operator=(const CutProxy&) = delete;

  int port() const { return port_; }
  /// Ends all connections, and each new one at once.
  void Cut() { state_ = State::kCut; }
  /// Says nothing more on any connection, and ends none.
  void Swallow() { state_ = State::kSwallow; }
  void PassOn() { state_ = State::kPassOn; }

 private:
  enum class State { kPassOn, kCut, kSwallow };
  struct Pair {
    Descriptor client, server;
  };

  void Run(const std::stop_token& stop);
  void Accept(std::vector<Pair>& pairs) const;

  const int target_port_;
  int port_ = 0;
  Descriptor listener_;
  std::atomic<State> state_ = State::kPassOn;
  std::jthread thread_;
};

}  // namespace glint
