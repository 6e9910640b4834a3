// SPDX-License-Identifier: Apache-2.0
#include "store/bucket_publication.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <utility>

#include "base/at_once.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "store/folder_swap.h"
#include "store/object_name.h"

namespace glint {
namespace {

std::string RandomName() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

absl::StatusOr<std::set<std::string>> NamesOf(Bucket& bucket, const SetPlace& place,
                                              const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(const auto list, bucket.Get(place.Key(kObjectList), cancel));
  std::set<std::string> names;
  const auto json = nlohmann::json::parse(list.value_or("[]"), nullptr, false);
  if (!json.is_array()) return names;  // not ours, or damaged: nothing is removed by its word
  for (const auto& name : json) {
    // Only names that a set may have: the list lies where others may write.
    if (name.is_string() && CheckObjectName(name.get<std::string>()).ok()) {
      names.insert(name.get<std::string>());
    }
  }
  return names;
}

BucketPublication::BucketPublication(Bucket& bucket, SetPlace place,
                                     const PublicationAttempt& attempt,
                                     std::set<std::string> earlier, CancelToken cancel)
    : bucket_(bucket),
      place_(std::move(place)),
      cancel_(std::move(cancel)),
      attempt_(attempt.name.empty() ? RandomName() : attempt.name),
      confirm_(attempt.confirm),
      resumed_(!attempt.name.empty()),
      earlier_(std::move(earlier)) {
  if (!confirm_) claim_.emplace(bucket_, place_.staging + "/.claims", attempt_);
}

BucketPublication::~BucketPublication() { RemoveStaging(); }

std::string BucketPublication::StagingKey(std::string_view name) const {
  return fmt::format("{}/{}/{}", place_.staging, attempt_, name);
}

absl::Status BucketPublication::Put(std::string_view name, std::span<const std::byte> content,
                                    std::string_view content_type) {
  GLINT_RETURN_IF_ERROR(CheckObjectName(name));
  if (name == kObjectList) {
    return Error(Reason::kInvalidOption, fmt::format("'{}' is the store's own", name));
  }
  {
    const MutexLock lock(mutex_);
    if (committed_) return Error(Reason::kInternal, "an object was added after the commit");
    if (name == kCompletionMark) {
      report_.assign(reinterpret_cast<const char*>(content.data()), content.size());
      report_type_ = content_type;
      has_report_ = true;
      return absl::OkStatus();
    }
    staged_.insert(std::string(name));  // before it is there, so that it is removed in any case
  }
  GLINT_RETURN_IF_ERROR(bucket_.CheckKey(place_.Key(name)));
  return bucket_.Put(StagingKey(name), content, content_type, cancel_);
}

absl::Status BucketPublication::Commit() {
  const MutexLock lock(mutex_);
  if (committed_ || !has_report_) {
    return Error(Reason::kInternal,
                 fmt::format("a set is committed once, and with a {}", kCompletionMark));
  }
  GLINT_RETURN_IF_ERROR(Publish());
  committed_ = true;
  if (claim_) static_cast<void>(claim_->Release(cancel_));  // the destructor tries again
  return absl::OkStatus();
}

absl::Status BucketPublication::Confirm() {
  if (claim_) return claim_->Confirm(cancel_);
  return confirm_ ? confirm_() : absl::OkStatus();
}

absl::Status BucketPublication::PutList(const std::set<std::string>& names) {
  const nlohmann::json list(names);
  return bucket_.Put(place_.Key(kObjectList), Bytes(list.dump()), "application/json", cancel_);
}

absl::Status BucketPublication::Publish() {
  if (claim_) {
    GLINT_RETURN_IF_ERROR(claim_->Acquire(cancel_));
    // Somebody else may have published since this attempt began.
    GLINT_ASSIGN_OR_RETURN(earlier_, NamesOf(bucket_, place_, cancel_));
  }
  std::set<std::string> mine = staged_;
  mine.insert({std::string(kCompletionMark), std::string(kObjectList)});
  std::set<std::string> both = earlier_;
  both.insert(mine.begin(), mine.end());
  // The list first names both sets: if this ends half-way, the next attempt knows what to remove.
  GLINT_RETURN_IF_ERROR(PutList(both));
  // Whoever was stopped for long may have a successor, whose mark this would be.
  GLINT_RETURN_IF_ERROR(Confirm());
  // From here to the end no set is complete there: the mark vouches for nothing that is half new.
  const std::string mark = place_.Key(kCompletionMark);
  GLINT_RETURN_IF_ERROR(bucket_.Delete(std::vector{mark}, cancel_));
  GLINT_RETURN_IF_ERROR(MoveIntoPlace());
  if (both != mine) {
    GLINT_RETURN_IF_ERROR(PutList(mine));
  }
  GLINT_RETURN_IF_ERROR(Confirm());
  // What was uploaded is of no more use: it goes in the same round trip. If it does not, the
  // destructor tries again.
  const std::vector<std::string> staged = StagedKeys();
  const std::string type = report_type_;
  absl::Status removed;
  const auto last = [&, report = Bytes(report_)](std::size_t i) {
    if (i == 0) return bucket_.Put(mark, report, type, cancel_);
    removed = bucket_.Delete(staged, cancel_);
    return absl::OkStatus();
  };
  absl::Status marked = ForEachAtOnce(2, 2, last);
  if (removed.ok() && marked.ok()) staged_.clear();
  return marked;
}

/// Copies what was uploaded, and deletes what the earlier set had besides; all at once, since the
/// time that it takes is time without a complete set.
absl::Status BucketPublication::MoveIntoPlace() {
  const std::vector<std::string> names(staged_.begin(), staged_.end());
  std::vector<std::string> outdated;
  for (const std::string& name : earlier_) {
    const bool stays = staged_.contains(name) || name == kObjectList || name == kCompletionMark;
    if (!stays) outdated.push_back(place_.Key(name));
  }
  constexpr std::size_t kAtATime = 16;
  return ForEachAtOnce(names.size() + 1, kAtATime, [&](std::size_t i) -> absl::Status {
    if (claim_) {
      GLINT_RETURN_IF_ERROR(claim_->Confirm(cancel_));
    }
    if (i > 0) return bucket_.Copy(StagingKey(names[i - 1]), place_.Key(names[i - 1]), cancel_);
    return outdated.empty() ? absl::OkStatus() : bucket_.Delete(outdated, cancel_);
  });
}

std::vector<std::string> BucketPublication::StagedKeys() const {
  std::vector<std::string> keys;
  for (const std::string& name : staged_) keys.push_back(StagingKey(name));
  return keys;
}

void BucketPublication::RemoveStaging() {
  const MutexLock lock(mutex_);
  const std::vector<std::string> keys = StagedKeys();
  // Best effort, not for long where somebody waits for the end, or the store is likely to be away:
  // what is left there is in nobody's way, and a sweep removes it.
  const bool hurry = !cancel_.Check().ok() || (resumed_ && !committed_);
  const auto most = hurry ? std::chrono::seconds(3) : std::chrono::seconds(60);
  const CancelToken cancel({}, CancelToken::Clock::now() + most);
  if (!keys.empty()) static_cast<void>(bucket_.Delete(keys, cancel));
  if (claim_) static_cast<void>(claim_->Release(cancel));
}

}  // namespace glint
