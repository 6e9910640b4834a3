// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/copy_speed.h"

#include <algorithm>
#include <chrono>

#include "stages/cuda/kernels/copy.h"

namespace glint::cuda {

absl::StatusOr<double> MeasureCopySpeed(StreamContext& context, std::int64_t bytes) {
  using Clock = std::chrono::steady_clock;
  constexpr int kCopies = 8;
  const std::int64_t units =
      std::max<std::int64_t>(1, bytes / static_cast<std::int64_t>(sizeof(CopyUnit)));
  Block from, to;
  GLINT_ASSIGN_OR_RETURN(from, context.Allocate<CopyUnit>(static_cast<std::size_t>(units)));
  GLINT_ASSIGN_OR_RETURN(to, context.Allocate<CopyUnit>(static_cast<std::size_t>(units)));
  const CopyKernel kernel{
      .from = ValuesOf<const CopyUnit>(from), .to = ValuesOf<CopyUnit>(to), .count = units};
  const Grid grid{.x = (units + CopyKernel::kPerBlock - 1) / CopyKernel::kPerBlock};
  const auto copy = [&](int times) {
    return Finish(context, [&]() -> absl::Status {
      for (int i = 0; i < times; ++i) GLINT_RETURN_IF_ERROR(context.stream().Run(kernel, grid));
      return absl::OkStatus();
    });
  };
  GLINT_RETURN_IF_ERROR(context.Clear<CopyUnit>(from, static_cast<std::size_t>(units)));
  GLINT_RETURN_IF_ERROR(copy(1));
  const auto start = Clock::now();
  GLINT_RETURN_IF_ERROR(copy(kCopies));
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const double moved = 2.0 * kCopies * static_cast<double>(units) * sizeof(CopyUnit);
  return moved / std::max(seconds, 1e-9);
}

}  // namespace glint::cuda
