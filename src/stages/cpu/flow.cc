// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/flow.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/host_call.h"
#include "base/thread_pool.h"
#include "glint/error.h"
#include "stages/check_plane.h"
#include "stages/cpu/farneback/farneback.h"

namespace glint {
namespace {

using farneback::Farneback;
using farneback::Geometry;

constexpr int kMinSide = 16;

/// Pairs that one thread measures in a row, at most: many enough that expanding the first frame of
/// a run twice (here, and as the last one of the run before) does not count, few enough that the
/// threads end together.
constexpr std::int64_t kLongestRun = 16;

class CpuFlow final : public FlowStage {
 public:
  explicit CpuFlow(ThreadPool* pool) : pool_(*pool) {}

  absl::StatusOr<Plane> Field(const Plane& previous, const Plane& next) override {
    const Plane both[] = {previous, next};
    if (auto status = Check(both); !status.ok()) return status;
    Plane field;
    const absl::Status done = HostCall("flow", [&] {
      Fit(previous.size());
      WithWorker([&](Farneback& worker) { field = worker.Field(previous, next); });
    });
    if (!done.ok()) return done;
    return field;
  }

  absl::Status MeanLengths(std::span<const Plane> frames, std::span<double> out) override {
    if (auto status = Check(frames); !status.ok()) return status;
    if (frames.size() < 2) {
      return Error(Reason::kInvalidOption, "flow: mean lengths need at least two frames");
    }
    if (auto status = CheckCount("flow: frames", frames.size(), out.size() + 1); !status.ok()) {
      return status;
    }
    return HostCall("flow", [&] {
      Fit(frames.front().size());
      const std::int64_t pairs = std::ssize(out);
      const std::int64_t run =
          std::min(kLongestRun, (pairs + pool_.threads() - 1) / pool_.threads());
      pool_.ParallelFor((pairs + run - 1) / run, [&](std::int64_t i) {
        const auto first = static_cast<std::size_t>(i * run);
        const auto count = static_cast<std::size_t>(std::min(run, pairs - i * run));
        WithWorker([&](Farneback& worker) {
          worker.MeanLengths(frames.subspan(first, count + 1), out.subspan(first, count));
        });
      });
    });
  }

 private:
  static absl::Status Check(std::span<const Plane> frames) {
    return CheckPlanes("flow: frame", frames, PixelType::kU8, Device(), kMinSide);
  }

  /// Makes ready for frames of this size.
  void Fit(Size size) {
    if (geometry_ && geometry_->levels.front().size == size) return;
    idle_.clear();
    idle_.reserve(static_cast<std::size_t>(pool_.threads()));  // giving a worker back cannot fail
    geometry_ = std::make_shared<const Geometry>(size);
  }

  /// Calls work(worker) with a worker that nobody else uses meanwhile. There are never more of them
  /// than threads.
  template <class Work>
  void WithWorker(const Work& work) {
    const std::unique_ptr<Farneback, Return> worker(Take().release(), Return{this});
    work(*worker);
  }

  std::unique_ptr<Farneback> Take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        auto worker = std::move(idle_.back());
        idle_.pop_back();
        return worker;
      }
    }
    return std::make_unique<Farneback>(geometry_);
  }

  struct Return {
    CpuFlow* flow;
    void operator()(Farneback* worker) const {
      const std::scoped_lock lock(flow->mutex_);
      flow->idle_.emplace_back(worker);
    }
  };

  ThreadPool& pool_;
  std::shared_ptr<const Geometry> geometry_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Farneback>> idle_;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<FlowStage> MakeCpuFlow(ThreadPool* pool) { return std::make_unique<CpuFlow>(pool); }

}  // namespace glint
