// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/backend.h"

#include <fmt/format.h>

#include <mutex>
#include <vector>

#include "glint/error.h"
#include "glint/tuning.h"
#include "stages/cuda/copy_speed.h"
#include "stages/cuda/stages.h"

namespace glint::cuda {
namespace {

absl::StatusOr<std::shared_ptr<const Session>> OpenSession(const OpenGpu& open) {
  auto session = std::make_shared<Session>();
  GLINT_TAKE(session->gpu, open());
  std::size_t free_bytes = 0;
  GLINT_TAKE(free_bytes, session->gpu->FreeMemory());
  const auto budget = static_cast<std::size_t>(static_cast<double>(free_bytes) * kMemoryShare);
  session->pool = MemoryPool::Make(session->gpu, budget);
  return std::shared_ptr<const Session>(std::move(session));
}

std::string VersionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

class CudaBackend final : public Backend {
 public:
  CudaBackend(OpenGpu open, std::shared_ptr<const Session> session,
              std::shared_ptr<const Tuning> tuning)
      : open_(std::move(open)),
        info_(session->gpu->info()),
        tuning_(std::move(tuning)),
        session_(std::move(session)) {}

  std::string_view name() const override { return "cuda"; }
  std::string description() const override {
    return fmt::format("{} at {}, sm_{}{}, {:.1f} GiB, driver for CUDA {}, runtime {}", info_.name,
                       info_.pci, info_.major, info_.minor,
                       static_cast<double>(info_.memory) / (1024.0 * 1024 * 1024),
                       VersionText(info_.driver), VersionText(info_.runtime));
  }
  Device device() const override { return {.cuda = info_.ordinal}; }
  bool IsLost() const override {
    const std::scoped_lock lock(mutex_);
    return opened_anew_ && (session_ == nullptr || session_->gpu->IsLost());
  }

  absl::StatusOr<Plane> Upload(const Plane& host) override {
    if (host.device() == device()) return host;
    if (!host.device().is_host() || host.empty()) return NotHere(host);
    std::unique_ptr<Workplace> at;
    GLINT_TAKE(at, Borrow());
    Plane plane;
    GLINT_TAKE(plane, at->NewPlane(host.size(), host.type()));
    GLINT_RETURN_IF_FAILED(Finish(*at, [&] {
      return at->stream().CopyIn({plane.data(), plane.stride()}, {host.data(), host.stride()},
                                 RowBytes(host), host.height());
    }));
    GiveBack(std::move(at));
    return plane;
  }

  absl::StatusOr<Plane> Download(const Plane& plane) override {
    if (plane.device().is_host()) return plane;
    if (plane.device() != device()) return NotHere(plane);
    std::unique_ptr<Workplace> at;
    GLINT_TAKE(at, Borrow());
    Plane host = Plane::Host(plane.size(), plane.type());
    GLINT_RETURN_IF_FAILED(Finish(*at, [&] {
      return at->stream().CopyOut({host.data(), host.stride()}, {plane.data(), plane.stride()},
                                  RowBytes(plane), plane.height());
    }));
    GiveBack(std::move(at));
    return host;
  }

  absl::StatusOr<double> CopySpeed(std::int64_t bytes) override {
    std::unique_ptr<Workplace> at;
    GLINT_TAKE(at, NewWorkplace());
    return MeasureCopySpeed(*at, bytes);
  }

  absl::StatusOr<std::unique_ptr<LumaConversionStage>> MakeLumaConversion() override {
    return Make(&cuda::MakeLumaConversion);
  }
  absl::StatusOr<std::unique_ptr<LumaStatisticsStage>> MakeLumaStatistics() override {
    return Make(&cuda::MakeLumaStatistics);
  }
  absl::StatusOr<std::unique_ptr<FlowStage>> MakeFlow() override { return Make(&cuda::MakeFlow); }
  absl::StatusOr<std::unique_ptr<MeasureStage>> MakeMeasure() override {
    std::unique_ptr<Workplace> copies, computes;
    GLINT_TAKE(copies, NewWorkplace());
    GLINT_TAKE(computes, NewWorkplace());
    return cuda::MakeMeasure(std::move(copies), std::move(computes),
                             [tuning = tuning_, device = description()](Size frame, bool motion) {
                               return tuning == nullptr ? std::nullopt
                                                        : tuning->BatchFor(device, frame, motion);
                             });
  }
  absl::StatusOr<std::unique_ptr<EdgeStage>> MakeEdges() override { return Make(&cuda::MakeEdges); }
  absl::StatusOr<std::unique_ptr<MorphologyStage>> MakeMorphology() override {
    return Make(&cuda::MakeMorphology);
  }
  absl::StatusOr<std::unique_ptr<ConnectedComponentsStage>> MakeConnectedComponents() override {
    return Make(&cuda::MakeConnectedComponents);
  }
  absl::StatusOr<std::unique_ptr<WarpStage>> MakeWarp() override { return Make(&cuda::MakeWarp); }
  absl::StatusOr<std::unique_ptr<DetailStage>> MakeDetail() override {
    return Make(&cuda::MakeDetail);
  }
  absl::StatusOr<std::unique_ptr<ClassicFusionStage>> MakeClassicFusion() override {
    return Make(&cuda::MakeClassicFusion);
  }
  absl::StatusOr<std::unique_ptr<ArtworkStage>> MakeArtwork() override {
    return Make(&cuda::MakeArtwork);
  }
  absl::StatusOr<std::unique_ptr<ResidualStage>> MakeResidual() override {
    return Make(&cuda::MakeResidual);
  }
  absl::StatusOr<std::unique_ptr<LineEvidenceStage>> MakeLineEvidence() override {
    return Make(&cuda::MakeLineEvidence);
  }
  absl::StatusOr<std::unique_ptr<RidgeStage>> MakeRidge() override {
    return Make(&cuda::MakeRidge);
  }

 private:
  static std::size_t RowBytes(const Plane& plane) {
    return static_cast<std::size_t>(plane.width()) *
           static_cast<std::size_t>(BytesPerPixel(plane.type()));
  }

  absl::Status NotHere(const Plane& plane) const {
    return Error(Reason::kInvalidOption,
                 fmt::format("the cuda backend was given {}; it moves planes between the host and "
                             "its GPU {}",
                             Describe(plane), info_.ordinal));
  }

  template <class Stage>
  absl::StatusOr<std::unique_ptr<Stage>> Make(
      std::unique_ptr<Stage> (*make)(std::unique_ptr<Workplace>)) {
    std::unique_ptr<Workplace> workplace;
    GLINT_TAKE(workplace, NewWorkplace());
    return make(std::move(workplace));
  }

  absl::StatusOr<std::unique_ptr<Workplace>> NewWorkplace() {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<const Session> session;
    GLINT_TAKE(session, Current());
    return Workplace::Make(std::move(session));
  }

  /// A workplace for a transfer; one that was given back where there is one.
  absl::StatusOr<std::unique_ptr<Workplace>> Borrow() {
    {
      const std::scoped_lock lock(mutex_);
      if (session_ != nullptr && !session_->gpu->IsLost() && !idle_.empty()) {
        auto at = std::move(idle_.back());
        idle_.pop_back();
        return at;
      }
    }
    return NewWorkplace();
  }

  void GiveBack(std::unique_ptr<Workplace> at) {
    const std::scoped_lock lock(mutex_);
    if (!session_->gpu->IsLost()) idle_.push_back(std::move(at));
  }

  /// The session; a new one where the GPU was lost and nobody uses it any more. Under the lock.
  absl::StatusOr<std::shared_ptr<const Session>> Current() {
    if (session_ != nullptr && !session_->gpu->IsLost()) return session_;
    const std::string lost =
        fmt::format("GPU {} ({}) was lost after an error", info_.ordinal, info_.name);
    if (opened_anew_) {
      return Error(Reason::kDeviceUnavailable,
                   lost + " a second time; start glint anew, and see the driver's log");
    }
    idle_.clear();
    if (session_ != nullptr && (session_.use_count() > 1 || session_->pool->in_use() > 0)) {
      return Error(Reason::kDeviceUnavailable,
                   lost + " and is opened anew once no scan uses it any more");
    }
    opened_anew_ = true;
    session_.reset();
    GLINT_TAKE(session_, OpenSession(open_));
    return session_;
  }

  const OpenGpu open_;
  const GpuInfo info_;
  const std::shared_ptr<const Tuning> tuning_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Session> session_;
  std::vector<std::unique_ptr<Workplace>> idle_;  // of transfers
  bool opened_anew_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(OpenGpu open,
                                                     std::shared_ptr<const Tuning> tuning) {
  std::shared_ptr<const Session> session;
  GLINT_TAKE(session, OpenSession(open));
  return std::make_unique<CudaBackend>(std::move(open), std::move(session), std::move(tuning));
}

}  // namespace glint::cuda
