// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/status_macros.h"
#include "glint/error.h"

namespace glint::sandbox {
namespace {

/// What posix_spawn does between the two processes.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  int Prepare(int control, int video, int program) {
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    int failed = posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (failed == 0) failed = posix_spawnattr_setpgroup(&attributes_, 0);
    if (failed == 0) failed = posix_spawnattr_setsigdefault(&attributes_, &all);
    if (failed == 0) failed = posix_spawnattr_setsigmask(&attributes_, &none);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      if (kSanitized && standard == STDERR_FILENO) continue;  // a sanitizer's report goes there
      if (failed == 0) {
        failed = posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null", O_RDWR, 0);
      }
    }
    for (const auto& [ours, childs] : {std::pair(control, kControlDescriptor),
                                       {video, kVideoDescriptor},
                                       {program, kProgramDescriptor}}) {
      if (failed == 0) failed = posix_spawn_file_actions_adddup2(&actions_, ours, childs);
    }
    if (failed == 0) {
      failed = posix_spawn_file_actions_addclosefrom_np(&actions_, kProgramDescriptor + 1);
    }
    return failed;
  }

  int Spawn(pid_t& pid, const std::string& start_path, const std::vector<std::string>& arguments,
            std::vector<std::string> environment) {
    std::vector<std::string> words = {"glint-decode"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return posix_spawn(&pid, start_path.c_str(), &actions_, &attributes_, Pointers(words).data(),
                       Pointers(environment).data());
  }

 private:
  static std::vector<char*> Pointers(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

absl::Status CannotStart(const HelperProgram& program, int code) {
  return Error(Reason::kDeviceUnavailable,
               fmt::format("the decoder {} could not be started ({})", program.path().string(),
                           std::generic_category().message(code)));
}

// A copy of the descriptor with a number that none of the child's has.
Descriptor OutOfTheWay(int descriptor) {
  return Descriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, kProgramDescriptor + 1));
}

}  // namespace

int MaxThreads(int decoding) {
  constexpr int kOthers = 64;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return kOthers + 2 * std::max(decoding, cores);
}

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(
    const HelperProgram& program, const std::vector<std::string>& arguments, int control, int video,
    const std::vector<std::string>& environment) {
  const Descriptor own_control = OutOfTheWay(control);
  const Descriptor own_video = OutOfTheWay(video);
  const Descriptor own_program = OutOfTheWay(program.descriptor());
  if (!own_control.open() || !own_video.open() || !own_program.open()) {
    return CannotStart(program, errno);
  }
  SpawnPlan plan;
  int failed = plan.Prepare(own_control.number(), own_video.number(), own_program.number());
  if (failed != 0) return CannotStart(program, failed);
  GLINT_ASSIGN_OR_RETURN(const std::string start_path, program.StartPath(kProgramDescriptor));
  std::unique_ptr<ChildProcess> child(new ChildProcess());
  std::promise<int> started;
  try {
    child->keeper_ = std::jthread([&, self = child.get()] {
      pid_t pid = -1;
      const int spawned = plan.Spawn(pid, start_path, arguments, environment);
      {
        const MutexLock lock(self->mutex_);
        self->pid_ = pid;
      }
      started.set_value(spawned);  // from here on what Start() owns may be gone
      if (spawned == 0) self->Keep(pid);
    });
  } catch (const std::system_error& error) {
    return CannotStart(program, error.code().value());
  }
  failed = started.get_future().get();
  if (failed != 0) {
    child->keeper_.join();
    const MutexLock lock(child->mutex_);
    child->pid_ = -1;
    return CannotStart(program, failed);
  }
  return child;
}

void ChildProcess::Keep(pid_t pid) {
  siginfo_t ignored{};
  while (waitid(P_PID, static_cast<id_t>(pid), &ignored, WEXITED | WNOWAIT) != 0) {
    if (errno != EINTR) break;  // somebody else waited for it: nothing is left to tell
  }
  const MutexLock lock(mutex_);  // nobody may kill by this number any more
  waitpid(pid, &wait_status_, 0);
  pid_ = -1;
  ended_.NotifyAll();
}

int ChildProcess::Threads() {
  const MutexLock lock(mutex_);  // until then it is this process's number
  if (pid_ < 0) return 0;
  std::ifstream about(fmt::format("/proc/{}/status", pid_));
  constexpr std::string_view kName = "Threads:";
  for (std::string line; std::getline(about, line);) {
    if (line.starts_with(kName)) return std::atoi(line.c_str() + kName.size());
  }
  return 0;
}

std::optional<int> ChildProcess::WaitForEnd(std::chrono::milliseconds time) {
  const MutexLock lock(mutex_);
  const auto has_ended = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return pid_ < 0; };
  return ended_.WaitFor(mutex_, time, has_ended) ? std::optional(wait_status_) : std::nullopt;
}

int ChildProcess::End() {
  {
    const MutexLock lock(mutex_);
    if (pid_ > 0) kill(pid_, SIGKILL);
  }
  if (keeper_.joinable()) keeper_.join();
  const MutexLock lock(mutex_);
  return wait_status_;
}

ChildProcess::~ChildProcess() { End(); }

std::string DescribeEnd(int wait_status) {
  if (WIFEXITED(wait_status)) return fmt::format("ended with code {}", WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  switch (signal) {
    case SIGSYS:
      return "tried something that it may not, and was stopped";
    case SIGXCPU:
      return "used up its processor time";
    case SIGKILL:
      return "was killed (by hand, or because memory ran out)";
    default:
      return fmt::format("crashed (signal {}, {})", signal, strsignal(signal));
  }
}

}  // namespace glint::sandbox
