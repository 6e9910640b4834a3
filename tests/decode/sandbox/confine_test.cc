// SPDX-License-Identifier: Apache-2.0
// What code that runs in the child can do: compute and answer. Each attempt is made by a process
// that has confined itself as the child does.
#include "decode/child/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "decode/sandbox/sandboxed_video.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint::sandbox {
namespace {

constexpr int kMade = 0;
constexpr int kRefused = 1;
constexpr int kScore = 9;  // a descriptor

const Confinement kLimits{std::int64_t{1} << 30, 100};

/// How a confined process ends that makes the attempt.
int Attempt(
    const std::function<bool()>& attempt,
    const std::function<void()>& confine = [] { Confine(kLimits); }) {
  const pid_t pid = fork();
  if (pid == 0) {
    confine();
    _exit(attempt() ? kMade : kRefused);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

struct Case {
  const char* what;
  std::function<bool()> attempt;
  bool works = false;
};

/// What no decoder may do, with a driver or without.
std::vector<Case> WithWhatNoneMay(std::vector<Case> cases) {
  const std::vector<Case> none = {
      {"make a socket", [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
      {"make a process", [] { return fork() >= 0; }},
      {"run a program", [] { return execl("/bin/true", "true", nullptr) == 0; }},
      {"signal another process", [] { return kill(getppid(), 0) == 0; }},
      {"debug another process", [] { return ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0; }},
      {"map code",
       [] {
         return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
                MAP_FAILED;
       }},
      {"become root", [] { return setuid(0) == 0; }},
  };
  cases.insert(cases.end(), none.begin(), none.end());
  return cases;
}

TEST(ConfinedProcess, IsStoppedOrRefused) {
  const auto probed = ProbeDecoder({});
  ASSERT_THAT(probed, IsOk());
  ASSERT_EQ(probed->missing, "") << "this system refuses protections that the tests need";
  const std::vector<Case> cases = WithWhatNoneMay({
      {"read a file", [] { return open("/etc/passwd", O_RDONLY) >= 0; }},
      {"write a file", [] { return open("/tmp/glint-escape", O_WRONLY | O_CREAT, 0600) >= 0; }},
      {"write to a descriptor", [] { return write(STDERR_FILENO, "", 0) == 0; }},
      {"make memory executable",
       [] {
         void* page =
             mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         return mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
       }},
      {"raise its limits",
       [] {
         const rlimit more{RLIM_INFINITY, RLIM_INFINITY};
         return setrlimit(RLIMIT_DATA, &more) == 0;
       }},
      {"change folder", [] { return chdir("/") == 0; }},
      {"share memory of its own making, which no limit counts",
       [] {
         return mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) !=
                MAP_FAILED;
       }},
      {"map memory that grows by itself, which no limit counts",
       [] {
         return mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0) != MAP_FAILED;
       }},
      {"make a file in memory", [] { return memfd_create("more", 0) >= 0; }},
      {"take more memory than allowed",
       [] {
         return mmap(nullptr, std::size_t{2} << 30, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
       }},
  });
  for (const auto& [what, attempt, works] : cases) {
    const int status = Attempt(attempt);
    const bool stopped = WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
    const bool refused = WIFEXITED(status) && WEXITSTATUS(status) == kRefused;
    EXPECT_TRUE(stopped || refused) << what << ": wait status " << status;
  }
}

/// Confines a process as one that has opened a GPU's driver.
void ConfineWithDriver() {
  std::string no_files;
  const std::string missing = ConfineForDriver(kLimits, no_files);
  if (!missing.empty() || !no_files.empty()) _exit(99);
  if (!ConfineSystemCalls(SystemCalls::kWithDriver).empty()) _exit(99);
}

/// Whether a file of this thread in /proc can be opened.
bool OpensOfThread(const std::string& name, int flags) {
  const std::string path = "/proc/self/task/" + std::to_string(gettid()) + "/" + name;
  return open(path.c_str(), flags | O_CLOEXEC, 0600) >= 0;
}

// NVIDIA's driver (580) does, and says that the system does not work when it cannot.
TEST(ProcessWithADriver, NamesItsThreadsWhileTheDriverOpens) {
  const int status = Attempt([] { return OpensOfThread("comm", O_WRONLY | O_CREAT | O_TRUNC); },
                             [] {
                               std::string no_files;
                               ConfineForDriver(kLimits, no_files);
                             });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kMade) << status;
}

TEST(ProcessWithADriver, ReachesNothingButTheDriversFiles) {
  const TempFolder folder;
  const std::string file = folder.Write("secret.txt", "a secret");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0777));
  std::filesystem::permissions(file, std::filesystem::perms(0666));
  const auto opens = [](const std::string& path, int flags) {
    return [path, flags] { return open(path.c_str(), flags | O_CLOEXEC, 0600) >= 0; };
  };
  const std::vector<Case> cases = WithWhatNoneMay({
      {"read a library", opens("/usr/bin/env", O_RDONLY), true},
      {"read about the system", opens("/proc/self/maps", O_RDONLY), true},
      {"use a device", opens("/dev/null", O_RDWR), true},
#ifdef SYS_stat  // a driver may have been built with a C library that is older than ours
      {"ask about a device",
       [] {
         struct stat about {};
         return syscall(SYS_stat, "/dev/null", &about) == 0;
       },
       true},
#endif
      {"write its own memory", opens("/proc/self/mem", O_RDWR)},
      {"write its own memory through a thread", [] { return OpensOfThread("mem", O_RDWR); }},
      {"read a file", opens(file, O_RDONLY)},
      {"read the users", opens("/etc/passwd", O_RDONLY)},
      {"write a file", opens(file, O_WRONLY)},
      {"make a file", opens(folder.path() / "new", O_WRONLY | O_CREAT)},
      {"remove a file", [&] { return unlink(file.c_str()) == 0; }},
      {"list a folder", opens(folder.path(), O_RDONLY | O_DIRECTORY)},
      {"use another device", opens("/dev/zero", O_RDWR)},
      {"make a local socket", [] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }},
  });
  for (const auto& [what, attempt, works] : cases) {
    const int status = Attempt(attempt, ConfineWithDriver);
    // It is refused, not killed: a driver that wants more shall be able to say so.
    ASSERT_TRUE(WIFEXITED(status)) << what << ": wait status " << status;
    EXPECT_EQ(WEXITSTATUS(status), works ? kMade : kRefused) << what;
  }
}

TEST(ProcessWithADriver, IsConfinedAsAnyOtherWhenThereIsNone) {
  const int status = Attempt([] { return open("/dev/null", O_RDWR) >= 0; },
                             [] {
                               std::string no_files;
                               ConfineForDriver(kLimits, no_files);
                               ConfineSystemCalls(SystemCalls::kDecoding);
                             });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kRefused) << status;
}

TEST(ConfinedProcess, CanStillWorkInThreads) {
  const int status = Attempt([] {
    std::vector<int> sums(4);
    {
      std::vector<std::jthread> threads;
      threads.reserve(sums.size());
      for (int& sum : sums) {
        threads.emplace_back([&sum] {
          std::vector<int> work(1 << 20, 1);
          for (const int one : work) sum += one;
        });
      }
    }
    return sums == std::vector<int>(4, 1 << 20);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kMade) << status;
}

/// Whether the system counts the threads of a confined process of this user apart from others.
bool CountsThreads() {
  return geteuid() == 0 ||
         WEXITSTATUS(Attempt([] { return unshare(CLONE_NEWUSER) == 0; }, [] {})) == kMade;
}

TEST(ConfinedProcess, HasAsManyThreadsAsItsLimitSays) {
  if (!CountsThreads()) GTEST_SKIP() << "this system gives no user namespaces";
  constexpr int kMost = 20;
  const int status = Attempt(
      [] {
        std::vector<std::jthread> threads;
        threads.reserve(std::size_t{2} * kMost);
        try {
          for (int i = 0; i < 2 * kMost; ++i) {
            threads.emplace_back([](const std::stop_token& stop) {
              while (!stop.stop_requested()) std::this_thread::yield();
            });
          }
        } catch (const std::system_error&) {
          return threads.size() >= kMost / 2;
        }
        return false;
      },
      [] {
        Confine({std::int64_t{1} << 30, 100, kMost});
      });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kMade) << status;
}

TEST(ConfinedProcess, GoesFirstWhenMemoryIsOut) {
  const int status = Attempt(
      [] {
        // Opened before: nothing can be opened now. Only pread is allowed.
        char text[8] = {};
        return pread(kScore, text, 4, 0) == 4 && std::string_view(text, 4) == "1000";
      },
      [] {
        const int own = open("/proc/self/oom_score_adj", O_RDONLY);
        dup2(own, kScore);
        Confine(kLimits);
      });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kMade) << status;
}

TEST(Decoder, DecodesAVideoOfItsOwnInAWholeSandbox) {
  EXPECT_THAT(TryToDecode({.whole = true}), IsOk());
  EXPECT_THAT(TryToDecode({.confined = false}), IsOk());
}

TEST(ConfinedProcess, RunsOutOfMemoryAlone) {
  const TempFolder folder;
  const auto file = folder.path() / "a.mp4";
  WriteTestVideo(file, {.size = {1920, 1080}, .frames = 4, .lossless = false}, FillPattern);
  const auto decode = [&](std::int64_t memory_bytes) {
    auto video = OpenVideoInSandbox(file, {}, {}, {.memory_bytes = memory_bytes});
    absl::Status status = video.status();
    for (int i = 0; i < 4 && status.ok(); ++i) status = (*video)->Next().status();
    return status;
  };
  // Too little for the decoder's tables; its frames are not in that memory.
  EXPECT_THAT(decode(40 << 20),
              testing::AnyOf(FailsWith(Reason::kOutOfMemory, testing::HasSubstr("memory")),
                             FailsWith(Reason::kDecoderDied, testing::_)));
  EXPECT_THAT(decode(1 << 30), IsOk());
}

}  // namespace
}  // namespace glint::sandbox
