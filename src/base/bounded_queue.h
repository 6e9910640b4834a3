// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace glint {

/// Hands values from one thread to another and makes the faster one wait.
template <class T>
class BoundedQueue {
 public:
  /// @param capacity  values held at most, >= 1
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room. @return false when the queue was closed; the value is dropped then
  bool Push(T value) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return closed_ || values_.size() < capacity_; });
    if (closed_) return false;
    values_.push_back(std::move(value));
    filled_.notify_one();
    return true;
  }

  /// Waits for a value. @return nothing when the queue is closed and empty
  std::optional<T> Pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    T value = std::move(values_.front());
    values_.pop_front();
    room_.notify_one();
    return value;
  }

  /// No more values: Push fails from now on, Pop gives what is left.
  void Close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    filled_.notify_all();
    room_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::condition_variable filled_;
  std::deque<T> values_;
  bool closed_ = false;
};

}  // namespace glint
