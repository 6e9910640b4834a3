// SPDX-License-Identifier: Apache-2.0
#include "decode/helper_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

#include "glint/error.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

/// Where it may lie, the first place first. @param named  the only place then
std::vector<fs::path> Places(fs::path named, const HelperName& name) {
  if (named.empty()) {
    const char* variable = std::getenv(name.variable);
    named = variable == nullptr ? "" : variable;
  }
  if (!named.empty()) return {named};
  const fs::path folder = FolderOfThisProgram();
  if (folder.empty()) return {};
  return {folder / name.file, folder.parent_path() / "libexec" / "glint" / name.file};
}

absl::Status Missing(const std::vector<fs::path>& places, const HelperName& name) {
  std::vector<std::string> looked;
  for (const fs::path& place : places) looked.push_back(place.string());
  return Error(Reason::kDeviceUnavailable,
               fmt::format("the {} {} is missing (looked for {}); install it beside glint, or {}",
                           name.what, name.file, fmt::join(looked, " and "), name.how_else));
}

absl::Status MayNotRun(const fs::path& place, const HelperName& name, int code) {
  return Error(Reason::kDeviceUnavailable,
               fmt::format("the {} {} may not be run ({}); give it the right to, and keep it "
                           "where programs may run (no noexec mount)",
                           name.what, place.string(), std::generic_category().message(code)));
}

}  // namespace

fs::path FolderOfThisProgram() {
  std::error_code failed;
  fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) {
    const auto* started_as = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    program = fs::canonical(started_as == nullptr ? "" : started_as, failed);
  }
  return failed ? fs::path() : program.parent_path();
}

absl::StatusOr<std::shared_ptr<const HelperProgram>> HelperProgram::Find(const fs::path& named,
                                                                         const HelperName& name) {
  const std::vector<fs::path> places = Places(named, name);
  for (const fs::path& place : places) {
    Descriptor file(open(place.c_str(), O_PATH | O_CLOEXEC));
    if (!file.open() && errno == EACCES) return MayNotRun(place, name, errno);
    struct stat about {};
    if (!file.open() || fstat(file.number(), &about) != 0) continue;
    if (!S_ISREG(about.st_mode))
      return MayNotRun(place, name, S_ISDIR(about.st_mode) ? EISDIR : EACCES);
    if (faccessat(AT_FDCWD, place.c_str(), X_OK, AT_EACCESS) != 0)
      return MayNotRun(place, name, errno);
    return std::shared_ptr<const HelperProgram>(new HelperProgram(place, std::move(file)));
  }
  return Missing(places, name);
}

absl::StatusOr<std::string> HelperProgram::StartPath(int descriptor) const {
  if (access("/proc/self/fd", X_OK) == 0) return fmt::format("/proc/self/fd/{}", descriptor);
  struct stat found {};
  struct stat now {};
  const bool same = fstat(file_.number(), &found) == 0 && stat(path_.c_str(), &now) == 0 &&
                    found.st_dev == now.st_dev && found.st_ino == now.st_ino;
  if (same) return path_.string();
  return Error(Reason::kDeviceUnavailable,
               fmt::format("{} was replaced since this program started, and /proc is "
                           "missing; start the program again",
                           path_.string()));
}

}  // namespace glint
