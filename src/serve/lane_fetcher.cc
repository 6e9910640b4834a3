// SPDX-License-Identifier: Apache-2.0
#include "serve/lane_fetcher.h"

#include <chrono>
#include <cstdint>
#include <set>
#include <utility>

#include "base/mutex.h"
#include "base/status_macros.h"

namespace glint {
namespace {

/// Lanes in the order in which they were asked for.
class Lanes {
 public:
  explicit Lanes(int count) : count_(count), free_(count) {}
  int count() const { return count_; }

  /// @param lanes  at once. Errors: those of `cancel`
  absl::Status Take(int lanes, const CancelToken& cancel) {
    constexpr std::chrono::milliseconds kBetweenLooks{50};
    const MutexLock lock(mutex_);
    const std::int64_t ticket = next_++;
    waiting_.insert(ticket);
    const auto is_turn = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return free_ >= lanes && *waiting_.begin() == ticket;
    };
    absl::Status status;
    while (!changed_.WaitFor(mutex_, kBetweenLooks, is_turn) && status.ok()) {
      status = cancel.Check();
    }
    waiting_.erase(ticket);
    if (status.ok()) free_ -= lanes;
    changed_.NotifyAll();
    return status;
  }

  void Return(int lanes) {
    const MutexLock lock(mutex_);
    free_ += lanes;
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

class FileWithLane final : public FetchedFile {
 public:
  FileWithLane(std::unique_ptr<FetchedFile> file, std::shared_ptr<Lanes> lanes, int taken)
      : file_(std::move(file)), lanes_(std::move(lanes)), taken_(taken) {}
  ~FileWithLane() override { lanes_->Return(taken_); }
  const std::filesystem::path& path() const override { return file_->path(); }

 private:
  const std::unique_ptr<FetchedFile> file_;
  const std::shared_ptr<Lanes> lanes_;
  const int taken_;
};

class LaneFetcher final : public Fetcher {
 public:
  LaneFetcher(Fetcher& files, std::shared_ptr<Lanes> lanes, int each)
      : files_(files), lanes_(std::move(lanes)), each_(each) {}

  absl::StatusOr<std::unique_ptr<FetchedFile>> Fetch(std::string_view input,
                                                     const FetchProgress& progress,
                                                     const CancelToken& cancel) override {
    GLINT_ASSIGN_OR_RETURN(auto file, files_.Fetch(input, progress, cancel));
    GLINT_RETURN_IF_ERROR(lanes_->Take(each_, cancel));
    return std::make_unique<FileWithLane>(std::move(file), lanes_, each_);
  }

 private:
  Fetcher& files_;
  const std::shared_ptr<Lanes> lanes_;
  const int each_;
};

}  // namespace

LaneFetchers MakeLaneFetchers(Fetcher& files, int lanes) {
  const auto all = std::make_shared<Lanes>(lanes);
  return {std::make_unique<LaneFetcher>(files, all, 1),
          std::make_unique<LaneFetcher>(files, all, all->count())};
}

}  // namespace glint
