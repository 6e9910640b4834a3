// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "glint/object_store.h"

namespace glint {

/// Passes everything on to another store; the base of stores that do one thing in another way.
/// Begin is Resume without a name, so that overriding Resume is enough.
class ForwardingStore : public ObjectStore {
 public:
  /// @param store  must outlive this
  explicit ForwardingStore(ObjectStore& store) : store_(store) {}

  absl::StatusOr<std::unique_ptr<Publication>> Begin(std::string_view prefix,
                                                     const CancelToken& cancel) final {
    return Resume(prefix, {}, cancel);
  }
  absl::StatusOr<std::unique_ptr<Publication>> Resume(std::string_view prefix,
                                                      const PublicationAttempt& attempt,
                                                      const CancelToken& cancel) override {
    return store_.Resume(prefix, attempt, cancel);
  }
  bool Takes(std::string_view content_type) const override { return store_.Takes(content_type); }
  absl::Status Prove(const CancelToken& cancel) override { return store_.Prove(cancel); }
  absl::StatusOr<std::int64_t> Sweep(const SweepOptions& options,
                                     const CancelToken& cancel) override {
    return store_.Sweep(options, cancel);
  }
  absl::StatusOr<bool> Complete(std::string_view prefix, const CancelToken& cancel) override {
    return store_.Complete(prefix, cancel);
  }
  absl::StatusOr<std::string> Get(std::string_view prefix, std::string_view name,
                                  const CancelToken& cancel) override {
    return store_.Get(prefix, name, cancel);
  }
  absl::StatusOr<std::vector<ObjectLink>> Links(std::string_view prefix,
                                                std::span<const std::string> names,
                                                const CancelToken& cancel) override {
    return store_.Links(prefix, names, cancel);
  }
  std::string Key(std::string_view prefix, std::string_view name) const override {
    return store_.Key(prefix, name);
  }
  std::string Locate(std::string_view prefix, std::string_view name) const override {
    return store_.Locate(prefix, name);
  }
  std::string Host() const override { return store_.Host(); }

 private:
  ObjectStore& store_;
};

}  // namespace glint
