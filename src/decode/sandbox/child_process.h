// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "decode/helper_program.h"

namespace glint::sandbox {

/// Whether this build carries a sanitizer: those need memory, files and system calls that a
/// confined process does not have, so such builds leave these limits and the system call filter
/// out.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Numbers of the descriptors that the child finds open, besides 0 to 2, which lead to /dev/null.
inline constexpr int kControlDescriptor = 3;
inline constexpr int kVideoDescriptor = 4;
inline constexpr int kProgramDescriptor = 5;  ///< the child's own file, to be closed first

/// Threads that a child may have which decodes in so many. @param decoding  0 is one per core
int MaxThreads(int decoding);

/// A process of ours. It ends with this object, or with this process, whichever is first; it is
/// waited for in any case.
///
/// A thread of its own starts the process and waits for it: the kernel ties a child's life to the
/// thread that started it, and that must not be a thread of the caller's.
class ChildProcess {
 public:
  /// Starts a program with none of our descriptors but the two, in a process group of its own, so
  /// that Ctrl-C reaches only us.
  /// @param arguments  without the program's name
  /// @param environment  all of it: "NAME=value"
  /// Errors: DEVICE_UNAVAILABLE with the program's path and the system's words.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(
      const HelperProgram& program, const std::vector<std::string>& arguments, int control,
      int video, const std::vector<std::string>& environment = {});

  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// How many threads it has; 0 once it has ended, and where the system does not say.
  int Threads();

  /// Waits for it to end by itself. @return as waitpid reports it; nothing when it takes longer
  std::optional<int> WaitForEnd(std::chrono::milliseconds time);

  /// Kills it, unless it has ended, and waits for the end.
  /// @return as waitpid reports it; of the process's own end if it ended before
  int End();

 private:
  ChildProcess() = default;
  void Keep(pid_t pid);

  Mutex mutex_;
  pid_t pid_ ABSL_GUARDED_BY(mutex_) =
      -1;  // -1 once it is waited for: the number may be another's then
  int wait_status_ ABSL_GUARDED_BY(mutex_) = 0;
  CondVar ended_;  // pid_ has become -1
  std::jthread keeper_;
};

/// How a process ended, in words: "crashed (signal 11, Segmentation fault)".
std::string DescribeEnd(int wait_status);

}  // namespace glint::sandbox
