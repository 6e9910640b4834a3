// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace glint {

/// Threads for what may block, above all calls of the job store: gRPC's own threads serve every
/// call of the process and must not wait. Work runs in the order in which it came.
class CallExecutor {
 public:
  /// @param threads   >= 1
  /// @param capacity  calls that may wait
  CallExecutor(int threads, std::size_t capacity);
  ~CallExecutor() { Stop(); }
  CallExecutor(const CallExecutor&) = delete;
  CallExecutor& operator=(const CallExecutor&) = delete;

  /// Accepts a client's call, unless too many wait. `work` must not throw.
  /// @return whether it will run
  bool TryPost(std::function<void()> work);
  /// Accepts work of the service itself, of which there is at most one piece per open stream.
  void Post(std::function<void()> work);
  /// Runs what was accepted so far and ends the threads; what is posted from now on never runs.
  void Stop();

 private:
  void Serve();

  const std::size_t capacity_;
  Mutex mutex_;
  CondVar wake_;
  std::deque<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;
};

}  // namespace glint
