// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>

namespace glint {

/// Writes lines to a descriptor from a thread of its own, so that nobody who logs waits for who
/// reads: a full pipe that nobody reads costs lines, never a call.
class LineQueue {
 public:
  /// @param descriptor  stays open. @param capacity  lines that may wait
  explicit LineQueue(int descriptor, std::size_t capacity = 4'096);
  /// Writes what waits, within a second; what is not taken by then is lost.
  ~LineQueue();
  LineQueue(const LineQueue&) = delete;
  LineQueue& operator=(const LineQueue&) = delete;

  /// @param line  without its end. @return whether it will be written
  bool Push(std::string line);

 private:
  struct State;
  const std::shared_ptr<State> state_;  // the thread's, too, which may be left behind
  std::thread thread_;
};

/// Lines that this process's queues have dropped.
std::int64_t LostLogLines();

}  // namespace glint
