// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "glint/backend.h"

namespace glint {

/// The devices that scans share. Safe to use from several threads; must outlive what it lends.
class DevicePool {
 public:
  /// @param devices  at least one, see SelectBackends
  explicit DevicePool(std::vector<BackendChoice> devices);
  explicit DevicePool(BackendChoice device);

  /// The device with the fewest scans on it, the first of several; one that has failed for good
  /// only when all have. It counts as in use until the last copy of the pointer is gone.
  std::shared_ptr<const BackendChoice> Take();

  std::span<const BackendChoice> devices() const { return devices_; }

 private:
  const std::vector<BackendChoice> devices_;
  std::mutex mutex_;
  std::vector<int> scans_;  // on each of devices_
};

}  // namespace glint
