// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/captured_work.h"

#include "stages/cuda/context.h"

namespace glint::cuda {

absl::Status CapturedWork::Launch(KernelId kernel, const void* arguments, std::size_t bytes,
                                  Grid grid) {
  const auto* first = static_cast<const std::byte*>(arguments);
  steps_.emplace_back(LaunchStep{kernel, {first, first + bytes}, grid});
  return absl::OkStatus();
}

absl::Status CapturedWork::CopyPinnedToDevice(Rows2d device, Rows2d host, std::size_t row_bytes,
                                              int rows) {
  steps_.emplace_back(CopyStep{true, device, host, row_bytes, rows});
  return absl::OkStatus();
}

absl::Status CapturedWork::CopyDeviceToPinned(Rows2d host, Rows2d device, std::size_t row_bytes,
                                              int rows) {
  steps_.emplace_back(CopyStep{false, device, host, row_bytes, rows});
  return absl::OkStatus();
}

absl::Status CapturedWork::Clear(std::byte* device, std::size_t bytes) {
  steps_.emplace_back(ClearStep{device, bytes});
  return absl::OkStatus();
}

absl::Status CapturedWork::Replay(WorkSink& sink) const {
  struct Put {
    absl::Status operator()(const LaunchStep& step) const {
      return to.Launch(step.kernel, step.arguments.data(), step.arguments.size(), step.grid);
    }
    absl::Status operator()(const CopyStep& step) const {
      return step.in ? to.CopyPinnedToDevice(step.device, step.host, step.row_bytes, step.rows)
                     : to.CopyDeviceToPinned(step.host, step.device, step.row_bytes, step.rows);
    }
    absl::Status operator()(const ClearStep& step) const {
      return to.Clear(step.device, step.bytes);
    }
    WorkSink& to;
  };
  for (const auto& step : steps_) GLINT_RETURN_IF_ERROR(std::visit(Put{sink}, step));
  return absl::OkStatus();
}

}  // namespace glint::cuda
