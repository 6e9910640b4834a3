// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/host_memory.h"

#include "glint/error.h"

namespace glint::cuda {

absl::Status HostMemory::Reserve(const std::shared_ptr<Gpu>& gpu, std::size_t bytes) {
  if (bytes <= size_) return absl::OkStatus();
  Release();
  const auto pinned = gpu->AllocateHost(bytes);
  if (pinned.ok()) {
    gpu_ = gpu;
    data_ = *pinned;
  } else if (ReasonOf(pinned.status()) == Reason::kOutOfMemory) {
    ordinary_.resize(bytes);
    data_ = ordinary_.data();
  } else {
    return pinned.status();
  }
  size_ = bytes;
  return absl::OkStatus();
}

void HostMemory::Release() {
  if (gpu_ != nullptr) gpu_->FreeHost(data_);
  gpu_.reset();
  ordinary_ = {};
  data_ = nullptr;
  size_ = 0;
}

}  // namespace glint::cuda
