// SPDX-License-Identifier: Apache-2.0
#include "serve/memory_budget.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace glint {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kServiceBytes = std::int64_t{128} << 20;  // calls, queue, an idle worker
constexpr std::int64_t kScanBytes = std::int64_t{300} << 20;     // whatever the frames' size
constexpr std::int64_t kBytesPerPixel = 256;                     // of a frame; 64 views are kept

/// The number that a file begins with; nothing where it has none ("max") or is not there.
std::optional<std::int64_t> NumberIn(const fs::path& file) {
  std::ifstream stream(file);
  std::int64_t number = 0;
  if (!(stream >> number)) return std::nullopt;
  return number;
}

/// The least that `name` says in a group's folder and in those above it, up to `top`.
std::int64_t LeastLimit(const fs::path& top, const fs::path& group, std::string_view name) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  fs::path folder = top;
  const auto look = [&] {
    if (const auto limit = NumberIn(folder / name); limit && *limit > 0) {
      least = std::min(least, *limit);
    }
  };
  look();  // in a container the group is often mounted as the top
  for (const fs::path& part : group.relative_path()) {
    folder /= part;
    look();
  }
  return least;
}

std::int64_t MemoryOfMachine(const fs::path& root) {
  std::ifstream about(root / "proc/meminfo");
  std::string name;
  std::int64_t kibibytes = 0;
  if (about >> name >> kibibytes && name == "MemTotal:") return kibibytes << 10;
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::int64_t MemoryLimit(const fs::path& root) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  const fs::path top = root / "sys/fs/cgroup";
  std::int64_t least = MemoryOfMachine(root);
  std::ifstream groups(root / "proc/self/cgroup");  // lines "7:memory:/path", "0::/path"
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, LeastLimit(top, group, "memory.max"));
    } else if (controllers == "memory") {
      least = std::min(least, LeastLimit(top / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return least == kNone ? 0 : least;
}

std::int64_t ScanShare(std::int64_t memory_bytes, int scans) {
  return std::max<std::int64_t>((memory_bytes - kServiceBytes) / std::max(scans, 1), 1);
}

std::int64_t PixelsWithin(std::int64_t memory_bytes, int scans) {
  const std::int64_t frames = ScanShare(memory_bytes, scans) - kScanBytes;
  return std::max<std::int64_t>(frames / kBytesPerPixel, 1);
}

}  // namespace glint
