// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "base/for_rows.h"
#include "base/host_call.h"
#include "base/status_macros.h"
#include "stages/cpu/photometric/targets.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_views.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint {
namespace {

using photometric::Reflect101;

/// A row with one reflected value on either side.
class ReflectedRow {
 public:
  explicit ReflectedRow(int width) : values_(static_cast<std::size_t>(width) + 2) {}

  const std::int16_t* Fill(const Plane& plane, int y) {
    const int width = plane.width();
    const auto* row = plane.Row<std::int16_t>(Reflect101(y, plane.height()));
    std::copy_n(row, width, values_.begin() + 1);
    values_.front() = row[Reflect101(-1, width)];
    values_.back() = row[Reflect101(width, width)];
    return values_.data() + 1;
  }

 private:
  std::vector<std::int16_t> values_;
};

void Differentiate(const Plane& grey, Rows rows, const Plane& gradient, const Plane& curvature) {
  const int width = grey.width();
  ReflectedRow a(width), b(width), c(width);
  for (int y = rows.begin; y < rows.end; ++y) {
    const std::int16_t* above = a.Fill(grey, y - 1);
    const std::int16_t* row = b.Fill(grey, y);
    const std::int16_t* below = c.Fill(grey, y + 1);
    auto* g = gradient.Row<std::int32_t>(y);
    auto* l = curvature.Row<std::int32_t>(y);
    for (int x = 0; x < width; ++x) {
      g[x] = photometric::SquaredGradient(above + x, row + x, below + x);
      l[x] = photometric::AbsLaplacian(above + x, row + x, below + x);
    }
  }
}

/// The largest value in 3x3; what lies outside takes no part.
void Dilate(const Plane& in, Rows rows, const Plane& out) {
  const int width = in.width();
  std::vector<std::int32_t> columns(static_cast<std::size_t>(width) + 2);
  for (int y = rows.begin; y < rows.end; ++y) {
    const auto* above = in.Row<std::int32_t>(std::max(y - 1, 0));
    const auto* row = in.Row<std::int32_t>(y);
    const auto* below = in.Row<std::int32_t>(std::min(y + 1, in.height() - 1));
    for (int x = 0; x < width; ++x) {
      columns[static_cast<std::size_t>(x) + 1] = std::max({above[x], row[x], below[x]});
    }
    columns.front() = columns[1];
    columns.back() = columns[static_cast<std::size_t>(width)];
    auto* largest = out.Row<std::int32_t>(y);
    for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
      largest[x] = std::max({columns[x], columns[x + 1], columns[x + 2]});
    }
  }
}

class CpuAlbedo final : public CpuStage<AlbedoStage> {
 public:
  using CpuStage::CpuStage;

  absl::StatusOr<Albedo> Run(const PhotometricViews& views) override {
    GLINT_RETURN_IF_ERROR(photometric::CheckViews("artwork", views, {}));
    Albedo albedo;
    GLINT_RETURN_IF_ERROR(HostCall("artwork", [&] { albedo = Compute(views); }));
    return albedo;
  }

 private:
  Albedo Compute(const PhotometricViews& views) {
    const Size size = views.surface.size();
    Albedo albedo{.grey = Plane::Host(size, PixelType::kS16),
                  .gradient = Plane::Host(size, PixelType::kS32),
                  .curvature = Plane::Host(size, PixelType::kS32),
                  .count = Plane::Host(size, PixelType::kU8)};
    const auto network = photometric::SortingNetwork(static_cast<int>(views.greys.size()));
    ForRows(pool_, size.height, [&](Rows rows) {
      photometric::MedianOfViews(views, network, rows, albedo.grey, albedo.count);
    });
    const Plane gradient = Plane::Host(size, PixelType::kS32);
    const Plane curvature = Plane::Host(size, PixelType::kS32);
    ForRows(pool_, size.height,
            [&](Rows rows) { Differentiate(albedo.grey, rows, gradient, curvature); });
    ForRows(pool_, size.height, [&](Rows rows) {
      Dilate(gradient, rows, albedo.gradient);
      Dilate(curvature, rows, albedo.curvature);
    });
    return albedo;
  }
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(Albedo, CpuAlbedo)

}  // namespace glint
