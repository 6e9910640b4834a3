// SPDX-License-Identifier: Apache-2.0
#include "support/memory_bucket.h"

#include "glint/error.h"

namespace glint {

absl::Status MemoryBucket::Work() {
  if (state_->calls_left < 0) return absl::OkStatus();
  if (state_->calls_left > 0) {
    --state_->calls_left;
    return absl::OkStatus();
  }
  if (!state_->dead) state_->calls_left = -1;  // one failure only
  return Error(Reason::kOutputUnwritable, "the test breaks this call");
}

absl::Status MemoryBucket::CheckKey(std::string_view /*key*/) const { return absl::OkStatus(); }

absl::Status MemoryBucket::Put(const std::string& key, std::span<const std::byte> content,
                               std::string_view /*content_type*/, const CancelToken& /*cancel*/) {
  const std::scoped_lock lock(state_->mutex);
  if (absl::Status works = Work(); !works.ok()) return works;
  state_->objects[key].assign(reinterpret_cast<const char*>(content.data()), content.size());
  return absl::OkStatus();
}

absl::Status MemoryBucket::Copy(const std::string& from, const std::string& to,
                                const CancelToken& /*cancel*/) {
  const std::scoped_lock lock(state_->mutex);
  if (absl::Status works = Work(); !works.ok()) return works;
  if (!state_->objects.contains(from)) return NothingToCopy(from, "");
  state_->objects[to] = state_->objects[from];
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> MemoryBucket::Get(const std::string& key,
                                                             const CancelToken& /*cancel*/) {
  const std::scoped_lock lock(state_->mutex);
  if (absl::Status works = Work(); !works.ok()) return works;
  const auto object = state_->objects.find(key);
  if (object == state_->objects.end()) return std::nullopt;
  return object->second;
}

absl::StatusOr<bool> MemoryBucket::Exists(const std::string& key, const CancelToken& cancel) {
  const auto content = Get(key, cancel);
  if (!content.ok()) return content.status();
  return content->has_value();
}

absl::Status MemoryBucket::Delete(std::span<const std::string> keys,
                                  const CancelToken& /*cancel*/) {
  const std::scoped_lock lock(state_->mutex);
  if (absl::Status works = Work(); !works.ok()) return works;
  for (const std::string& key : keys) state_->objects.erase(key);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ListedObject>> MemoryBucket::List(const std::string& folder,
                                                             const CancelToken& /*cancel*/) {
  const std::scoped_lock lock(state_->mutex);
  if (absl::Status works = Work(); !works.ok()) return works;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  std::vector<ListedObject> objects;
  for (const auto& [key, content] : state_->objects) {
    if (!folder.empty() && !key.starts_with(folder + "/")) continue;
    const auto modified = state_->modified.find(key);
    objects.push_back({key, modified == state_->modified.end() ? now : modified->second});
  }
  return objects;
}

absl::StatusOr<std::vector<std::string>> MemoryBucket::Urls(std::span<const std::string> keys,
                                                            const CancelToken& /*cancel*/) {
  return std::vector<std::string>(keys.begin(), keys.end());
}

std::string MemoryBucket::Locate(std::string_view key) const {
  return "memory://" + std::string(key);
}

}  // namespace glint
