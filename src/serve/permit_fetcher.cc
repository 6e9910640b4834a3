// SPDX-License-Identifier: Apache-2.0
#include "serve/permit_fetcher.h"

#include <chrono>
#include <cstdint>
#include <set>
#include <utility>

#include "base/mutex.h"
#include "base/status_macros.h"

namespace glint {
namespace {

/// A counting semaphore whose permits are given in the order in which they were asked for.
class Permits {
 public:
  explicit Permits(int count) : count_(count), free_(count) {}
  int count() const { return count_; }

  /// @param permits  at once. Errors: those of `cancel`
  absl::Status Acquire(int permits, const CancelToken& cancel) {
    constexpr std::chrono::milliseconds kBetweenLooks{50};
    const MutexLock lock(mutex_);
    const std::int64_t ticket = next_++;
    waiting_.insert(ticket);
    const auto is_turn = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return free_ >= permits && *waiting_.begin() == ticket;
    };
    absl::Status status;
    while (!changed_.WaitFor(mutex_, kBetweenLooks, is_turn) && status.ok()) {
      status = cancel.Check();
    }
    waiting_.erase(ticket);
    if (status.ok()) free_ -= permits;
    changed_.NotifyAll();
    return status;
  }

  void Release(int permits) {
    const MutexLock lock(mutex_);
    free_ += permits;
    changed_.NotifyAll();
  }

 private:
  const int count_;
  Mutex mutex_;
  CondVar changed_;
  int free_ ABSL_GUARDED_BY(mutex_);
  std::int64_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<std::int64_t> waiting_ ABSL_GUARDED_BY(mutex_);
};

class FileWithPermits final : public FetchedFile {
 public:
  FileWithPermits(std::unique_ptr<FetchedFile> file, std::shared_ptr<Permits> permits, int taken)
      : file_(std::move(file)), permits_(std::move(permits)), taken_(taken) {}
  ~FileWithPermits() override { permits_->Release(taken_); }
  const std::filesystem::path& path() const override { return file_->path(); }

 private:
  const std::unique_ptr<FetchedFile> file_;
  const std::shared_ptr<Permits> permits_;
  const int taken_;
};

class PermitFetcher final : public Fetcher {
 public:
  PermitFetcher(Fetcher& files, std::shared_ptr<Permits> permits, int each)
      : files_(files), permits_(std::move(permits)), each_(each) {}

  absl::StatusOr<std::unique_ptr<FetchedFile>> Fetch(std::string_view input,
                                                     const FetchProgress& progress,
                                                     const CancelToken& cancel) override {
    GLINT_ASSIGN_OR_RETURN(auto file, files_.Fetch(input, progress, cancel));
    GLINT_RETURN_IF_ERROR(permits_->Acquire(each_, cancel));
    return std::make_unique<FileWithPermits>(std::move(file), permits_, each_);
  }

 private:
  Fetcher& files_;
  const std::shared_ptr<Permits> permits_;
  const int each_;
};

}  // namespace

PermitFetchers MakePermitFetchers(Fetcher& files, int permits) {
  const auto all = std::make_shared<Permits>(permits);
  return {std::make_unique<PermitFetcher>(files, all, 1),
          std::make_unique<PermitFetcher>(files, all, all->count())};
}

}  // namespace glint
