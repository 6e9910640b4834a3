// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "glint/object_store.h"
#include "store/bucket.h"
#include "store/key_template.h"
#include "store/publish_claim.h"

namespace glint {

/// Where a set lies in a bucket.
struct SetPlace {
  KeyTemplate keys;
  std::string prefix;
  std::string staging = {};  ///< where attempts keep what they upload until the commit
  std::string Key(std::string_view name) const { return keys.Key(prefix, name); }
};

/// The folder, at a store's root, of what attempts have uploaded and not published. One folder for
/// all sets: a lifecycle rule can name it, and leftovers are found without listing the bucket.
inline constexpr std::string_view kStagingFolder = ".glint-partial";

/// Lists the names of a set's objects, so that a later set can remove those that it has not; an
/// object of the set itself. (Listing the bucket would also find what others keep there.)
inline constexpr std::string_view kObjectList = "objects.json";

/// The names that the list of the set at `place` has; none without a list.
absl::StatusOr<std::set<std::string>> NamesOf(Bucket& bucket, const SetPlace& place,
                                              const CancelToken& cancel);

/// One attempt to publish a set.
class BucketPublication final : public Publication {
 public:
  /// @param bucket   must outlive this
  /// @param attempt  its name is that of what is uploaded until the commit; what an earlier
  ///     publication of that name left is replaced
  /// @param earlier  names of the set that lies there
  BucketPublication(Bucket& bucket, SetPlace place, const PublicationAttempt& attempt,
                    std::set<std::string> earlier, CancelToken cancel);
  ~BucketPublication() override;

  absl::Status Put(std::string_view name, std::span<const std::byte> content,
                   std::string_view content_type) override;
  absl::Status Commit() override;

 private:
  /// Where this attempt keeps an object until the commit.
  std::string StagingKey(std::string_view name) const;
  absl::Status Publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  /// Whether no other attempt publishes at the same place.
  absl::Status Confirm();
  absl::Status PutList(const std::set<std::string>& names) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status MoveIntoPlace() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<std::string> StagedKeys() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RemoveStaging();

  Bucket& bucket_;
  const SetPlace place_;
  const CancelToken cancel_;
  const std::string attempt_;
  const std::function<absl::Status()> confirm_;
  const bool resumed_;                 // what is uploaded serves the next publication of that name
  std::optional<PublishClaim> claim_;  // of an attempt that no lease keeps apart from others
  Mutex mutex_;
  std::set<std::string> earlier_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> staged_ ABSL_GUARDED_BY(mutex_);
  std::string report_ ABSL_GUARDED_BY(mutex_);  // the completion mark: it is put last
  std::string report_type_ ABSL_GUARDED_BY(mutex_);
  bool has_report_ ABSL_GUARDED_BY(mutex_) = false;
  bool committed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace glint
