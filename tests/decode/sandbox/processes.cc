// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/processes.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace glint {

namespace fs = std::filesystem;

std::vector<pid_t> Children(pid_t of) {
  std::vector<pid_t> children;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename();
    if (!std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t behind_name = text.rfind(')');
    if (behind_name == std::string::npos) continue;
    std::istringstream rest(text.substr(behind_name + 1));
    char state = 0;
    pid_t parent = 0;
    rest >> state >> parent;
    if (parent == of) children.push_back(std::stoi(name));
  }
  return children;
}

std::size_t OpenDescriptors() {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

std::size_t SharedMappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("glint-frame") != std::string::npos) ++count;
  }
  return count;
}

std::int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace glint
