// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/copy_speed.h"

#include <algorithm>
#include <chrono>

#include "stages/cuda/kernels/copy.h"

namespace glint::cuda {

absl::StatusOr<double> MeasureCopySpeed(Workplace& at, std::int64_t bytes) {
  using Clock = std::chrono::steady_clock;
  constexpr int kCopies = 8;
  const std::int64_t units =
      std::max<std::int64_t>(1, bytes / static_cast<std::int64_t>(sizeof(CopyUnit)));
  Block from, to;
  GLINT_TAKE(from, at.Take<CopyUnit>(static_cast<std::size_t>(units)));
  GLINT_TAKE(to, at.Take<CopyUnit>(static_cast<std::size_t>(units)));
  const CopyKernel kernel{
      .from = ValuesOf<const CopyUnit>(from), .to = ValuesOf<CopyUnit>(to), .count = units};
  const Blocks blocks{.across = (units + CopyKernel::kPerBlock - 1) / CopyKernel::kPerBlock};
  const auto copy = [&](int times) {
    return Finish(at, [&]() -> absl::Status {
      for (int i = 0; i < times; ++i) GLINT_RETURN_IF_FAILED(at.stream().Run(kernel, blocks));
      return absl::OkStatus();
    });
  };
  GLINT_RETURN_IF_FAILED(at.Clear<CopyUnit>(from, static_cast<std::size_t>(units)));
  GLINT_RETURN_IF_FAILED(copy(1));
  const auto start = Clock::now();
  GLINT_RETURN_IF_FAILED(copy(kCopies));
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const double moved = 2.0 * kCopies * static_cast<double>(units) * sizeof(CopyUnit);
  return moved / std::max(seconds, 1e-9);
}

}  // namespace glint::cuda
