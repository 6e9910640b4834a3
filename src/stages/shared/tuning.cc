// SPDX-License-Identifier: Apache-2.0
#include "glint/tuning.h"

#include <algorithm>
#include <tuple>

namespace glint {
namespace {

auto KeyOf(const Tuning::Batch& batch) {
  return std::tuple(std::string_view(batch.device), batch.frame.width, batch.frame.height,
                    batch.motion);
}
auto KeyOf(const Tuning::CpuLimit& limit) {
  return std::pair(std::string_view(limit.device), limit.threads);
}

template <class Entry>
void Replace(std::vector<Entry>& entries, const Entry& entry) {
  std::erase_if(entries, [&](const Entry& known) { return KeyOf(known) == KeyOf(entry); });
  entries.push_back(entry);
}

}  // namespace

std::optional<int> Tuning::BatchFor(std::string_view device, Size frame, bool motion) const {
  const auto found = std::ranges::find_if(batches, [&](const Batch& batch) {
    return batch.device == device && batch.frame == frame && batch.motion == motion;
  });
  return found == batches.end() ? std::nullopt : std::optional(found->frames);
}

std::optional<std::int64_t> Tuning::CpuUpTo(std::string_view device, int threads) const {
  const auto found = std::ranges::find_if(cpu_limits, [&](const CpuLimit& limit) {
    return limit.device == device && limit.threads == threads;
  });
  return found == cpu_limits.end() ? std::nullopt : std::optional(found->pixels);
}

void Tuning::Add(const Batch& batch) { Replace(batches, batch); }
void Tuning::Add(const CpuLimit& limit) { Replace(cpu_limits, limit); }

}  // namespace glint
