// SPDX-License-Identifier: Apache-2.0
#include "observe/process_stats.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace glint {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

ProcessStats ReadProcessStats() {
  ProcessStats figures;
  std::int64_t pages = 0;
  std::int64_t resident = 0;
  if (std::ifstream("/proc/self/statm") >> pages >> resident) {
    figures.resident_bytes = resident * sysconf(_SC_PAGESIZE);
  }
  std::error_code failed;
  const std::filesystem::directory_iterator files("/proc/self/fd", failed);
  if (!failed) {
    figures.open_files =
        std::distance(begin(files), end(files)) - 1;  // one of them reads this folder
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    figures.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  }
  return figures;
}

}  // namespace glint
