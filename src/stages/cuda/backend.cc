// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/backend.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "base/mutex.h"
#include "glint/error.h"
#include "glint/tuning.h"
#include "stages/cuda/copy_speed.h"
#include "stages/cuda/gpu_code.h"
#include "stages/cuda/stages.h"

namespace glint::cuda {
namespace {

absl::StatusOr<std::shared_ptr<const DeviceContext>> OpenContext(const OpenGpu& open) {
  auto device = std::make_shared<DeviceContext>();
  GLINT_ASSIGN_OR_RETURN(device->gpu, open());
  std::size_t free_bytes = 0;
  GLINT_ASSIGN_OR_RETURN(free_bytes, device->gpu->FreeMemory());
  const auto budget = static_cast<std::size_t>(static_cast<double>(free_bytes) * kMemoryShare);
  device->pool = MemoryPool::Make(device->gpu, budget);
  return std::shared_ptr<const DeviceContext>(std::move(device));
}

/// What is known of the machine and its driver, and how the GPU gets its code.
std::string Describe(const GpuInfo& info) {
  std::string text = fmt::format(
      "{} at {}, sm_{}{}, {:.1f} GiB, driver {}{}for CUDA {}, runtime {}", info.name, info.pci,
      info.major, info.minor, static_cast<double>(info.memory) / (1024.0 * 1024 * 1024),
      info.release, info.release.empty() ? "" : " ", CudaVersionText(info.driver),
      CudaVersionText(info.runtime));
  if (info.ptx > 0) {
    text += fmt::format(
        ", code made by the driver from PTX of sm_{}, which takes some seconds ({})", info.ptx,
        DescribePtxCache(std::getenv("CUDA_CACHE_DISABLE"), std::getenv("CUDA_CACHE_PATH"),
                         std::getenv("HOME")));
  }
  return text;
}

class CudaBackend final : public Backend {
 public:
  CudaBackend(OpenGpu open, std::shared_ptr<const DeviceContext> device,
              std::shared_ptr<const Tuning> tuning)
      : open_(std::move(open)),
        info_(device->gpu->info()),
        description_(Describe(info_)),
        tuning_(std::move(tuning)),
        device_(std::move(device)) {}

  std::string_view name() const override { return "cuda"; }
  std::string description() const override { return description_; }
  Device device() const override { return {.cuda = info_.ordinal}; }
  bool IsLost() const override {
    const MutexLock lock(mutex_);
    return opened_anew_ && (device_ == nullptr || device_->gpu->IsLost());
  }

  absl::StatusOr<Plane> Upload(const Plane& host) override {
    if (host.device() == device()) return host;
    if (!host.device().is_host() || host.empty()) return NotHere(host);
    std::unique_ptr<StreamContext> context;
    GLINT_ASSIGN_OR_RETURN(context, Borrow());
    Plane plane;
    GLINT_ASSIGN_OR_RETURN(plane, context->NewPlane(host.size(), host.type()));
    GLINT_RETURN_IF_ERROR(Finish(*context, [&] {
      return context->stream().CopyIn({plane.data(), plane.stride()}, {host.data(), host.stride()},
                                      RowBytes(host), host.height());
    }));
    GiveBack(std::move(context));
    return plane;
  }

  absl::StatusOr<Plane> Download(const Plane& plane) override {
    if (plane.device().is_host()) return plane;
    if (plane.device() != device()) return NotHere(plane);
    std::unique_ptr<StreamContext> context;
    GLINT_ASSIGN_OR_RETURN(context, Borrow());
    Plane host = Plane::Host(plane.size(), plane.type());
    GLINT_RETURN_IF_ERROR(Finish(*context, [&] {
      return context->stream().CopyOut({host.data(), host.stride()}, {plane.data(), plane.stride()},
                                       RowBytes(plane), plane.height());
    }));
    GiveBack(std::move(context));
    return host;
  }

  absl::StatusOr<double> CopySpeed(std::int64_t bytes) override {
    std::unique_ptr<StreamContext> context;
    GLINT_ASSIGN_OR_RETURN(context, NewContext());
    return MeasureCopySpeed(*context, bytes);
  }

#define GLINT_MAKE_STAGE(Type, Name, ...) \
  absl::StatusOr<std::unique_ptr<Type>> Make##Name() override { return Make(&cuda::Make##Name); }
  GLINT_STAGES(GLINT_MAKE_STAGE)
#undef GLINT_MAKE_STAGE
  absl::StatusOr<std::unique_ptr<MeasureStage>> MakeMeasure() override {
    std::unique_ptr<StreamContext> copies, computes;
    GLINT_ASSIGN_OR_RETURN(copies, NewContext());
    GLINT_ASSIGN_OR_RETURN(computes, NewContext());
    return cuda::MakeMeasure(std::move(copies), std::move(computes),
                             [tuning = tuning_, device = description()](Size frame, bool motion) {
                               return tuning == nullptr ? std::nullopt
                                                        : tuning->BatchFor(device, frame, motion);
                             });
  }

 private:
  static std::size_t RowBytes(const Plane& plane) {
    return static_cast<std::size_t>(plane.width()) *
           static_cast<std::size_t>(BytesPerPixel(plane.type()));
  }

  absl::Status NotHere(const Plane& plane) const {
    return Error(Reason::kInternal,
                 fmt::format("the cuda backend was given {}; it moves planes between the host and "
                             "its GPU {}",
                             Describe(plane), info_.ordinal));
  }

  template <class Stage>
  absl::StatusOr<std::unique_ptr<Stage>> Make(
      std::unique_ptr<Stage> (*make)(std::unique_ptr<StreamContext>)) {
    std::unique_ptr<StreamContext> context;
    GLINT_ASSIGN_OR_RETURN(context, NewContext());
    return make(std::move(context));
  }

  absl::StatusOr<std::unique_ptr<StreamContext>> NewContext() {
    const MutexLock lock(mutex_);
    std::shared_ptr<const DeviceContext> device;
    GLINT_ASSIGN_OR_RETURN(device, Current());
    return StreamContext::Make(std::move(device));
  }

  /// A context for a transfer; one that was given back where there is one.
  absl::StatusOr<std::unique_ptr<StreamContext>> Borrow() {
    {
      const MutexLock lock(mutex_);
      if (device_ != nullptr && !device_->gpu->IsLost() && !idle_.empty()) {
        auto context = std::move(idle_.back());
        idle_.pop_back();
        return context;
      }
    }
    return NewContext();
  }

  void GiveBack(std::unique_ptr<StreamContext> context) {
    const MutexLock lock(mutex_);
    if (!device_->gpu->IsLost()) idle_.push_back(std::move(context));
  }

  /// The device; a new one where the GPU was lost and nobody uses it any more.
  absl::StatusOr<std::shared_ptr<const DeviceContext>> Current()
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (device_ != nullptr && !device_->gpu->IsLost()) return device_;
    const std::string lost =
        fmt::format("GPU {} ({}) was lost after an error", info_.ordinal, info_.name);
    if (opened_anew_) {
      return Error(Reason::kDeviceUnavailable,
                   lost + " a second time; start glint anew, and see the driver's log");
    }
    idle_.clear();
    if (device_ != nullptr && (device_.use_count() > 1 || device_->pool->in_use() > 0)) {
      return Error(Reason::kDeviceUnavailable,
                   lost + " and is opened anew once no scan uses it any more");
    }
    opened_anew_ = true;
    device_.reset();
    GLINT_ASSIGN_OR_RETURN(device_, OpenContext(open_));
    return device_;
  }

  const OpenGpu open_;
  const GpuInfo info_;
  const std::string description_;
  const std::shared_ptr<const Tuning> tuning_;
  mutable Mutex mutex_;
  std::shared_ptr<const DeviceContext> device_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<StreamContext>> idle_ ABSL_GUARDED_BY(mutex_);  // of transfers
  bool opened_anew_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(OpenGpu open,
                                                     std::shared_ptr<const Tuning> tuning) {
  std::shared_ptr<const DeviceContext> device;
  GLINT_ASSIGN_OR_RETURN(device, OpenContext(open));
  return std::make_unique<CudaBackend>(std::move(open), std::move(device), std::move(tuning));
}

}  // namespace glint::cuda
