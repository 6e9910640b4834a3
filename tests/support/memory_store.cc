// SPDX-License-Identifier: Apache-2.0
#include "support/memory_store.h"

#include "glint/error.h"
#include "store/object_name.h"

namespace glint {

class MemoryStore::MemoryPublication final : public Publication {
 public:
  MemoryPublication(MemoryStore& store, std::string_view prefix) : store_(store), prefix_(prefix) {}

  absl::Status Put(std::string_view name, std::span<const std::byte> content,
                   std::string_view /*content_type*/) override {
    if (auto named = CheckObjectName(name); !named.ok()) return named;
    const std::scoped_lock lock(mutex_);
    if (committed_) return Error(Reason::kInternal, "an object was added after the commit");
    set_[std::string(name)].assign(reinterpret_cast<const char*>(content.data()), content.size());
    return absl::OkStatus();
  }

  absl::Status Commit() override {
    const std::scoped_lock lock(mutex_, store_.mutex_);
    if (committed_ || !set_.contains("report.json")) {
      return Error(Reason::kInternal, "a set is committed once, and with a report.json");
    }
    committed_ = true;
    store_.sets_[prefix_] = set_;
    return absl::OkStatus();
  }

 private:
  MemoryStore& store_;
  const std::string prefix_;
  std::mutex mutex_;
  Set set_;
  bool committed_ = false;
};

absl::StatusOr<std::unique_ptr<Publication>> MemoryStore::Begin(std::string_view prefix,
                                                                const CancelToken& /*cancel*/) {
  if (!prefix.empty()) {
    if (auto named = CheckObjectName(prefix); !named.ok()) return named;
  }
  return std::make_unique<MemoryPublication>(*this, prefix);
}

absl::StatusOr<bool> MemoryStore::Complete(std::string_view prefix, const CancelToken& /*cancel*/) {
  if (!prefix.empty()) {
    if (auto named = CheckObjectName(prefix); !named.ok()) return named;
  }
  const std::scoped_lock lock(mutex_);
  return sets_.contains(std::string(prefix));
}

absl::StatusOr<std::string> MemoryStore::Get(std::string_view prefix, std::string_view name,
                                             const CancelToken& /*cancel*/) {
  if (auto named = CheckObjectName(name); !named.ok()) return named;
  const std::scoped_lock lock(mutex_);
  const auto set = sets_.find(std::string(prefix));
  if (set == sets_.end() || !set->second.contains(std::string(name))) {
    return Error(Reason::kInputNotFound, "there is no such object");
  }
  return set->second.at(std::string(name));
}

absl::StatusOr<std::vector<ObjectLink>> MemoryStore::Links(std::string_view prefix,
                                                           std::span<const std::string> names,
                                                           const CancelToken& /*cancel*/) {
  std::vector<ObjectLink> links;
  for (const std::string& name : names) {
    if (auto named = CheckObjectName(name); !named.ok()) return named;
    links.push_back({.key = std::string(prefix) + (prefix.empty() ? "" : "/") + name,
                     .url = Locate(prefix, name)});
  }
  return links;
}

std::string MemoryStore::Locate(std::string_view prefix, std::string_view name) const {
  return "memory:" + std::string(prefix) + "/" + std::string(name);
}

std::map<std::string, MemoryStore::Set> MemoryStore::sets() const {
  const std::scoped_lock lock(mutex_);
  return sets_;
}

class FaultyStore::FaultyPublication final : public Publication {
 public:
  FaultyPublication(std::unique_ptr<Publication> publication, const Faults& faults)
      : publication_(std::move(publication)), faults_(faults) {}

  absl::Status Put(std::string_view name, std::span<const std::byte> content,
                   std::string_view content_type) override {
    const bool meant = faults_.put_name.empty() || faults_.put_name == name;
    if (meant && !faults_.put.ok()) return faults_.put;
    return publication_->Put(name, content, content_type);
  }
  absl::Status Commit() override {
    return faults_.commit.ok() ? publication_->Commit() : faults_.commit;
  }

 private:
  const std::unique_ptr<Publication> publication_;
  const Faults faults_;
};

absl::StatusOr<std::unique_ptr<Publication>> FaultyStore::Resume(std::string_view prefix,
                                                                 const PublicationAttempt& attempt,
                                                                 const CancelToken& cancel) {
  if (!faults_.begin.ok()) return faults_.begin;
  auto publication = ForwardingStore::Resume(prefix, attempt, cancel);
  if (!publication.ok()) return publication.status();
  return std::make_unique<FaultyPublication>(*std::move(publication), faults_);
}

}  // namespace glint
