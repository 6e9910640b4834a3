// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "glint/plane.h"

namespace glint {

/// What `glint bench --tune` measured on a machine, for the scans that follow. It changes how fast
/// they are and nothing else.
struct Tuning {
  /// The batch with which a device measures frames of a size fastest.
  struct Batch {
    std::string device;  ///< Backend::description(): another driver has to be measured anew
    Size frame;
    bool motion = false;  ///< of all frames
    int frames = 1;       ///< 1..kMaxFrames
    bool operator==(const Batch&) const = default;
  };
  static constexpr int kMaxFrames = 64;

  /// Up to which size of frames the CPU is faster than a device.
  struct CpuLimit {
    std::string device;  ///< Backend::description()
    int threads = 1;     ///< of the CPU
    std::int64_t pixels = 0;
    bool operator==(const CpuLimit&) const = default;
  };

  std::vector<Batch> batches;
  std::vector<CpuLimit> cpu_limits;

  /// The best batch for frames of exactly this size, 1..kMaxFrames; nothing when it was not
  /// measured. @param device  Backend::description()
  std::optional<int> BatchFor(std::string_view device, Size frame, bool motion) const;
  /// Up to how many pixels of a frame the CPU is faster than the device, >= 0; nothing when that
  /// was not measured with so many threads. @param device  Backend::description()
  std::optional<std::int64_t> CpuUpTo(std::string_view device, int threads) const;

  /// Adds what was measured, in the place of what was known of the same.
  void Add(const Batch& batch);
  void Add(const CpuLimit& limit);

  bool operator==(const Tuning&) const = default;
};

}  // namespace glint
