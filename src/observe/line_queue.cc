// SPDX-License-Identifier: Apache-2.0
#include "observe/line_queue.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <utility>

#include "base/mutex.h"

namespace glint {
namespace {

constexpr std::chrono::seconds kLastLines{1};

std::atomic<std::int64_t> lost_lines = 0;

}  // namespace

struct LineQueue::State {
  State(int out, std::size_t most) : descriptor(out), capacity(most) {}

  const int descriptor;
  const std::size_t capacity;
  Mutex mutex;
  CondVar changed;
  std::deque<std::string> lines ABSL_GUARDED_BY(mutex);
  std::int64_t lost ABSL_GUARDED_BY(mutex) = 0;  // since the last line that was written
  bool ending ABSL_GUARDED_BY(mutex) = false;
  bool ended ABSL_GUARDED_BY(mutex) = false;
  /// Whoever began this has left: the descriptor may be another file's by now, and nothing is
  /// written any more but what a write() has begun with.
  std::atomic<bool> left = false;

  void WriteAll(std::string_view text) const {
    while (!text.empty() && !left) {
      const auto written = write(descriptor, text.data(), text.size());
      if (written < 0 && errno != EINTR) return;  // nobody will ever read it
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void Write() {
    sigset_t broken_pipe;  // whoever read may leave; that ends nobody here
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    while (true) {
      std::string text;
      {
        const MutexLock lock(mutex);
        changed.Wait(mutex, [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
          return ending || !lines.empty();
        });
        if (lines.empty()) {
          ended = true;
          changed.NotifyAll();
          return;
        }
        text = std::move(lines.front()) + "\n";
        lines.pop_front();
        if (const auto gap = std::exchange(lost, 0); gap > 0) {
          text += fmt::format("{} lines of the log were lost here: nobody read them\n", gap);
        }
      }
      WriteAll(text);
    }
  }
};

LineQueue::LineQueue(int descriptor, std::size_t capacity)
    : state_(std::make_shared<State>(descriptor, capacity)),
      thread_([state = state_] { state->Write(); }) {}

LineQueue::~LineQueue() {
  bool ended = false;
  {
    const MutexLock lock(state_->mutex);
    state_->ending = true;
    state_->changed.NotifyAll();
    ended = state_->changed.WaitFor(
        state_->mutex, kLastLines,
        [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(state_->mutex) { return state_->ended; });
  }
  if (ended) {
    thread_.join();
  } else {
    state_->left = true;
    thread_.detach();  // it waits in write() for a reader that does not come
  }
}

bool LineQueue::Push(std::string line) {
  {
    const MutexLock lock(state_->mutex);
    if (state_->lines.size() >= state_->capacity) {
      ++state_->lost;
      ++lost_lines;
      return false;
    }
    state_->lines.push_back(std::move(line));
  }
  state_->changed.NotifyAll();
  return true;
}

std::int64_t LostLogLines() { return lost_lines; }

}  // namespace glint
