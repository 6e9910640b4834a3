// SPDX-License-Identifier: Apache-2.0
#include "glint/device_pool.h"

#include <utility>

#include "base/mutex.h"

namespace glint {
namespace {

std::vector<BackendChoice> Alone(BackendChoice device) {
  std::vector<BackendChoice> devices;
  devices.push_back(std::move(device));
  return devices;
}

}  // namespace

struct DevicePool::Use {
  explicit Use(std::size_t devices) : scans(devices) {}

  Mutex mutex;
  std::vector<int> scans ABSL_GUARDED_BY(mutex);  // on each of the devices
};

DevicePool::DevicePool(std::vector<BackendChoice> devices, std::optional<SmallFrames> small_frames)
    : devices_(std::move(devices)),
      small_frames_(std::move(small_frames)),
      use_(std::make_unique<Use>(devices_.size())) {}

DevicePool::DevicePool(BackendChoice device) : DevicePool(Alone(std::move(device))) {}

DevicePool::~DevicePool() = default;

std::shared_ptr<const BackendChoice> DevicePool::Take(Size frame) {
  if (small_frames_ && frame.area() <= small_frames_->up_to_pixels) {
    return {&small_frames_->cpu, [](const BackendChoice*) {}};
  }
  const auto rank = [this](std::size_t i) ABSL_EXCLUSIVE_LOCKS_REQUIRED(use_->mutex) {
    return std::pair(devices_[i].backend->IsLost(), use_->scans[i]);
  };
  const MutexLock lock(use_->mutex);
  std::size_t best = 0;
  for (std::size_t i = 1; i < devices_.size(); ++i) {
    if (rank(i) < rank(best)) best = i;
  }
  ++use_->scans[best];
  return {&devices_[best], [this, best](const BackendChoice*) {
            const MutexLock given_back(use_->mutex);
            --use_->scans[best];
          }};
}

}  // namespace glint
