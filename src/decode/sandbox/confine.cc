// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <string_view>
#include <system_error>

namespace glint::sandbox {
namespace {

constexpr rlim_t kDescriptors = 16;

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

void LimitResources(const Confinement& limits, Refusals& refusals) {
  // Private memory, not address space: shared libraries and shared frames do not count. (A
  // sanitizer needs more, and writes its reports to a file.)
  if (!kSanitized) {
    SetLimit(RLIMIT_DATA, "memory limit", limits.memory_bytes, limits.memory_bytes, refusals);
    SetLimit(RLIMIT_FSIZE, "file size limit", 0, 0, refusals);
  }
  // The soft limit ends the process by SIGXCPU, which tells it from other ends.
  SetLimit(RLIMIT_CPU, "processor time limit", limits.cpu_s, limits.cpu_s + 1, refusals);
  SetLimit(RLIMIT_CORE, "core dump limit", 0, 0, refusals);
  SetLimit(RLIMIT_NOFILE, "descriptor limit", kDescriptors, kDescriptors, refusals);
}

/// Becomes nobody. In a container root may be unable to, and needs it less.
void DropRoot(Refusals& refusals) {
  if (geteuid() != 0) return;
  constexpr uid_t kNobody = 65534;
  refusals.Check("dropping groups", setgroups(0, nullptr) == 0);
  refusals.Check("dropping root's group", setresgid(kNobody, kNobody, kNobody) == 0);
  refusals.Check("dropping root", setresuid(kNobody, kNobody, kNobody) == 0);
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

int AddRules(scmp_filter_ctx filter) {
  int failed = 0;
  const auto allow = [&](int call, auto... conditions) {
    const int code =
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, sizeof...(conditions), conditions...);
    if (failed == 0) failed = code;
  };
  for (const int call : kAllowed) allow(call);
  // Memory, but none that can be executed.
  const scmp_arg_cmp not_executable = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
  allow(SCMP_SYS(mmap), not_executable);
  allow(SCMP_SYS(mprotect), not_executable);
  // Threads, but no processes. clone3 hides its flags from a filter; libc then uses clone.
  constexpr scmp_datum_t kThread = CLONE_VM | CLONE_THREAD;
  allow(SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, kThread, kThread));
  if (failed == 0) failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  allow(SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
  // So that abort() is seen as what it is.
  allow(SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())));
  // Questions about the environment get "no" instead of death: libraries ask them on their way.
  for (const int call :
       {SCMP_SYS(openat), SCMP_SYS(open), SCMP_SYS(ioctl), SCMP_SYS(fstat), SCMP_SYS(newfstatat),
        SCMP_SYS(readlink), SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(rt_sigaction)}) {
    if (failed == 0) failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
  }
  return failed;
}

/// Kills the process on every system call that is not on the list.
void FilterSystemCalls(Refusals& refusals) {
  if (kSanitized) return;
  const Filter filter(seccomp_init(SCMP_ACT_KILL_PROCESS), seccomp_release);
  if (!filter) return refusals.Add("system call filter", ENOMEM);
  int failed = AddRules(filter.get());
  // Libraries may have started threads before main: all get the filter.
  if (failed == 0) failed = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
  if (failed == 0) failed = seccomp_load(filter.get());
  if (failed != 0) refusals.Add("system call filter", -failed);
}

}  // namespace

std::string Confine(const Confinement& limits) {
  Refusals refusals;
  LimitResources(limits, refusals);
  DropRoot(refusals);
  DropCapabilities(refusals);
  refusals.Check("no new privileges", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  refusals.Check("no debugging", prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
  // After the change of user, which would clear it.
  refusals.Check("death with the parent", prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0);
  FilterSystemCalls(refusals);
  return refusals.text();
}

}  // namespace glint::sandbox
