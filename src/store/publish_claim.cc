// SPDX-License-Identifier: Apache-2.0
#include "store/publish_claim.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLife(60);         // from its last renewal
constexpr seconds kRenewAfter(20);   // well within that, whatever a request takes
constexpr seconds kPatience(300);    // for those who publish before
constexpr milliseconds kPause(250);  // between two looks

}  // namespace

PublishClaim::PublishClaim(Bucket& bucket, std::string folder, const std::string& attempt,
                           SteadyClock& clock)
    : bucket_(bucket),
      folder_(std::move(folder)),
      key_(fmt::format("{}/{}", folder_, attempt)),
      clock_(clock) {}

absl::Status PublishClaim::Acquire(const CancelToken& cancel) {
  const MutexLock lock(mutex_);
  const auto end = clock_.Now() + kPatience;
  Seen seen;
  while (true) {
    if (!seen.others) {
      GLINT_RETURN_IF_ERROR(Write(cancel));
    }
    GLINT_ASSIGN_OR_RETURN(seen, Look(cancel));
    if (seen.mine && !seen.others) return absl::OkStatus();
    // Of those that wait, one stays in sight, or none would ever be alone.
    if (seen.others_first) {
      GLINT_RETURN_IF_ERROR(Remove(cancel));
    } else if (written_ && clock_.Now() - written_at_ > kRenewAfter) {
      GLINT_RETURN_IF_ERROR(Write(cancel));
    }
    if (clock_.Now() > end) {
      return Error(Reason::kStoreUnavailable,
                   fmt::format("other attempts have been publishing to the same place for {} s "
                               "({}); publish again when they are done",
                               kPatience.count(), bucket_.Locate(folder_)));
    }
    GLINT_RETURN_IF_ERROR(clock_.Wait(kPause, cancel));
  }
}

absl::Status PublishClaim::Confirm(const CancelToken& cancel) {
  const MutexLock lock(mutex_);
  const auto age = clock_.Now() - written_at_;
  if (age < kRenewAfter) return absl::OkStatus();
  if (age < kLife) return Write(cancel);
  return Error(Reason::kStoreUnavailable,
               fmt::format("publishing stood still for more than {} s, and another attempt may "
                           "have begun at the same place; publish again",
                           kLife.count()));
}

absl::Status PublishClaim::Release(const CancelToken& cancel) {
  const MutexLock lock(mutex_);
  return Remove(cancel);
}

absl::Status PublishClaim::Write(const CancelToken& cancel) {
  written_ = true;  // before it is there, so that it is removed in any case
  const auto now = clock_.Now();
  constexpr std::array kContent = {std::byte{'{'}, std::byte{'}'}};
  GLINT_RETURN_IF_ERROR(bucket_.Put(key_, std::span(kContent), "application/json", cancel));
  written_at_ = now;
  return absl::OkStatus();
}

absl::StatusOr<PublishClaim::Seen> PublishClaim::Look(const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(const std::vector<ListedObject> claims, bucket_.List(folder_, cancel));
  Seen seen;
  for (const ListedObject& claim : claims) {
    if (claim.key != key_) continue;
    seen.mine = written_;
    server_time_ = claim.modified;
  }
  const auto server_now = server_time_.value_or(std::chrono::sys_seconds::min()) +
                          std::chrono::floor<seconds>(clock_.Now() - written_at_);
  for (const ListedObject& claim : claims) {
    const bool lives = !server_time_ || server_now - claim.modified < kLife;
    if (claim.key == key_ || !lives) continue;
    seen.others = true;
    seen.others_first |= claim.key < key_;
  }
  return seen;
}

absl::Status PublishClaim::Remove(const CancelToken& cancel) {
  if (!written_) return absl::OkStatus();
  GLINT_RETURN_IF_ERROR(bucket_.Delete(std::vector{key_}, cancel));
  written_ = false;
  return absl::OkStatus();
}

}  // namespace glint
