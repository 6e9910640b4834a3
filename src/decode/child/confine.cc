// SPDX-License-Identifier: Apache-2.0
#include "decode/child/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "decode/child/file_access.h"
#include "decode/sandbox/child_process.h"

namespace glint::sandbox {
namespace {

constexpr std::int64_t kDescriptors = 16;
constexpr std::int64_t kDescriptorsWithDriver = 1024;
/// A driver writes the names of its threads there (`N/comm`) while it opens, and does not work
/// where it cannot (seen with NVIDIA's 580).
constexpr const char* kOwnThreads = "/proc/self/task";

std::string ErrnoText(int code) { return std::generic_category().message(code); }

/// Collects what did not work.
class Refusals {
 public:
  void Add(std::string_view what, int code) {
    if (!text_.empty()) text_ += ", ";
    text_ += fmt::format("{} ({})", what, ErrnoText(code));
  }
  void Check(std::string_view what, bool worked) {
    if (!worked) Add(what, errno);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void SetLimit(__rlimit_resource resource, std::string_view name, std::int64_t soft,
              std::int64_t hard, Refusals& refusals) {
  rlimit now{};
  getrlimit(resource, &now);
  const rlimit wanted{std::min(static_cast<rlim_t>(soft), now.rlim_max),
                      std::min(static_cast<rlim_t>(hard), now.rlim_max)};
  refusals.Check(name, setrlimit(resource, &wanted) == 0);
}

void LimitResources(const Confinement& limits, std::int64_t descriptors, Refusals& refusals) {
  // Private memory, not address space: shared libraries and shared frames do not count. (A
  // sanitizer needs more, and writes its reports to a file.)
  if (!kSanitized) {
    SetLimit(RLIMIT_DATA, "memory limit", limits.memory_bytes, limits.memory_bytes, refusals);
    SetLimit(RLIMIT_FSIZE, "file size limit", 0, 0, refusals);
  }
  // The soft limit ends the process by SIGXCPU, which tells it from other ends.
  SetLimit(RLIMIT_CPU, "processor time limit", limits.cpu_s, limits.cpu_s + 1, refusals);
  SetLimit(RLIMIT_CORE, "core dump limit", 0, 0, refusals);
  SetLimit(RLIMIT_NOFILE, "descriptor limit", descriptors, descriptors, refusals);
}

/// The first that the kernel ends when memory is out, before the worker that serves others.
void GoFirst() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const auto written = write(file, "1000", 4);
  close(file);
}

/// Whether the kernel counts the processes of a user in each user namespace apart: since 5.14.
/// Before, the limit would be on all that the user runs on this machine.
bool CountsByNamespace() {
  utsname about{};
  int major = 0, minor = 0;
  if (uname(&about) != 0 || std::sscanf(about.release, "%d.%d", &major, &minor) != 2) return false;
  return std::pair(major, minor) >= std::pair(5, 14);
}

/// A second wall, where the kernel allows it: nothing of the network, of others' queues or of the
/// host's name is there. Without root that takes a user namespace, in which all rights that it
/// brings are given up again.
/// @return whether the process's threads can be counted apart from those of others
bool TakeNamespaces() {
  constexpr int kOwn = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS;
  if (geteuid() == 0) {
    unshare(kOwn);
    return false;
  }
  return unshare(CLONE_NEWUSER | kOwn) == 0 && CountsByNamespace();
}

/// Becomes nobody: a user of its own number, whose threads are nobody else's. Containers share the
/// kernel's users and not its process numbers, so chance tells theirs apart. In a container root
/// may be unable to; it has no capabilities then, and may not open a file anyway.
/// @return whether it is a user of its own now
bool DropRoot() {
  if (geteuid() != 0) return false;
  constexpr uid_t kFirst = 0x70000000;  // no system gives these out: 28 bits
  constexpr uid_t kProcessBits = 22;    // of the largest process number that Linux has
  std::uint8_t chance = 0;
  [[maybe_unused]] const auto filled = getrandom(&chance, sizeof chance, GRND_NONBLOCK);
  const uid_t nobody =
      kFirst | static_cast<uid_t>(chance % 64) << kProcessBits | static_cast<uid_t>(getpid());
  return setgroups(0, nullptr) == 0 && setresgid(nobody, nobody, nobody) == 0 &&
         setresuid(nobody, nobody, nobody) == 0;
}

void DropCapabilities(Refusals& refusals) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  refusals.Check("dropping capabilities", syscall(SYS_capset, &header, none.data()) == 0);
}

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

// What decoding in threads, the allocator and the control socket need, whatever the arguments.
constexpr std::array kAllowed = {SCMP_SYS(pread64),
                                 SCMP_SYS(recvmsg),
                                 SCMP_SYS(sendmsg),
                                 SCMP_SYS(close),
                                 SCMP_SYS(munmap),
                                 SCMP_SYS(mremap),
                                 SCMP_SYS(madvise),
                                 SCMP_SYS(brk),
                                 SCMP_SYS(futex),
                                 SCMP_SYS(set_robust_list),
                                 SCMP_SYS(rseq),
                                 SCMP_SYS(rt_sigprocmask),
                                 SCMP_SYS(rt_sigreturn),
                                 SCMP_SYS(sigaltstack),
                                 SCMP_SYS(sched_getaffinity),
                                 SCMP_SYS(sched_yield),
                                 SCMP_SYS(clock_gettime),
                                 SCMP_SYS(clock_nanosleep),
                                 SCMP_SYS(gettimeofday),
                                 SCMP_SYS(getrandom),
                                 SCMP_SYS(getpid),
                                 SCMP_SYS(gettid),
                                 SCMP_SYS(restart_syscall),
                                 SCMP_SYS(pause),
                                 SCMP_SYS(exit),
                                 SCMP_SYS(exit_group)};

// What a driver asks for besides. Files and devices are limited by LimitFiles.
constexpr std::array kAllowedWithDriver = {SCMP_SYS(ioctl),
                                           SCMP_SYS(openat),
                                           SCMP_SYS(read),
                                           SCMP_SYS(readv),
                                           SCMP_SYS(write),
                                           SCMP_SYS(writev),
                                           SCMP_SYS(lseek),
                                           SCMP_SYS(stat),
                                           SCMP_SYS(lstat),
                                           SCMP_SYS(fstat),
                                           SCMP_SYS(newfstatat),
                                           SCMP_SYS(statx),
                                           SCMP_SYS(access),
                                           SCMP_SYS(faccessat),
                                           SCMP_SYS(faccessat2),
                                           SCMP_SYS(readlink),
                                           SCMP_SYS(readlinkat),
                                           SCMP_SYS(getdents64),
                                           SCMP_SYS(fcntl),
                                           SCMP_SYS(dup),
                                           SCMP_SYS(poll),
                                           SCMP_SYS(ppoll),
                                           SCMP_SYS(pipe2),
                                           SCMP_SYS(eventfd2),
                                           SCMP_SYS(epoll_create1),
                                           SCMP_SYS(epoll_ctl),
                                           SCMP_SYS(epoll_wait),
                                           SCMP_SYS(epoll_pwait),
                                           SCMP_SYS(nanosleep),
                                           SCMP_SYS(clock_getres),
                                           SCMP_SYS(uname),
                                           SCMP_SYS(sysinfo),
                                           SCMP_SYS(getuid),
                                           SCMP_SYS(geteuid),
                                           SCMP_SYS(getgid),
                                           SCMP_SYS(getegid),
                                           SCMP_SYS(getppid),
                                           SCMP_SYS(getcpu),
                                           SCMP_SYS(getrusage),
                                           SCMP_SYS(getpriority),
                                           SCMP_SYS(rt_sigaction),
                                           SCMP_SYS(rt_sigtimedwait),
                                           SCMP_SYS(sched_getparam),
                                           SCMP_SYS(sched_getscheduler),
                                           SCMP_SYS(sched_get_priority_max),
                                           SCMP_SYS(sched_get_priority_min),
                                           SCMP_SYS(get_mempolicy),
                                           SCMP_SYS(set_mempolicy),
                                           SCMP_SYS(mbind),
                                           SCMP_SYS(mincore),
                                           SCMP_SYS(mlock),
                                           SCMP_SYS(munlock),
                                           SCMP_SYS(membarrier)};

int AddRules(scmp_filter_ctx filter, SystemCalls calls) {
  int failed = 0;
  const auto allow = [&](int call, auto... conditions) {
    const int code =
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, sizeof...(conditions), conditions...);
    if (failed == 0) failed = code;
  };
  for (const int call : kAllowed) allow(call);
  // Memory, but none that can be executed.
  const scmp_arg_cmp not_executable = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  if (calls == SystemCalls::kWithDriver) {
    allow(SCMP_SYS(mmap), not_executable);
  } else {
    // And none that its limit does not count: private memory that does not grow by itself, or what
    // the worker shares, whose size is sealed.
    constexpr scmp_datum_t kKind = MAP_SHARED | MAP_PRIVATE;
    allow(SCMP_SYS(mmap), not_executable,
          SCMP_A3(SCMP_CMP_MASKED_EQ, kKind | MAP_GROWSDOWN, MAP_PRIVATE));
    allow(SCMP_SYS(mmap), not_executable,
          SCMP_A3(SCMP_CMP_MASKED_EQ, kKind | MAP_GROWSDOWN | MAP_ANONYMOUS, MAP_SHARED));
  }
  allow(SCMP_SYS(mprotect), not_executable);
  // Threads, but no processes. clone3 hides its flags from a filter; libc then uses clone.
  constexpr scmp_datum_t kThread = CLONE_VM | CLONE_THREAD;
  allow(SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, kThread, kThread));
  if (failed == 0) failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  allow(SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
  // So that abort() is seen as what it is.
  allow(SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())));
  if (calls == SystemCalls::kWithDriver) {
    for (const int call : kAllowedWithDriver) allow(call);
    return failed;
  }
  // Questions about the environment get "no" instead of death: libraries ask them on their way.
  for (const int call :
       {SCMP_SYS(openat), SCMP_SYS(open), SCMP_SYS(ioctl), SCMP_SYS(fstat), SCMP_SYS(newfstatat),
        SCMP_SYS(readlink), SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(rt_sigaction)}) {
    if (failed == 0) failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
  }
  return failed;
}

/// Lets no system call through that is not on the list.
void FilterSystemCalls(SystemCalls calls, Refusals& refusals) {
  if (kSanitized) return;
  const std::uint32_t otherwise =
      calls == SystemCalls::kDecoding ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_ERRNO(EPERM);
  const Filter filter(seccomp_init(otherwise), seccomp_release);
  if (!filter) return refusals.Add("system call filter", ENOSYS);  // a kernel without filters
  int failed = AddRules(filter.get(), calls);
  // Libraries may have started threads before main: all get the filter.
  if (failed == 0) failed = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
  if (failed == 0) failed = seccomp_load(filter.get());
  if (failed != 0) refusals.Add("system call filter", -failed);
}

void DropRights(const Confinement& limits, bool with_driver, Refusals& refusals) {
  LimitResources(limits, with_driver ? kDescriptorsWithDriver : kDescriptors, refusals);
  GoFirst();
  // A driver's devices may belong to namespaces.
  bool counted = with_driver ? false : TakeNamespaces();
  counted = DropRoot() || counted;
  if (counted && !kSanitized) {
    SetLimit(RLIMIT_NPROC, "thread limit", limits.threads, limits.threads, refusals);
  }
  DropCapabilities(refusals);
  refusals.Check("no new privileges", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  // After the change of user, which would clear it.
  refusals.Check("death with the parent", prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0);
}

}  // namespace

std::string Confine(const Confinement& limits) {
  Refusals refusals;
  DropRights(limits, false, refusals);
  refusals.Check("no debugging", prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
  FilterSystemCalls(SystemCalls::kDecoding, refusals);
  return refusals.text();
}

std::string ConfineForDriver(const Confinement& limits, std::string& no_files) {
  Refusals refusals;
  DropRights(limits, true, refusals);
  // To write in its own folder of /proc, which the change of user gave to root. What it could do
  // there besides (`mem`) ends with ConfineSystemCalls, before anything untrusted is read.
  refusals.Check("its own folder of /proc", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
  std::vector<std::string> usable = DriverDevices();
  usable.emplace_back(kOwnThreads);
  no_files = kSanitized ? "" : LimitFiles(DriverFiles(), usable);
  return refusals.text();
}

std::string ConfineSystemCalls(SystemCalls calls) {
  Refusals refusals;
  // Not before the driver is open: it reads and writes about itself in /proc.
  refusals.Check("no debugging", prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
  FilterSystemCalls(calls, refusals);
  return refusals.text();
}

}  // namespace glint::sandbox
