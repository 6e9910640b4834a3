// SPDX-License-Identifier: Apache-2.0
// The standard library's locks, annotated: clang checks what ABSL_GUARDED_BY and its like say
// (scripts/thread_safety.sh). Not absl::Mutex, because distributions compile that without the
// thread sanitizer, which then takes all that it guards for races.
#pragma once

#include <absl/base/thread_annotations.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace glint {

/// A std::mutex that members may be guarded by: `int count_ ABSL_GUARDED_BY(mutex_) = 0;`
class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // Named as the standard library wants them. Prefer a MutexLock.
  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// Holds a mutex to the end of the scope.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// Lets a thread wait, without the mutex meanwhile, for what another does under it. A condition
/// that reads guarded members says so:
///   filled_.Wait(mutex_, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !q_.empty(); });
class CondVar {
 public:
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

  /// Waits until the condition holds.
  template <class Condition>
  void Wait(Mutex& mutex, Condition condition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    condition_.wait(mutex, std::move(condition));
  }

  /// Waits until the condition holds or a stop is requested. @return whether it holds
  template <class Condition>
  bool Wait(Mutex& mutex, const std::stop_token& stop, Condition condition)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    return condition_.wait(mutex, stop, std::move(condition));
  }

  /// Waits until the condition holds or the time is over. @return whether it holds
  template <class Rep, class Period, class Condition>
  bool WaitFor(Mutex& mutex, std::chrono::duration<Rep, Period> time, Condition condition)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    return condition_.wait_for(mutex, time, std::move(condition));
  }

  /// Waits until the condition holds, the time is over or a stop is requested. @return whether it
  /// holds
  template <class Rep, class Period, class Condition>
  bool WaitFor(Mutex& mutex, const std::stop_token& stop, std::chrono::duration<Rep, Period> time,
               Condition condition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    return condition_.wait_for(mutex, stop, time, std::move(condition));
  }

  /// Waits for a notification, until `time` at most; may wake without either.
  void WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point time)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    condition_.wait_until(mutex, time);
  }

 private:
  std::condition_variable_any condition_;
};

}  // namespace glint
