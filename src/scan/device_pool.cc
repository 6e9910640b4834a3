// SPDX-License-Identifier: Apache-2.0
#include "glint/device_pool.h"

#include <utility>

namespace glint {
namespace {

std::vector<BackendChoice> Alone(BackendChoice device) {
  std::vector<BackendChoice> devices;
  devices.push_back(std::move(device));
  return devices;
}

}  // namespace

DevicePool::DevicePool(std::vector<BackendChoice> devices, std::optional<SmallFrames> small_frames)
    : devices_(std::move(devices)),
      small_frames_(std::move(small_frames)),
      scans_(devices_.size()) {}

DevicePool::DevicePool(BackendChoice device) : DevicePool(Alone(std::move(device))) {}

std::shared_ptr<const BackendChoice> DevicePool::Take(Size frame) {
  if (small_frames_ && frame.area() <= small_frames_->up_to_pixels) {
    return {&small_frames_->cpu, [](const BackendChoice*) {}};
  }
  const auto rank = [this](std::size_t i) {
    return std::pair(devices_[i].backend->IsLost(), scans_[i]);
  };
  const std::scoped_lock lock(mutex_);
  std::size_t best = 0;
  for (std::size_t i = 1; i < devices_.size(); ++i) {
    if (rank(i) < rank(best)) best = i;
  }
  ++scans_[best];
  return {&devices_[best], [this, best](const BackendChoice*) {
            const std::scoped_lock given_back(mutex_);
            --scans_[best];
          }};
}

}  // namespace glint
