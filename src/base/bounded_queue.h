// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "base/mutex.h"

namespace glint {

/// Hands values from one thread to another and makes the faster one wait.
template <class T>
class BoundedQueue {
 public:
  /// @param capacity  values held at most, >= 1
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room. @return false when the queue was closed; the value is dropped then
  bool Push(T value) {
    const MutexLock lock(mutex_);
    room_.Wait(mutex_, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return closed_ || values_.size() < capacity_;
    });
    if (closed_) return false;
    values_.push_back(std::move(value));
    filled_.NotifyOne();
    return true;
  }

  /// Waits for a value. @return nothing when the queue is closed and empty
  std::optional<T> Pop() {
    const MutexLock lock(mutex_);
    filled_.Wait(mutex_, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return closed_ || !values_.empty();
    });
    if (values_.empty()) return std::nullopt;
    T value = std::move(values_.front());
    values_.pop_front();
    room_.NotifyOne();
    return value;
  }

  /// No more values: Push fails from now on, Pop gives what is left.
  void Close() {
    const MutexLock lock(mutex_);
    closed_ = true;
    filled_.NotifyAll();
    room_.NotifyAll();
  }

 private:
  const std::size_t capacity_;
  Mutex mutex_;
  CondVar room_;
  CondVar filled_;
  std::deque<T> values_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace glint
