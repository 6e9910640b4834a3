// SPDX-License-Identifier: Apache-2.0
#include "base/at_once.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "base/catch_exceptions.h"

namespace glint {

absl::Status ForEachAtOnce(std::size_t count, std::size_t at_a_time,
                           const std::function<absl::Status(std::size_t)>& work) {
  std::vector<absl::Status> ended(count);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  const auto serve = [&] {
    while (!failed) {
      const std::size_t i = next++;
      if (i >= count) return;
      ended[i] = CatchExceptions([&] { return work(i); });
      if (!ended[i].ok()) failed = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t others = std::min(count, at_a_time);
    try {
      for (std::size_t i = 1; i < others; ++i) threads.emplace_back(serve);
    } catch (const std::system_error&) {
      // No thread is left; those that there are do the work.
    }
    serve();
  }
  const auto first = std::ranges::find_if(ended, [](const auto& status) { return !status.ok(); });
  return first == ended.end() ? absl::OkStatus() : *first;
}

}  // namespace glint
