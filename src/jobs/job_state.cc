// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "jobs/job_store.h"

namespace glint {
namespace {

constexpr std::array kStates = {JobState::kQueued, JobState::kRunning, JobState::kSucceeded,
                                JobState::kFailed, JobState::kCancelled};

}  // namespace

std::string_view Name(JobState state) {
  switch (state) {
    case JobState::kQueued:
      return "queued";
    case JobState::kRunning:
      return "running";
    case JobState::kSucceeded:
      return "succeeded";
    case JobState::kFailed:
      return "failed";
    case JobState::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

std::optional<JobState> JobStateNamed(std::string_view name) {
  for (const JobState state : kStates) {
    if (Name(state) == name) return state;
  }
  return std::nullopt;
}

std::string JobId(std::string_view owner, std::string_view id) {
  if (owner.empty()) return std::string(id);
  std::string name = "@";
  name.append(owner).append("/").append(id);
  return name;
}

std::string_view IdOf(std::string_view job_id) {
  return job_id.starts_with('@') ? job_id.substr(job_id.find('/') + 1) : job_id;
}

bool IsFinal(JobState state) { return state != JobState::kQueued && state != JobState::kRunning; }

}  // namespace glint
