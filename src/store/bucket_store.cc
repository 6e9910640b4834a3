// SPDX-License-Identifier: Apache-2.0
#include "store/bucket_store.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "glint/error.h"
#include "store/bucket_publication.h"
#include "store/folder_swap.h"
#include "store/object_name.h"

namespace glint {
namespace {

class BucketStore final : public ObjectStore {
 public:
  BucketStore(std::unique_ptr<Bucket> bucket, std::string root, KeyTemplate keys)
      : bucket_(std::move(bucket)), root_(std::move(root)), keys_(std::move(keys)) {}

  absl::StatusOr<std::unique_ptr<Publication>> Begin(std::string_view prefix,
                                                     const CancelToken& cancel) override {
    const auto place = Place(prefix);
    if (!place.ok()) return place.status();
    // Asks the server at once, so that wrong credentials are found before minutes of work.
    auto earlier = NamesOf(*bucket_, *place, cancel);
    if (!earlier.ok()) return earlier.status();
    return std::make_unique<BucketPublication>(*bucket_, *place, *std::move(earlier), cancel);
  }

  absl::StatusOr<bool> Complete(std::string_view prefix, const CancelToken& cancel) override {
    const auto place = Place(prefix);
    if (!place.ok()) return place.status();
    return bucket_->Exists(place->Key(kCompletionMark), cancel);
  }

  absl::StatusOr<std::string> Get(std::string_view prefix, std::string_view name,
                                  const CancelToken& cancel) override {
    if (auto named = CheckObjectName(name); !named.ok()) return named;
    const auto place = Place(prefix);
    if (!place.ok()) return place.status();
    auto content = bucket_->Get(place->Key(kCompletionMark), cancel);
    if (content.ok() && content->has_value() && name != kCompletionMark) {
      content = bucket_->Get(place->Key(name), cancel);
    }
    if (!content.ok()) return content.status();
    if (content->has_value()) return **std::move(content);
    return Error(Reason::kInputNotFound, fmt::format("there is no '{}' in a complete result at {}",
                                                     name, Locate(prefix, "")));
  }

  absl::StatusOr<std::vector<ObjectLink>> Links(std::string_view prefix,
                                                std::span<const std::string> names,
                                                const CancelToken& cancel) override {
    const auto place = Place(prefix);
    if (!place.ok()) return place.status();
    std::vector<std::string> keys;
    for (const std::string& name : names) {
      if (auto named = CheckObjectName(name); !named.ok()) return named;
      keys.push_back(place->Key(name));
    }
    const auto urls = bucket_->Urls(keys, cancel);
    if (!urls.ok()) return urls.status();
    std::vector<ObjectLink> links;
    for (std::size_t i = 0; i < keys.size(); ++i) links.push_back({keys[i], urls->at(i)});
    return links;
  }

  std::string Locate(std::string_view prefix, std::string_view name) const override {
    return bucket_->Locate(SetPlace{keys_, WithRoot(prefix)}.Key(name));
  }

 private:
  std::string WithRoot(std::string_view prefix) const {
    const bool both = !root_.empty() && !prefix.empty();
    return fmt::format("{}{}{}", root_, both ? "/" : "", prefix);
  }

  absl::StatusOr<SetPlace> Place(std::string_view prefix) const {
    if (!prefix.empty()) {
      if (auto named = CheckObjectName(prefix); !named.ok()) return named;
    }
    SetPlace place{keys_, WithRoot(prefix)};
    if (auto fits = bucket_->CheckKey(place.Key(kCompletionMark)); !fits.ok()) return fits;
    return place;
  }

  const std::unique_ptr<Bucket> bucket_;
  const std::string root_;
  const KeyTemplate keys_;
};

}  // namespace

std::unique_ptr<ObjectStore> MakeBucketStore(std::unique_ptr<Bucket> bucket, std::string root,
                                             KeyTemplate keys) {
  return std::make_unique<BucketStore>(std::move(bucket), std::move(root), std::move(keys));
}

}  // namespace glint
