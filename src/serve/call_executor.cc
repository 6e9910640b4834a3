// SPDX-License-Identifier: Apache-2.0
#include "serve/call_executor.h"

#include <utility>

namespace glint {

CallExecutor::CallExecutor(int threads, std::size_t capacity) : capacity_(capacity) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Serve(); });
}

void CallExecutor::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  threads_.clear();
}

bool CallExecutor::TryPost(std::function<void()> work) {
  {
    const std::scoped_lock lock(mutex_);
    if (ending_ || waiting_.size() >= capacity_) return false;
    waiting_.push_back(std::move(work));
  }
  wake_.notify_one();
  return true;
}

void CallExecutor::Post(std::function<void()> work) {
  {
    const std::scoped_lock lock(mutex_);
    if (ending_) return;
    waiting_.push_back(std::move(work));
  }
  wake_.notify_one();
}

void CallExecutor::Serve() {
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
  }
}

}  // namespace glint
