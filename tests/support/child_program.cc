// SPDX-License-Identifier: Apache-2.0
#include "support/child_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>

namespace glint {
namespace {

/// Collects what a program says while others look at it.
class Listener {
 public:
  explicit Listener(int pipe) : thread_([this, pipe] { Read(pipe); }) {}

  /// Waits until the program has said something, or has ended.
  void WaitFor(const std::string& text) {
    std::unique_lock lock(mutex_);
    heard_.wait(lock, [&] { return ended_ || said_.find(text) != std::string::npos; });
  }
  /// Everything, once the program has ended.
  std::string All() {
    thread_.join();
    return said_;
  }

 private:
  void Read(int pipe) {
    std::array<char, 65'536> buffer{};
    for (ssize_t got = 0; (got = read(pipe, buffer.data(), buffer.size())) > 0;) {
      const std::scoped_lock lock(mutex_);
      said_.append(buffer.data(), static_cast<std::size_t>(got));
      heard_.notify_all();
    }
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    heard_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable heard_;
  std::string said_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace

ProgramRun RunProgram(const std::vector<std::string>& arguments,
                      const std::optional<KillAfter>& kill_after) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> said{};
  if (pipe2(said.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  const pid_t child = fork();
  if (child == 0) {
    dup2(said[1], STDOUT_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(said[1]);
  ProgramRun run;
  Listener listener(said[0]);
  if (kill_after) {
    listener.WaitFor(kill_after->saying);
    std::this_thread::sleep_for(kill_after->time);
    kill(child, SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  run.said = listener.All();
  close(said[0]);
  run.ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return run;
}

}  // namespace glint
