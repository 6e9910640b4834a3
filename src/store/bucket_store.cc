// SPDX-License-Identifier: Apache-2.0
#include "store/bucket_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"
#include "store/bucket_publication.h"
#include "store/folder_swap.h"
#include "store/object_name.h"
#include "store/prove_access.h"

namespace glint {
namespace {

class BucketStore final : public ObjectStore {
 public:
  BucketStore(std::unique_ptr<Bucket> bucket, std::string root, KeyTemplate keys,
              std::vector<std::string> left_out)
      : bucket_(std::move(bucket)),
        root_(std::move(root)),
        keys_(std::move(keys)),
        left_out_(std::move(left_out)) {}

  bool Takes(std::string_view content_type) const override {
    return std::ranges::none_of(
        left_out_, [&](const std::string& type) { return content_type.starts_with(type); });
  }

  absl::StatusOr<std::unique_ptr<Publication>> Begin(std::string_view prefix,
                                                     const CancelToken& cancel) override {
    return Resume(prefix, {}, cancel);
  }

  absl::StatusOr<std::unique_ptr<Publication>> Resume(std::string_view prefix,
                                                      const PublicationAttempt& attempt,
                                                      const CancelToken& cancel) override {
    GLINT_ASSIGN_OR_RETURN(const auto place, Place(prefix));
    // Asks the server at once, so that wrong credentials are found before minutes of work.
    GLINT_ASSIGN_OR_RETURN(auto earlier, NamesOf(*bucket_, place, cancel));
    return std::make_unique<BucketPublication>(*bucket_, place, attempt, std::move(earlier),
                                               cancel);
  }

  absl::StatusOr<bool> Complete(std::string_view prefix, const CancelToken& cancel) override {
    GLINT_ASSIGN_OR_RETURN(const auto place, Place(prefix));
    return bucket_->Exists(place.Key(kCompletionMark), cancel);
  }

  absl::StatusOr<std::string> Get(std::string_view prefix, std::string_view name,
                                  const CancelToken& cancel) override {
    GLINT_RETURN_IF_ERROR(CheckObjectName(name));
    GLINT_ASSIGN_OR_RETURN(const auto place, Place(prefix));
    auto content = bucket_->Get(place.Key(kCompletionMark), cancel);
    if (content.ok() && content->has_value() && name != kCompletionMark) {
      content = bucket_->Get(place.Key(name), cancel);
    }
    if (!content.ok()) return content.status();
    if (content->has_value()) return **std::move(content);
    return Error(Reason::kInputNotFound, fmt::format("there is no '{}' in a complete result at {}",
                                                     name, Locate(prefix, "")));
  }

  absl::StatusOr<std::vector<ObjectLink>> Links(std::string_view prefix,
                                                std::span<const std::string> names,
                                                const CancelToken& cancel) override {
    GLINT_ASSIGN_OR_RETURN(const auto place, Place(prefix));
    std::vector<std::string> keys;
    for (const std::string& name : names) {
      GLINT_RETURN_IF_ERROR(CheckObjectName(name));
      keys.push_back(place.Key(name));
    }
    GLINT_ASSIGN_OR_RETURN(const auto urls, bucket_->Urls(keys, cancel));
    std::vector<ObjectLink> links;
    for (std::size_t i = 0; i < keys.size(); ++i) links.push_back({keys[i], urls.at(i)});
    return links;
  }

  absl::Status Prove(const CancelToken& cancel) override {
    GLINT_RETURN_IF_ERROR(Place("").status());
    std::random_device random;
    const std::string folder =
        WithRoot(fmt::format("{}/glint-probe-{:08x}{:08x}", kStagingFolder, random(), random()));
    return ProveAccess(
        *bucket_, folder, [this](std::string_view type) { return Takes(type); }, cancel);
  }

  absl::StatusOr<std::int64_t> Sweep(const SweepOptions& options,
                                     const CancelToken& cancel) override {
    const std::string folder = options.everywhere ? root_ : WithRoot(std::string(kStagingFolder));
    GLINT_ASSIGN_OR_RETURN(const auto objects, bucket_->List(folder, cancel));
    std::vector<std::string> keys;
    for (const ListedObject& object : objects) {
      if (IsLeftover(object.key, object.modified, options)) keys.push_back(object.key);
    }
    if (!keys.empty()) {
      GLINT_RETURN_IF_ERROR(bucket_->Delete(keys, cancel));
    }
    std::int64_t swept = std::ssize(keys);
    GLINT_ASSIGN_OR_RETURN(const auto uploads, bucket_->ListUploads(folder, cancel));
    for (const UnfinishedUpload& upload : uploads) {
      if (!IsLeftover(upload.key, upload.begun, options)) continue;
      GLINT_RETURN_IF_ERROR(bucket_->EndUpload(upload, cancel));
      ++swept;
    }
    return swept;
  }

  std::string Key(std::string_view prefix, std::string_view name) const override {
    return SetPlace{keys_, WithRoot(prefix)}.Key(name);
  }

  std::string Locate(std::string_view prefix, std::string_view name) const override {
    return bucket_->Locate(Key(prefix, name));
  }

  std::string Host() const override { return bucket_->Host(); }

 private:
  /// Whether an attempt uploaded what has this key, so long ago that nobody waits for it.
  bool IsLeftover(const std::string& key, std::chrono::sys_seconds time,
                  const SweepOptions& options) const {
    if (!key.starts_with(root_)) return false;
    // Earlier versions kept them beside each set, as ".glint-partial-<random>".
    const std::string_view below = std::string_view(key).substr(root_.size());
    const bool staged = below.starts_with(kStagingFolder) ||
                        below.find(fmt::format("/{}", kStagingFolder)) != std::string_view::npos;
    const auto latest = std::chrono::system_clock::now() - options.older_than;
    return staged && (options.older_than <= std::chrono::seconds(0) || time < latest);
  }

  std::string WithRoot(std::string_view prefix) const {
    const bool both = !root_.empty() && !prefix.empty();
    return fmt::format("{}{}{}", root_, both ? "/" : "", prefix);
  }

  absl::StatusOr<SetPlace> Place(std::string_view prefix) const {
    if (!prefix.empty()) {
      GLINT_RETURN_IF_ERROR(CheckObjectName(prefix));
    }
    SetPlace place{
        keys_, WithRoot(prefix),
        WithRoot(fmt::format("{}{}{}", kStagingFolder, prefix.empty() ? "" : "/", prefix))};
    GLINT_RETURN_IF_ERROR(bucket_->CheckKey(place.Key(kCompletionMark)));
    return place;
  }

  const std::unique_ptr<Bucket> bucket_;
  const std::string root_;
  const KeyTemplate keys_;
  const std::vector<std::string> left_out_;
};

}  // namespace

std::unique_ptr<ObjectStore> MakeBucketStore(std::unique_ptr<Bucket> bucket, std::string root,
                                             KeyTemplate keys, std::vector<std::string> left_out) {
  return std::make_unique<BucketStore>(std::move(bucket), std::move(root), std::move(keys),
                                       std::move(left_out));
}

}  // namespace glint
