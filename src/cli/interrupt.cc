// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

#include "cli/exit_code.h"

namespace glint {
namespace {

constexpr int kWakeUp = SIGUSR1;  // ends the waiting at the end of the program

/// Whether whoever started the program wants it to live through the signal (nohup, a background
/// job). Waiting for it would undo that.
bool IsIgnored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, kWakeUp);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!IsIgnored(signal)) sigaddset(&signals, signal);
  }
  return signals;
}

void Tell(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody listens
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t signals = Signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A closed pipe and a file-size limit are failed writes, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  waiter_ = std::jthread([this](const std::stop_token& done) { Wait(done); });
}

Interrupt::~Interrupt() {
  waiter_.request_stop();
  pthread_kill(waiter_.native_handle(), kWakeUp);
}

void Interrupt::Wait(const std::stop_token& done) {
  const sigset_t signals = Signals();
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (done.stop_requested()) return;
    if (signal == kWakeUp) continue;
    if (stop_.stop_requested()) {
      Tell("\nglint: stopped at once\n");
      _exit(kExitCancelled);
    }
    Tell("\nglint: stopping; press Ctrl-C again to stop at once\n");
    stop_.request_stop();
  }
}

}  // namespace glint
