// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

namespace glint {

/// Turns SIGINT, SIGTERM and SIGHUP into a request to stop: the first one asks, so that work ends
/// cleanly; the second one ends the process at once with exit code 130 (what it leaves is hidden
/// and removed by the next run).
///
/// Signals that were ignored when the program started (nohup, a background job) stay ignored. One
/// object at a time, made in main.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  void Wait();

  std::stop_source stop_;
  std::jthread waiter_;
};

}  // namespace glint
