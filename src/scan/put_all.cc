// SPDX-License-Identifier: Apache-2.0
#include "scan/put_all.h"

#include <deque>
#include <future>

#include "base/status_macros.h"

namespace glint {
namespace {

// A store takes long to answer, and little work: so these have threads of their own, which keep
// nobody else's work waiting.
constexpr std::size_t kAtATime = 16;

}  // namespace

absl::Status PutAll(std::span<const Artifact> artifacts, Publication& publication,
                    const CancelToken& cancel, const std::function<void(std::size_t)>& on_stored) {
  std::deque<std::future<absl::Status>> under_way;  // each waits for its thread when it goes
  std::size_t stored = 0;
  const auto finish_first = [&] {
    absl::Status status = under_way.front().get();
    under_way.pop_front();
    if (status.ok()) on_stored(++stored);
    return status;
  };
  for (const Artifact& artifact : artifacts) {
    GLINT_RETURN_IF_ERROR(cancel.Check());
    if (under_way.size() == kAtATime) {
      GLINT_RETURN_IF_ERROR(finish_first());
    }
    under_way.push_back(std::async(std::launch::async, [&artifact, &publication] {
      return publication.Put(artifact.name, artifact.content, artifact.content_type);
    }));
  }
  while (!under_way.empty()) {
    GLINT_RETURN_IF_ERROR(finish_first());
  }
  return absl::OkStatus();
}

}  // namespace glint
