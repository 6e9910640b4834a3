// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "stages/cuda/gpu.h"

namespace glint::cuda {

/// Host memory for a stream's copies that go on beside other work (Stream::CopyPinnedToDevice).
/// Where the GPU can have none to itself it is ordinary memory: copies then wait, and are right all
/// the same.
class HostMemory {
 public:
  HostMemory() = default;
  ~HostMemory() { Release(); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Makes room; what was there is lost when it grows. No work may use the memory any more.
  /// Errors: DEVICE_UNAVAILABLE
  absl::Status Reserve(const std::shared_ptr<Gpu>& gpu, std::size_t bytes);

  std::byte* data() const { return data_; }
  /// Whether it is of Gpu::AllocateHost.
  bool is_pinned() const { return gpu_ != nullptr; }

 private:
  void Release();

  std::shared_ptr<Gpu> gpu_;         // of pinned memory; null where there is none
  std::vector<std::byte> ordinary_;  // instead of it
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace glint::cuda
