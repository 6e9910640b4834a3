// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glint/cancel.h"

namespace glint {

/// One set of objects that appears whole or not at all. Dropping it without Commit leaves nothing.
/// Put may be called from several threads.
class Publication {
 public:
  virtual ~Publication() = default;
  /// Adds one object.
  /// @param name  relative, '/' between folders, e.g. "regions/spine_mask.png"; no "..", no leading
  /// '/' Errors: OUTPUT_UNWRITABLE, DISK_FULL, INVALID_OPTION for a name that breaks the rule
  virtual absl::Status Put(std::string_view name, std::span<const std::byte> content,
                           std::string_view content_type) = 0;
  /// Makes the set visible; "report.json" becomes visible last, so its presence says "complete".
  virtual absl::Status Commit() = 0;
};

/// Where one object of a set lies.
struct ObjectLink {
  std::string key;  ///< its key in the bucket, or its path under the store's folder
  std::string url;  ///< where a client gets it, by the store's URL mode; empty when it has none
};

/// An attempt at a publication that may have to be repeated.
struct PublicationAttempt {
  /// Letters, digits and '-'; nobody else may use it for this prefix. Empty: made up.
  std::string name;
  /// Asked before each step that changes what others see; a failure ends the publication there.
  /// Empty: nobody else publishes there.
  std::function<absl::Status()> confirm;
};

/// What a sweep deletes.
struct SweepOptions {
  /// What was written later stays: an attempt may be at work with it. 0: nothing stays.
  std::chrono::seconds older_than{24 * 3600};
  /// Also what earlier versions left beside each set; lists everything under the store's root.
  bool everywhere = false;
};

/// Where results go. Safe to use from several threads. What asks a server ends soon after `cancel`,
/// with CANCELLED or DEADLINE_EXCEEDED; the destructor of a publication tidies up for a few seconds
/// at most then.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  /// Starts a set under `prefix` (empty: the store's root).
  /// @param cancel  ends every call of the publication
  virtual absl::StatusOr<std::unique_ptr<Publication>> Begin(std::string_view prefix,
                                                             const CancelToken& cancel) = 0;
  /// As Begin, for an attempt that may have to be repeated under its name: what an earlier
  /// publication of that name has uploaded and not published is replaced, and removed at the end.
  virtual absl::StatusOr<std::unique_ptr<Publication>> Resume(std::string_view prefix,
                                                              const PublicationAttempt& attempt,
                                                              const CancelToken& cancel) {
    static_cast<void>(attempt);
    return Begin(prefix, cancel);
  }
  /// Whether scans should put objects of this type here; JSON always.
  virtual bool Takes(std::string_view content_type) const {
    static_cast<void>(content_type);
    return true;
  }
  /// Does with probes all that scans need to do here, and leaves nothing. Errors: the first thing
  /// that fails, with what to change
  virtual absl::Status Prove(const CancelToken& cancel);
  /// Deletes what attempts that ended half-way have left. @return objects (folders: 0) deleted
  virtual absl::StatusOr<std::int64_t> Sweep(const SweepOptions& options,
                                             const CancelToken& cancel) {
    static_cast<void>(options);
    return cancel.Check().ok() ? absl::StatusOr<std::int64_t>(0) : cancel.Check();
  }
  /// Whether a complete set lies under `prefix`.
  virtual absl::StatusOr<bool> Complete(std::string_view prefix, const CancelToken& cancel) = 0;
  /// The content of one object of a complete set. Errors: NOT_FOUND, OUTPUT_UNWRITABLE
  virtual absl::StatusOr<std::string> Get(std::string_view prefix, std::string_view name,
                                          const CancelToken& cancel) = 0;
  /// Where the objects of these names lie, in their order, whether they exist or not. The life of a
  /// signed URL begins with the call. Errors: INVALID_OPTION for a name that breaks the rule; those
  /// of a server that has to be asked for signatures
  virtual absl::StatusOr<std::vector<ObjectLink>> Links(std::string_view prefix,
                                                        std::span<const std::string> names,
                                                        const CancelToken& cancel) = 0;
  /// The key of an object, as Links has it. Asks no server.
  virtual std::string Key(std::string_view prefix, std::string_view name) const {
    std::string key(prefix);
    if (!prefix.empty()) key += '/';
    return key.append(name);
  }
  /// For people: where the object lies (a path or URL).
  virtual std::string Locate(std::string_view prefix, std::string_view name) const = 0;
  /// The host of the server that keeps the objects, which messages of failures may name and callers
  /// of a worker need not know; empty when there is none.
  virtual std::string Host() const { return ""; }
};

/// Folders: the set is written beside its place and renamed into it. An earlier set in the same
/// place is replaced as a whole.
std::unique_ptr<ObjectStore> MakeFolderStore(std::filesystem::path root);

}  // namespace glint
