// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/mutex.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "glint/object_store.h"
#include "store/durable_file.h"
#include "store/folder_swap.h"
#include "store/object_name.h"
#include "store/staging_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

/// How often something is tried again that failed because the end of another set, in this process
/// or in another, removed an empty folder between two looks at it.
constexpr int kMaxTries = 16;

/// The folders that sets lie in. Those that were made for sets that did not come to be are removed.
class ParentFolders {
 public:
  /// A staging folder in `parent`, which is made when it is missing.
  absl::StatusOr<StagingFolder> MakeStaging(const fs::path& parent) {
    const MutexLock lock(mutex_);
    for (int tries = 1;; ++tries) {
      std::error_code error;
      fs::path missing = parent;
      while (!fs::exists(missing, error) && missing.has_relative_path()) {
        made_.insert(missing);
        missing = missing.parent_path();
      }
      fs::create_directories(parent, error);
      auto staging = error ? OutputError("cannot make the folder", parent, error.value())
                           : StagingFolder::Make(parent);
      if (staging.ok()) return staging;
      // "exists": another made it between two looks, and removed it before the third.
      const bool may_have_gone = !error || error == std::errc::no_such_file_or_directory ||
                                 error == std::errc::file_exists;
      if (may_have_gone && tries < kMaxTries) continue;
      RemoveEmpty();
      return staging;
    }
  }

  /// Deletes a staging folder, and the folders made here that are empty after that.
  void Drop(std::optional<StagingFolder>& staging) {
    const MutexLock lock(mutex_);
    staging.reset();
    RemoveEmpty();
  }

 private:
  void RemoveEmpty() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) {  // children before parents
      rmdir(made->c_str());  // refuses folders that hold something
    }
  }

  Mutex mutex_;
  std::set<fs::path> made_ ABSL_GUARDED_BY(mutex_);
};

/// Waits until the entries of all folders below `root` are on the disk.
absl::Status SyncTree(const fs::path& root) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored)) continue;
    GLINT_RETURN_IF_ERROR(SyncFolder(entry->path()));
  }
  return error ? OutputError("cannot list", root, error.value()) : absl::OkStatus();
}

class FolderPublication final : public Publication {
 public:
  FolderPublication(fs::path place, SwapMode mode, StagingFolder staging,
                    std::shared_ptr<ParentFolders> parents)
      : place_(std::move(place)),
        mode_(mode),
        parents_(std::move(parents)),
        staging_(std::move(staging)) {}
  ~FolderPublication() override { parents_->Drop(staging_); }

  absl::Status Put(std::string_view name, std::span<const std::byte> content,
                   std::string_view /*content_type*/) override {
    GLINT_RETURN_IF_ERROR(CheckObjectName(name));
    if (committed_) return Error(Reason::kInternal, "an object was added after the commit");
    const fs::path file = staging_->path() / name;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) return OutputError("cannot make the folder", file.parent_path(), error.value());
    if (name == kCompletionMark) has_mark_ = true;
    return WriteDurably(file, content);
  }

  absl::Status Commit() override {
    if (committed_ || !has_mark_) {
      return Error(Reason::kInternal,
                   fmt::format("a set is committed once, and with a {}", kCompletionMark));
    }
    GLINT_RETURN_IF_ERROR(SyncTree(staging_->path()));
    GLINT_RETURN_IF_ERROR(CheckReplaceable(place_, staging_->path()));
    GLINT_RETURN_IF_ERROR(MoveIntoPlace(staging_->path(), place_, mode_));
    committed_ = true;
    StagingFolder::RemoveLeftovers(place_);  // of an interrupted swap, which this set replaced
    return absl::OkStatus();
  }

 private:
  const fs::path place_;
  const SwapMode mode_;
  const std::shared_ptr<ParentFolders> parents_;
  std::optional<StagingFolder> staging_;
  std::atomic<bool> has_mark_ = false;
  std::atomic<bool> committed_ = false;
};

class FolderStore final : public ObjectStore {
 public:
  explicit FolderStore(fs::path root) : root_(std::move(root)) {}

  absl::StatusOr<std::unique_ptr<Publication>> Begin(std::string_view prefix,
                                                     const CancelToken& /*cancel*/) override {
    GLINT_ASSIGN_OR_RETURN(const auto place, Place(prefix));
    StagingFolder::RemoveLeftovers(place.parent_path());
    auto free = CheckReplaceable(place, {});
    if (!free.ok()) {  // a leftover can be all that there is
      StagingFolder::RemoveLeftovers(place);
      free = CheckReplaceable(place, {});
    }
    if (!free.ok()) return free;
    const SwapMode mode = SwapModeFor(place);
    GLINT_ASSIGN_OR_RETURN(
        auto staging,
        parents_->MakeStaging(mode == SwapMode::kWhole ? place.parent_path() : place));
    return std::make_unique<FolderPublication>(place, mode, std::move(staging), parents_);
  }

  absl::StatusOr<bool> Complete(std::string_view prefix, const CancelToken& /*cancel*/) override {
    GLINT_ASSIGN_OR_RETURN(const auto place, Place(prefix));
    std::error_code error;
    const fs::file_status mark = fs::status(place / kCompletionMark, error);
    if (mark.type() == fs::file_type::none) {
      return OutputError("cannot look into", place, error.value());
    }
    return mark.type() == fs::file_type::regular;
  }

  absl::StatusOr<std::string> Get(std::string_view prefix, std::string_view name,
                                  const CancelToken& cancel) override {
    GLINT_RETURN_IF_ERROR(CheckObjectName(name));
    GLINT_ASSIGN_OR_RETURN(const auto complete, Complete(prefix, cancel));
    GLINT_ASSIGN_OR_RETURN(const auto place, Place(prefix));
    const fs::path file = place / name;
    std::error_code error;
    if (!complete || !fs::is_regular_file(file, error)) {
      return Error(Reason::kInputNotFound,
                   fmt::format("there is no '{}' in the result '{}'", name, place.string()));
    }
    std::ifstream stream(file, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) return OutputError("cannot read", file, EIO);
    return content;
  }

  absl::StatusOr<std::vector<ObjectLink>> Links(std::string_view prefix,
                                                std::span<const std::string> names,
                                                const CancelToken& /*cancel*/) override {
    std::vector<ObjectLink> links;
    for (const std::string& name : names) {
      GLINT_RETURN_IF_ERROR(CheckObjectName(name));
      links.push_back({.key = (fs::path(prefix) / name).generic_string(), .url = ""});
    }
    return links;
  }

  std::string Locate(std::string_view prefix, std::string_view name) const override {
    return (root_ / prefix / name).lexically_normal().string();
  }

 private:
  /// The absolute folder of a set; a link to a folder stands for that folder.
  absl::StatusOr<fs::path> Place(std::string_view prefix) const {
    if (!prefix.empty()) {
      GLINT_RETURN_IF_ERROR(CheckObjectName(prefix));
    }
    std::error_code error = std::make_error_code(std::errc::no_such_file_or_directory);
    fs::path place;
    for (int tries = 0; tries < kMaxTries && error == std::errc::no_such_file_or_directory;
         ++tries) {
      place = fs::weakly_canonical(fs::absolute(root_ / prefix, error), error);
    }
    if (error) return OutputError("cannot use", root_ / prefix, error.value());
    if (!place.has_filename()) place = place.parent_path();  // "out/" is "out"
    if (!place.has_relative_path()) {
      return Error(Reason::kOutputUnwritable,
                   "the root of the file system cannot hold a result; choose an output folder");
    }
    return place;
  }

  const fs::path root_;
  const std::shared_ptr<ParentFolders> parents_ = std::make_shared<ParentFolders>();
};

}  // namespace

absl::Status ObjectStore::Prove(const CancelToken& cancel) {
  constexpr std::string_view kText = "{}";
  GLINT_ASSIGN_OR_RETURN(const auto set, Begin("glint-doctor", cancel));
  return set->Put("probe.json", std::as_bytes(std::span(kText)), "application/json");
}

std::unique_ptr<ObjectStore> MakeFolderStore(fs::path root) {
  return std::make_unique<FolderStore>(std::move(root));
}

}  // namespace glint
