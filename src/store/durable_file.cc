// SPDX-License-Identifier: Apache-2.0
#include "store/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/descriptor.h"
#include "glint/error.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

/// Writes everything, in as many calls as it takes. @return false with errno set
bool WriteAll(int file, std::span<const std::byte> content) {
  while (!content.empty()) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// File systems that cannot sync say EINVAL or ENOTSUP; there is nothing to wait for then.
bool Synced(int file) { return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP; }

}  // namespace

absl::Status OutputError(std::string_view what, const fs::path& path, int error) {
  if (error == ENOSPC || error == EDQUOT) {
    return Error(Reason::kDiskFull,
                 fmt::format("{} '{}': no space is left there; free some or choose another output "
                             "folder",
                             what, path.string()));
  }
  // What network file systems say while their server is away.
  constexpr std::array kAway = {ESTALE,      ETIMEDOUT, EHOSTDOWN,    EHOSTUNREACH,
                                ENETUNREACH, ENETDOWN,  ECONNREFUSED, ENOTCONN};
  if (std::ranges::find(kAway, error) != kAway.end()) {
    return Error(Reason::kStoreUnavailable,
                 fmt::format("{} '{}': {}; its server does not answer", what, path.string(),
                             std::generic_category().message(error)));
  }
  const bool rights = error == EACCES || error == EPERM || error == EROFS;
  return Error(
      Reason::kOutputUnwritable,
      fmt::format("{} '{}': {}; {}", what, path.string(), std::generic_category().message(error),
                  rights ? "choose an output folder that this user may write"
                         : "check it or choose another output folder"));
}

absl::Status WriteDurably(const fs::path& path, std::span<const std::byte> content) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.open()) return OutputError("cannot create", path, errno);
  if (!WriteAll(file.number(), content) || !Synced(file.number()) || !file.Close()) {
    return OutputError("cannot write", path, errno);
  }
  return absl::OkStatus();
}

absl::Status SyncFolder(const fs::path& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.open()) return OutputError("cannot open folder", path, errno);
  if (!Synced(folder.number())) return OutputError("cannot sync folder", path, errno);
  return absl::OkStatus();
}

}  // namespace glint
