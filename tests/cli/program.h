// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/sanitized.h"

namespace glint {

/// Exit code of a program that could not get the small disk of its setting: mounting is not
/// allowed.
inline constexpr int kMayNotMount = 126;

/// How the program ended.
struct Ended {
  int exit_code = -1;  ///< or minus the signal that killed it
  std::string out;
  std::string err;
};

/// The built `glint` as a process of its own.
class Program {
 public:
  /// What a test may take from it.
  struct Setting {
    std::filesystem::path folder;                      ///< working folder
    std::optional<unsigned long> max_file_bytes = {};  ///< RLIMIT_FSIZE
    bool as_nobody = false;                            ///< without root's rights, where it has them
    std::chrono::minutes patience{kSanitized ? 30 : 5};  ///< after them Wait() kills it
    std::string small_disk = {};  ///< mounts a tmpfs of 64 KiB there, in a namespace of its own
  };

  Program(const std::vector<std::string>& arguments, const Setting& setting);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Waits until stdout holds the text. @return false when the program ended or a minute passed
  bool WaitFor(const std::string& text);
  /// What it has said on stdout so far.
  std::string Said() const;
  /// Only before Wait().
  void Signal(int signal) const;
  /// Waits for the end; kills it when the setting's patience is over.
  Ended Wait();

 private:
  std::filesystem::path output_;  // folder of the files that stdout and stderr go to
  const std::chrono::minutes patience_;
  pid_t pid_ = -1;
};

/// Runs it to its end.
Ended RunProgram(const std::vector<std::string>& arguments, const Program::Setting& setting);

/// Every file and folder below, relative; empty for a folder that does not exist.
std::set<std::string> FilesBelow(const std::filesystem::path& root);

/// The lines of a text.
std::vector<std::string> Lines(const std::string& text);

}  // namespace glint
