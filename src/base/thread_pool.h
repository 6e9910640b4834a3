// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/mutex.h"

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

  class Pending;
  /// Like ParallelFor, but returns at once: the other threads begin the work in turns with whatever
  /// else there is. With one thread nothing happens before Pending::Finish.
  [[nodiscard]] Pending Start(std::int64_t count, std::function<void(std::int64_t)> work);

 private:
  struct Job;
  std::shared_ptr<Job> Offer(std::int64_t count, std::function<void(std::int64_t)> work);
  static void Finish(Job& job);
  void Serve(const std::stop_token& stop);
  static void Work(Job& job);

  Mutex mutex_;
  CondVar wake_;
  // With indices left to hand out; the front is served next.
  std::deque<std::shared_ptr<Job>> jobs_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::jthread> workers_;
};

/// Work that was started on a pool and is not waited for yet.
class ThreadPool::Pending {
 public:
  /// No work.
  Pending() = default;
  Pending(Pending&&) noexcept = default;
  Pending& operator=(Pending&& other) noexcept;
  /// Leaves out what no thread has begun, and waits for the rest. So does assignment to it.
  ~Pending();

  /// Works, too, until all is done. Throws as ParallelFor.
  void Finish();

 private:
  friend class ThreadPool;
  explicit Pending(std::shared_ptr<Job> job) : job_(std::move(job)) {}
  void Abandon();

  std::shared_ptr<Job> job_;  // null when there is none, or when it is done
};

}  // namespace glint
