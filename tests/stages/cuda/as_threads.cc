// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/as_threads.h"

#ifdef __SANITIZE_THREAD__

#include <sanitizer/tsan_interface.h>
#include <ucontext.h>

#include <memory>
#include <vector>

#define GLINT_UNSEEN __attribute__((no_sanitize("thread")))

namespace glint::cuda {
namespace {

class Fiber;
using Crew = std::vector<std::unique_ptr<Fiber>>;

/// A stack, and what ThreadSanitizer takes for a thread.
class Fiber {
 public:
  Fiber() : identity_(__tsan_create_fiber(0)), stack_(kStackBytes) {
    getcontext(&context_);
    context_.uc_stack = {.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
    context_.uc_link = nullptr;
    makecontext(&context_, &Fiber::Live, 0);
  }
  ~Fiber() { __tsan_destroy_fiber(identity_); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Does the work now, after all that the caller has done. The caller is not after it before Join.
  GLINT_UNSEEN void Run(const std::function<void()>& work) {
    work_ = &work;
    begun_by_ = __tsan_get_current_fiber();
    Fiber* const caller = running;
    running = this;
    __tsan_release(&begin_);
    __tsan_switch_to_fiber(identity_, __tsan_switch_to_fiber_no_sync);
    swapcontext(&caller_, &context_);
    running = caller;
  }
  void Join() { __tsan_acquire(&end_); }

  /// The fibers that the running one hands work to: each has its own, as it may not share them.
  GLINT_UNSEEN static Crew& CrewOfRunning() {
    thread_local Crew outermost;
    return running == nullptr ? outermost : running->crew_;
  }

 private:
  static constexpr std::size_t kStackBytes = std::size_t{256} << 10U;
  static thread_local Fiber* running;

  [[noreturn]] GLINT_UNSEEN static void Live() {
    Fiber* const self = running;
    while (true) {
      __tsan_acquire(&self->begin_);
      (*self->work_)();
      __tsan_release(&self->end_);
      __tsan_switch_to_fiber(self->begun_by_, __tsan_switch_to_fiber_no_sync);
      swapcontext(&self->context_, &self->caller_);
    }
  }

  void* const identity_;
  std::vector<char> stack_;
  ucontext_t context_{}, caller_{};
  const std::function<void()>* work_ = nullptr;
  void* begun_by_ = nullptr;
  Crew crew_;
  char begin_ = 0, end_ = 0;  // their addresses are what is released and acquired
};

thread_local Fiber* Fiber::running = nullptr;

}  // namespace

void AsThreads::operator()(const std::function<void(unsigned)>& part) const {
  Crew& crew = Fiber::CrewOfRunning();
  while (crew.size() < kParts) crew.push_back(std::make_unique<Fiber>());
  std::vector<std::function<void()>> works;
  for (unsigned i = 0; i < kParts; ++i) works.emplace_back([&part, i] { part(i); });
  for (unsigned i = 0; i < kParts; ++i) crew[i]->Run(works[i]);
  for (unsigned i = 0; i < kParts; ++i) crew[i]->Join();
}

}  // namespace glint::cuda

#endif
