// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/for_rows.h"
#include "base/host_call.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "stages/cpu/stages.h"
#include "stages/cpu/warp_places.h"
#include "stages/cpu/warp_sampler.h"
#include "stages/shared/check_plane.h"
#include "stages/shared/check_warp.h"
#include "stages/shared/sheet_warp_arithmetic.h"
#include "stages/shared/towards_viewer.h"
#include "stages/shared/warp_coordinates.h"

namespace glint {
namespace {

struct Job {
  const Plane& source;
  Homography h;
  Interpolation interpolation;
  std::optional<std::uint8_t> border;
  const Plane& output;
};

template <int channels>
void WarpRows(const Job& job, int first, int end) {
  const Sampler<channels> sampler(job.source, job.border);
  WarpPlaces places(job.output.width());
  for (int y = first; y < end; ++y) {
    places.Fill(job.h, y, job.source.size());
    auto* out = job.output.Row<std::uint8_t>(y);
    if (job.interpolation == Interpolation::kLinear) {
      LinearRow(sampler, places, out);
      continue;
    }
    for (std::size_t i = 0; i < places.x.size(); ++i, out += channels) {
      sampler.Nearest({places.x[i], places.y[i]}, out);
    }
  }
}

class CpuWarp final : public CpuStage<WarpStage> {
 public:
  using CpuStage::CpuStage;

  absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output, Size size,
                            Interpolation interpolation,
                            std::optional<std::uint8_t> border) override {
    const bool colour = source.type() == PixelType::kU8x3;
    const PixelType type = colour ? PixelType::kU8x3 : PixelType::kU8;
    GLINT_RETURN_IF_ERROR(CheckPlane("warp: source", source, type, Device()));
    GLINT_RETURN_IF_ERROR(CheckSize("warp: output", size));
    GLINT_RETURN_IF_ERROR(CheckHomography("warp", source_from_output));
    Plane output;
    GLINT_RETURN_IF_ERROR(HostCall("warp", [&] {
      output = Plane::Host(size, type);
      const Job job{source, warp::TowardsViewer(source_from_output, size), interpolation, border,
                    output};
      ForRows(pool_, size.height, [&](Rows rows) {
        colour ? WarpRows<3>(job, rows.begin, rows.end) : WarpRows<1>(job, rows.begin, rows.end);
      });
    }));
    return output;
  }
};

/// What lies between the nodes above and below a row.
void FillNodes(const Plane& nodes, int row, std::vector<std::int32_t>& out) {
  constexpr int kStep = Displacement::kStep;
  const int fy = row % kStep;
  const auto* top = nodes.Row<std::int16_t>(row / kStep);
  const auto* bottom = nodes.Row<std::int16_t>(row / kStep + 1);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (kStep - fy) * top[i] + fy * bottom[i];
}

class CpuSheetWarp final : public CpuStage<SheetWarpStage> {
 public:
  using CpuStage::CpuStage;

  absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output,
                            const Displacement& displacement, Size size) override {
    GLINT_RETURN_IF_ERROR(CheckPlane("sheet warp: source", source, PixelType::kU8, Device()));
    GLINT_RETURN_IF_ERROR(CheckSize("sheet warp: output", size));
    GLINT_RETURN_IF_ERROR(CheckHomography("sheet warp", source_from_output));
    GLINT_RETURN_IF_ERROR(CheckDisplacement("sheet warp", displacement, size));
    Plane output;
    GLINT_RETURN_IF_ERROR(HostCall("sheet warp", [&] {
      output = Plane::Host(size, PixelType::kU8);
      const Homography h = warp::TowardsViewer(source_from_output, size);
      ForRows(pool_, size.height,
              [&](Rows rows) { WarpRowsOf(source, h, displacement, rows, output); });
    }));
    return output;
  }

 private:
  static void WarpRowsOf(const Plane& source, const Homography& h, const Displacement& displacement,
                         Rows rows, const Plane& output) {
    const Sampler<1> sampler(source, std::nullopt);
    WarpPlaces places(output.width());
    const auto nodes = static_cast<std::size_t>(Displacement::NodesFor(output.size()).width);
    DisplacedRow row{.x = std::vector<std::int32_t>(nodes), .y = std::vector<std::int32_t>(nodes)};
    for (int y = rows.begin; y < rows.end; ++y) {
      row.row = y;
      FillNodes(displacement.x, y, row.x);
      FillNodes(displacement.y, y, row.y);
      places.FillDisplaced(h, row, source.size());
      LinearRow(sampler, places, output.Row<std::uint8_t>(y));
    }
  }
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(Warp, CpuWarp)
GLINT_DEFINE_CPU_STAGE(SheetWarp, CpuSheetWarp)

}  // namespace glint
