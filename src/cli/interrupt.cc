// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

#include "cli/exit_code.h"

namespace glint {
namespace {

// A handler, not a thread that waits for blocked signals: libraries start threads before main
// (OpenBLAS does), and those block nothing. The handler may only do what is safe in one, so it
// wakes a thread through a pipe; that thread asks for the stop.
std::array<int, 2> wake_pipe = {-1, -1};
std::atomic<bool> was_told = false;
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr char kStop = 's';
constexpr char kStopByKey = 'k';  // from a terminal, where somebody can be told something
constexpr char kEnd = 'e';

void Tell(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody listens
}

void Wake(char what) {
  if (write(wake_pipe[1], &what, 1) < 0) return;  // a full pipe wakes, too
}

extern "C" void OnSignal(int signal) {
  const int saved = errno;
  if (was_told.exchange(true)) {
    Tell("\nglint: stopped at once\n");
    _exit(kExitCancelled);
  }
  Wake(signal == SIGINT ? kStopByKey : kStop);
  errno = saved;
}

void HandleUnlessIgnored(int signal) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  if (pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0 ||
      fcntl(wake_pipe[0], F_SETFL, 0) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  // A closed pipe and a file-size limit are failed writes, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  waiter_ = std::jthread([this] { Wait(); });
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) HandleUnlessIgnored(signal);
}

Interrupt::~Interrupt() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    const bool ours = sigaction(signal, nullptr, &action) == 0 && action.sa_handler == OnSignal;
    if (ours) std::signal(signal, SIG_DFL);
  }
  Wake(kEnd);
  waiter_.join();
  for (int& end : wake_pipe) close(end);
}

void Interrupt::Wait() {
  char what = 0;
  while (read(wake_pipe[0], &what, 1) == 1 && what != kEnd) {
    if (what == kStopByKey) Tell("\nglint: stopping; press Ctrl-C again to stop at once\n");
    stop_.request_stop();
  }
}

}  // namespace glint
