// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/host_call.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "stages/cpu/luma_row.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_plane.h"

namespace glint {
namespace {

constexpr int kBandRows = 64;  // of one plane that one thread takes at a time

struct Band {
  std::size_t plane = 0;
  int first = 0;
  int end = 0;
};

std::vector<Band> Bands(std::span<const Plane> planes) {
  std::vector<Band> bands;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    for (int y = 0; y < planes[i].height(); y += kBandRows) {
      bands.push_back({i, y, std::min(y + kBandRows, planes[i].height())});
    }
  }
  return bands;
}

LumaStatistics Measure(const Plane& luma, int first, int end) {
  const int last = luma.height() - 1;
  LumaStatistics sums;
  for (int y = first; y < end; ++y) {
    const int above = y > 0 ? y - 1 : std::min(1, last);  // reflect-101
    const int below = y < last ? y + 1 : std::max(last - 1, 0);
    AddLumaRow({.above = luma.Row<std::uint8_t>(above),
                .row = luma.Row<std::uint8_t>(y),
                .below = luma.Row<std::uint8_t>(below),
                .width = luma.width()},
               sums);
  }
  return sums;
}

void Add(const LumaStatistics& part, LumaStatistics& sum) {
  sum.pixels += part.pixels;
  sum.laplacian_sum += part.laplacian_sum;
  sum.laplacian_square_sum += part.laplacian_square_sum;
  sum.dark += part.dark;
  sum.bright += part.bright;
}

class CpuLumaStatistics final : public CpuStage<LumaStatisticsStage> {
 public:
  using CpuStage::CpuStage;

  absl::Status Run(std::span<const Plane> luma, std::span<LumaStatistics> out) override {
    GLINT_RETURN_IF_ERROR(CheckCount("luma statistics: results", out.size(), luma.size()));
    for (const Plane& plane : luma) {
      GLINT_RETURN_IF_ERROR(CheckPlane("luma statistics: luma", plane, PixelType::kU8, Device()));
    }
    return HostCall("luma statistics", [&] {
      const std::vector<Band> bands = Bands(luma);
      std::vector<LumaStatistics> parts(bands.size());
      pool_.ParallelFor(std::ssize(bands), [&](std::int64_t i) {
        const Band& band = bands[static_cast<std::size_t>(i)];
        parts[static_cast<std::size_t>(i)] = Measure(luma[band.plane], band.first, band.end);
      });
      std::ranges::fill(out, LumaStatistics{});
      for (std::size_t i = 0; i < bands.size(); ++i) Add(parts[i], out[bands[i].plane]);
    });
  }
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(LumaStatistics, CpuLumaStatistics)

}  // namespace glint
