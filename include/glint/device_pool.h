// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "glint/backend.h"

namespace glint {

/// The devices that scans share. Safe to use from several threads; must outlive what it lends.
class DevicePool {
 public:
  /// The CPU, and the pixels of a frame up to which scans are made on it instead.
  struct SmallFrames {
    BackendChoice cpu;
    std::int64_t up_to_pixels = 0;
  };

  /// @param devices  at least one, see SelectBackends
  explicit DevicePool(std::vector<BackendChoice> devices,
                      std::optional<SmallFrames> small_frames = std::nullopt);
  explicit DevicePool(BackendChoice device);
  ~DevicePool();

  /// The device for a video: the one with the fewest scans on it, the first of several; one that
  /// has failed for good only when all have. It counts as in use until the last copy of the pointer
  /// is gone.
  std::shared_ptr<const BackendChoice> Take(Size frame);

  std::span<const BackendChoice> devices() const { return devices_; }
  const std::optional<SmallFrames>& small_frames() const { return small_frames_; }

 private:
  const std::vector<BackendChoice> devices_;
  const std::optional<SmallFrames> small_frames_;
  struct Use;
  const std::unique_ptr<Use> use_;
};

/// Seconds that a device takes for a sample of a scan's work on frames of a size.
using SampleTimer = std::function<absl::StatusOr<double>(Backend&, Size)>;

/// Times the measuring of a few frames, the motion between two, and the edges and details of one:
/// the shorter of two runs after one that counts for nothing.
absl::StatusOr<double> TimeSample(Backend& backend, Size frame);

/// Up to how many pixels of a frame the CPU is faster: the largest of a few sizes for which, and
/// for all smaller ones, it is; 0 when it is for none, the largest number when it is for all.
/// Errors: those of the timer
absl::StatusOr<std::int64_t> FindCpuLimit(Backend& device, Backend& cpu, const SampleTimer& timer);

/// SelectBackends, and where `auto` takes another device than the CPU, the CPU for small frames:
/// those for which it is faster by the tuning, or by a measurement now, which takes under a second.
/// Errors: those of SelectBackends
absl::StatusOr<std::unique_ptr<DevicePool>> OpenDevices(std::string_view wanted,
                                                        std::span<const BackendEntry> table,
                                                        const BackendOptions& options,
                                                        const SampleTimer& timer = TimeSample);

}  // namespace glint
