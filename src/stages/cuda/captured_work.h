// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <variant>
#include <vector>

#include "stages/cuda/gpu.h"

namespace glint::cuda {

/// Work that was written down, to be done later. The memory it names must be there then.
class CapturedWork final : public WorkSink {
 public:
  absl::Status Launch(KernelId kernel, const void* arguments, std::size_t bytes,
                      Grid grid) override;
  absl::Status CopyPinnedToDevice(Rows2d device, Rows2d host, std::size_t row_bytes,
                                  int rows) override;
  absl::Status CopyDeviceToPinned(Rows2d host, Rows2d device, std::size_t row_bytes,
                                  int rows) override;
  absl::Status Clear(std::byte* device, std::size_t bytes) override;

  /// Gives the work to a sink, in the order in which it was written down.
  absl::Status Replay(WorkSink& sink) const;

  /// Whether both are the same work: the same steps with the same addresses and, byte for byte, the
  /// same arguments.
  bool operator==(const CapturedWork& other) const { return steps_ == other.steps_; }

 private:
  struct LaunchStep {
    KernelId kernel;
    std::vector<std::byte> arguments;
    Grid grid;
    bool operator==(const LaunchStep&) const = default;
  };
  struct CopyStep {
    bool in;
    Rows2d device;
    Rows2d host;
    std::size_t row_bytes;
    int rows;
    bool operator==(const CopyStep&) const = default;
  };
  struct ClearStep {
    std::byte* device;
    std::size_t bytes;
    bool operator==(const ClearStep&) const = default;
  };

  std::vector<std::variant<LaunchStep, CopyStep, ClearStep>> steps_;
};

}  // namespace glint::cuda
