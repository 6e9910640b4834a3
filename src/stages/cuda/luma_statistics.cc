// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/luma_statistics.h"

#include <algorithm>
#include <array>
#include <vector>

#include "stages/check_plane.h"
#include "stages/cuda/stages.h"

namespace glint::cuda {
namespace {

constexpr std::size_t kSums = LumaStatisticsKernel::kSums;

class GpuLumaStatistics final : public LumaStatisticsStage {
 public:
  explicit GpuLumaStatistics(std::unique_ptr<Workplace> workplace) : at_(std::move(workplace)) {}

  absl::Status Run(std::span<const Plane> luma, std::span<LumaStatistics> out) override {
    GLINT_RETURN_IF_FAILED(CheckCount("luma statistics: results", out.size(), luma.size()));
    for (const Plane& plane : luma) {
      GLINT_RETURN_IF_FAILED(
          CheckPlane("luma statistics: luma", plane, PixelType::kU8, at_->device()));
    }
    if (luma.empty()) return absl::OkStatus();
    std::vector<std::uint64_t> sums(luma.size() * kSums);
    Block block;
    GLINT_TAKE(block, at_->Take<std::uint64_t>(sums.size()));
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      GLINT_RETURN_IF_FAILED(at_->Clear<std::uint64_t>(block, sums.size()));
      for (std::size_t first = 0; first < luma.size(); first += kMostImages) {
        const auto count = std::min<std::size_t>(kMostImages, luma.size() - first);
        GLINT_RETURN_IF_FAILED(
            Launch(luma.subspan(first, count), ValuesOf<std::uint64_t>(block) + first * kSums));
      }
      return at_->CopyOut(std::span(sums), block);
    }));
    for (std::size_t i = 0; i < luma.size(); ++i) {
      const auto value = [&](std::size_t k) {
        return static_cast<std::int64_t>(sums[i * kSums + k]);
      };
      out[i] = {.pixels = luma[i].size().area(),
                .laplacian_sum = value(0),
                .laplacian_square_sum = value(1),
                .dark = value(2),
                .bright = value(3)};
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Launch(std::span<const Plane> luma, std::uint64_t* sums) {
    LumaStatisticsKernel kernel{.images = {}, .sums = sums};
    Blocks blocks{.across = 0, .layers = static_cast<int>(luma.size())};
    for (std::size_t i = 0; i < luma.size(); ++i) {
      kernel.images[i] = ImageOf<const std::uint8_t>(luma[i]);
      // A smaller image leaves some of its layer's blocks without work.
      blocks.across = std::max(
          blocks.across, Tiles(luma[i].width(), luma[i].height(),
                               LumaStatisticsKernel::Shape::kThreads, LumaStatisticsKernel::kRows));
    }
    return at_->stream().Run(kernel, blocks);
  }

  std::unique_ptr<Workplace> at_;
};

}  // namespace

std::unique_ptr<LumaStatisticsStage> MakeLumaStatistics(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuLumaStatistics>(std::move(workplace));
}

}  // namespace glint::cuda
