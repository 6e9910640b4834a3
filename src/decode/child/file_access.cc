// SPDX-License-Identifier: Apache-2.0
#include "decode/child/file_access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/descriptor.h"

namespace glint::sandbox {
namespace {

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kReadFolder = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
/// Everything that the first version of Landlock knows; what later ones add (moving between folders
/// is always refused, cutting off is a system call that the filter refuses) needs no mention.
constexpr std::uint64_t kEverything = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1;

std::string Refused(std::string_view step) {
  return fmt::format("{}: {}", step, std::generic_category().message(errno));
}

bool IsFolder(int descriptor) {
  struct stat about {};
  return fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode);
}

/// @return whether it worked, or there is no such file
bool Allow(int rules, const std::string& path, bool to_use) {
  const Descriptor file(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!file.open()) return true;
  landlock_path_beneath_attr rule{};
  rule.parent_fd = file.number();
  rule.allowed_access = (IsFolder(file.number()) ? kReadFolder : kReadFile) |
                        (to_use ? std::uint64_t{LANDLOCK_ACCESS_FS_WRITE_FILE} : 0);
  return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

}  // namespace

std::string LimitFiles(const std::vector<std::string>& readable,
                       const std::vector<std::string>& usable) {
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = kEverything;
  const Descriptor rules(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0)));
  if (!rules.open()) return Refused("Landlock");
  for (const std::string& path : readable) {
    if (!Allow(rules.number(), path, false)) return Refused("Landlock for " + path);
  }
  for (const std::string& path : usable) {
    if (!Allow(rules.number(), path, true)) return Refused("Landlock for " + path);
  }
  if (syscall(SYS_landlock_restrict_self, rules.number(), 0) != 0) return Refused("Landlock");
  return "";
}

std::vector<std::string> DriverFiles() {
  std::vector<std::string> files = {"/usr",        "/lib",  "/lib64", "/etc/ld.so.cache",
                                    "/etc/nvidia", "/proc", "/sys"};
  if (const char* folders = std::getenv("LD_LIBRARY_PATH"); folders != nullptr) {
    std::istringstream list(folders);
    for (std::string folder; std::getline(list, folder, ':');) {
      if (!folder.empty()) files.push_back(folder);
    }
  }
  return files;
}

std::vector<std::string> DriverDevices() {
  std::vector<std::string> devices = {"/dev/null"};
  for (const char* pattern : {"/dev/nvidia*", "/dev/nvidia-caps/*", "/dev/dxg"}) {
    glob_t found{};
    if (glob(pattern, 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) devices.emplace_back(found.gl_pathv[i]);
    }
    globfree(&found);
  }
  return devices;
}

}  // namespace glint::sandbox
