// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status_macros.h"
#include "glint/cancel.h"
#include "glint/error.h"

namespace glint {

/// An object that a listing names.
struct ListedObject {
  std::string key;
  std::chrono::sys_seconds modified;  ///< by the server's clock
};

/// An upload in parts that was begun and never ended: its parts take space, and no listing of
/// objects names them.
struct UnfinishedUpload {
  std::string key;
  std::string id;                  ///< the server's
  std::chrono::sys_seconds begun;  ///< by the server's clock
};

/// What an object store's server can do with one bucket; the one thing in which S3 and Supabase
/// differ. Calls repeat what may pass and can be repeated. Safe to use from several threads.
/// Errors of every call: STORE_UNAVAILABLE for what may pass; STORE_DENIED for the credentials or
/// the bucket; DISK_FULL; OUTPUT_UNWRITABLE for what will be refused again; CANCELLED,
/// DEADLINE_EXCEEDED soon after `cancel`
class Bucket {
 public:
  virtual ~Bucket() = default;

  /// OK when the server can keep objects under this key. Errors: INVALID_OPTION
  virtual absl::Status CheckKey(std::string_view key) const = 0;
  /// Writes or replaces an object.
  virtual absl::Status Put(const std::string& key, std::span<const std::byte> content,
                           std::string_view content_type, const CancelToken& cancel) = 0;
  /// Copies an object within the bucket, type and all; replaces what lies at `to`. Errors: also
  /// STORE_UNAVAILABLE where nothing lies at `from`: somebody else has deleted what was uploaded
  virtual absl::Status Copy(const std::string& from, const std::string& to,
                            const CancelToken& cancel) = 0;
  /// The content; nothing when there is no such object.
  virtual absl::StatusOr<std::optional<std::string>> Get(const std::string& key,
                                                         const CancelToken& cancel) = 0;
  virtual absl::StatusOr<bool> Exists(const std::string& key, const CancelToken& cancel) = 0;
  /// Deletes objects; those that do not exist do not matter.
  virtual absl::Status Delete(std::span<const std::string> keys, const CancelToken& cancel) = 0;
  /// The objects whose keys begin with `folder` and a slash, in folders of it, too.
  /// @param folder  empty: the whole bucket
  virtual absl::StatusOr<std::vector<ListedObject>> List(const std::string& folder,
                                                         const CancelToken& cancel) = 0;
  /// The unfinished uploads of objects whose keys begin with `folder` and a slash; none where the
  /// server lists none. @param folder  empty: the whole bucket
  virtual absl::StatusOr<std::vector<UnfinishedUpload>> ListUploads(const std::string& folder,
                                                                    const CancelToken& cancel) {
    static_cast<void>(folder);
    GLINT_RETURN_IF_ERROR(cancel.Check());
    return std::vector<UnfinishedUpload>();
  }
  /// Deletes an unfinished upload's parts; one that has ended does not matter.
  virtual absl::Status EndUpload(const UnfinishedUpload& upload, const CancelToken& cancel) {
    static_cast<void>(upload);
    return cancel.Check();
  }
  /// What clients get the objects by, one per key, in their order; empty texts by URL mode "none".
  virtual absl::StatusOr<std::vector<std::string>> Urls(std::span<const std::string> keys,
                                                        const CancelToken& cancel) = 0;
  /// Whether clients get the object of this key by what Urls gives; nothing is asked where it gives
  /// none, or those of another server. Errors: also STORE_DENIED for a bucket that is not public
  virtual absl::Status ProveUrl(const std::string& key, const CancelToken& cancel) {
    static_cast<void>(key);
    return cancel.Check();
  }
  /// For people: "s3://bucket/key".
  virtual std::string Locate(std::string_view key) const = 0;
  /// As ObjectStore::Host().
  virtual std::string Host() const { return ""; }
};

/// What Copy fails with where nothing lies at `from`.
inline absl::Status NothingToCopy(std::string_view from, std::string_view answer) {
  return Error(Reason::kStoreUnavailable,
               fmt::format("'{}' was uploaded and is not there any more; it is uploaded again; let "
                           "nothing delete what is younger than an hour there{}{}",
                           from, answer.empty() ? "" : ": ", answer));
}

}  // namespace glint
