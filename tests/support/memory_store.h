// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "glint/object_store.h"
#include "store/forwarding_store.h"

namespace glint {

/// An ObjectStore in memory, with the same contract as the real ones
/// (tests/store/contract_test.cc).
class MemoryStore final : public ObjectStore {
 public:
  using Set = std::map<std::string, std::string>;  // content by name

  absl::StatusOr<std::unique_ptr<Publication>> Begin(std::string_view prefix,
                                                     const CancelToken& /*cancel*/) override;
  absl::StatusOr<bool> Complete(std::string_view prefix, const CancelToken& /*cancel*/) override;
  absl::StatusOr<std::string> Get(std::string_view prefix, std::string_view name,
                                  const CancelToken& /*cancel*/) override;
  absl::StatusOr<std::vector<ObjectLink>> Links(std::string_view prefix,
                                                std::span<const std::string> names,
                                                const CancelToken& /*cancel*/) override;
  std::string Locate(std::string_view prefix, std::string_view name) const override;

  /// The committed sets by prefix.
  std::map<std::string, Set> sets() const;

 private:
  class MemoryPublication;

  mutable std::mutex mutex_;
  std::map<std::string, Set> sets_;
};

/// Passes everything on to another store, except for what a test wants to fail.
class FaultyStore final : public ForwardingStore {
 public:
  /// What fails; OK passes the call on.
  struct Faults {
    absl::Status begin = {};
    absl::Status put = {};
    std::string put_name = {};  ///< only Puts of this name fail; empty: all
    absl::Status commit = {};
    /// Called by Complete, which fails with what it returns unless that is OK.
    std::function<absl::Status(const CancelToken&)> complete = {};
  };

  /// @param store  must outlive this
  FaultyStore(ObjectStore& store, Faults faults)
      : ForwardingStore(store), faults_(std::move(faults)) {}

  absl::StatusOr<std::unique_ptr<Publication>> Resume(std::string_view prefix,
                                                      const PublicationAttempt& attempt,
                                                      const CancelToken& cancel) override;
  absl::StatusOr<bool> Complete(std::string_view prefix, const CancelToken& cancel) override {
    const absl::Status fault = faults_.complete ? faults_.complete(cancel) : absl::OkStatus();
    return fault.ok() ? ForwardingStore::Complete(prefix, cancel) : fault;
  }

 private:
  class FaultyPublication;

  const Faults faults_;
};

}  // namespace glint
