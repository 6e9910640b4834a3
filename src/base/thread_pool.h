// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace glint {

/// The threads that all CPU work of a process shares. Several scans may call it at once: their work
/// is served in turns, and every caller works on its own, so nobody waits for an idle pool.
class ThreadPool {
 public:
  /// @param threads  how many threads work at most, the caller's included, >= 1
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls work(0) .. work(count - 1), in any order and on any of the threads, and returns when all
  /// are done. The first exception that a call throws is thrown here, after the others have ended.
  /// May be called from inside `work`.
  void ParallelFor(std::int64_t count, const std::function<void(std::int64_t)>& work);

 private:
  struct Job;
  void Serve(const std::stop_token& stop);
  static void Work(Job& job);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::shared_ptr<Job>>
      jobs_;  // with indices left to hand out; the front is served next
  std::vector<std::jthread> workers_;
};

}  // namespace glint
