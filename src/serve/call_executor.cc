// SPDX-License-Identifier: Apache-2.0
#include "serve/call_executor.h"

#include <utility>

namespace glint {

CallExecutor::CallExecutor(int threads, std::size_t capacity) : capacity_(capacity) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Serve(); });
}

void CallExecutor::Stop() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  wake_.NotifyAll();
  threads_.clear();
}

bool CallExecutor::TryPost(std::function<void()> work) {
  {
    const MutexLock lock(mutex_);
    if (ending_ || waiting_.size() >= capacity_) return false;
    waiting_.push_back(std::move(work));
  }
  wake_.NotifyOne();
  return true;
}

void CallExecutor::Post(std::function<void()> work) {
  {
    const MutexLock lock(mutex_);
    if (ending_) return;
    waiting_.push_back(std::move(work));
  }
  wake_.NotifyOne();
}

void CallExecutor::Serve() {
  for (;;) {
    std::function<void()> work;
    {
      const MutexLock lock(mutex_);
      wake_.Wait(mutex_, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return ending_ || !waiting_.empty();
      });
      if (waiting_.empty()) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace glint
