// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/sequence.h"

#include "stages/cuda/session.h"

namespace glint::cuda {

absl::Status Sequence::Launch(KernelId kernel, const void* arguments, std::size_t bytes,
                              Blocks blocks) {
  const auto* first = static_cast<const std::byte*>(arguments);
  steps_.emplace_back(LaunchStep{kernel, {first, first + bytes}, blocks});
  return absl::OkStatus();
}

absl::Status Sequence::CopyInShared(Rows2d device, Rows2d host, std::size_t row_bytes, int rows) {
  steps_.emplace_back(CopyStep{true, device, host, row_bytes, rows});
  return absl::OkStatus();
}

absl::Status Sequence::CopyOutShared(Rows2d host, Rows2d device, std::size_t row_bytes, int rows) {
  steps_.emplace_back(CopyStep{false, device, host, row_bytes, rows});
  return absl::OkStatus();
}

absl::Status Sequence::Clear(std::byte* device, std::size_t bytes) {
  steps_.emplace_back(ClearStep{device, bytes});
  return absl::OkStatus();
}

absl::Status Sequence::PutTo(WorkSink& sink) const {
  struct Put {
    absl::Status operator()(const LaunchStep& step) const {
      return to.Launch(step.kernel, step.arguments.data(), step.arguments.size(), step.blocks);
    }
    absl::Status operator()(const CopyStep& step) const {
      return step.in ? to.CopyInShared(step.device, step.host, step.row_bytes, step.rows)
                     : to.CopyOutShared(step.host, step.device, step.row_bytes, step.rows);
    }
    absl::Status operator()(const ClearStep& step) const {
      return to.Clear(step.device, step.bytes);
    }
    WorkSink& to;
  };
  for (const auto& step : steps_) GLINT_RETURN_IF_FAILED(std::visit(Put{sink}, step));
  return absl::OkStatus();
}

}  // namespace glint::cuda
