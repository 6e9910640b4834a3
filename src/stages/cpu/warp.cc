// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "base/for_rows.h"
#include "base/host_call.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "stages/cpu/stages.h"
#include "stages/cpu/warp_places.h"
#include "stages/shared/check_plane.h"
#include "stages/shared/check_warp.h"
#include "stages/shared/sheet_warp_arithmetic.h"
#include "stages/shared/towards_viewer.h"
#include "stages/shared/warp_coordinates.h"

namespace glint {
namespace {

using warp::kFractionBits;
using warp::kOnePixel;
using warp::Place;

// Reads pixels of `channels` bytes, also outside of the source.
template <int channels>
class Sampler {
 public:
  // The source's fields are copied, since writing bytes makes a compiler read them again through a
  // reference.
  Sampler(const Plane& source, std::optional<std::uint8_t> border)
      : pixels_(source.Row<std::uint8_t>(0)),
        stride_(source.stride()),
        last_x_(source.width() - 1),
        last_y_(source.height() - 1),
        replicate_(!border) {
    border_.fill(border.value_or(0));
  }

  void Nearest(Place place, std::uint8_t* out) const {
    const std::uint8_t* pixel =
        At((place.x + kOnePixel / 2) >> kFractionBits, (place.y + kOnePixel / 2) >> kFractionBits);
    std::copy_n(pixel, channels, out);
  }

  void Linear(Place place, std::uint8_t* out) const {
    const int x = place.x >> kFractionBits;  // rounds down, also below 0
    const int y = place.y >> kFractionBits;
    const warp::Weights weights(place);
    if (x >= 0 && y >= 0 && x < last_x_ && y < last_y_) {
      const std::uint8_t* top = Pixel(x, y);
      const std::uint8_t* bottom = top + stride_;
      Mix(weights, top, top + channels, bottom, bottom + channels, out);
    } else {
      Mix(weights, At(x, y), At(x + 1, y), At(x, y + 1), At(x + 1, y + 1), out);
    }
  }

 private:
  static void Mix(const warp::Weights& weights, const std::uint8_t* p00, const std::uint8_t* p01,
                  const std::uint8_t* p10, const std::uint8_t* p11, std::uint8_t* out) {
    std::array<std::uint8_t, channels> mixed;
    for (int c = 0; c < channels; ++c) {
      mixed[static_cast<std::size_t>(c)] = weights.Mix(p00[c], p01[c], p10[c], p11[c]);
    }
    std::ranges::copy(mixed, out);
  }

  const std::uint8_t* Pixel(int x, int y) const {
    return pixels_ + y * stride_ + std::ptrdiff_t{x} * channels;
  }

  const std::uint8_t* At(int x, int y) const {
    const int inner_x = std::clamp(x, 0, last_x_);
    const int inner_y = std::clamp(y, 0, last_y_);
    const bool outside = inner_x != x || inner_y != y;
    return outside && !replicate_ ? border_.data() : Pixel(inner_x, inner_y);
  }

  const std::uint8_t* pixels_;
  std::ptrdiff_t stride_;
  int last_x_;
  int last_y_;
  bool replicate_;
  std::array<std::uint8_t, channels> border_;
};

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
    for (std::size_t i = 0; i < places.x.size(); ++i, out += channels) {
      const Place place{places.x[i], places.y[i]};
      job.interpolation == Interpolation::kNearest ? sampler.Nearest(place, out)
                                                   : sampler.Linear(place, out);
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

/// Where the pixels of a row lie in a sheet: their own places and the displacement's.
struct SheetRow {
  std::vector<double> x, y;

  explicit SheetRow(int width)
      : x(static_cast<std::size_t>(width)), y(static_cast<std::size_t>(width)) {}

  void Fill(const Displacement& displacement, int row) {
    constexpr int kStep = Displacement::kStep;
    const int cell = row / kStep, fy = row % kStep;
    const auto nodes = [&](const Plane& plane, int i) { return plane.Row<std::int16_t>(cell + i); };
    const std::int16_t* top_x = nodes(displacement.x, 0);
    const std::int16_t* bottom_x = nodes(displacement.x, 1);
    const std::int16_t* top_y = nodes(displacement.y, 0);
    const std::int16_t* bottom_y = nodes(displacement.y, 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const int at = static_cast<int>(i), fx = at % kStep;
      const std::size_t node = i / kStep;
      x[i] = warp::Displaced(at, warp::BetweenNodes(top_x + node, bottom_x + node, fx, fy));
      y[i] = warp::Displaced(row, warp::BetweenNodes(top_y + node, bottom_y + node, fx, fy));
    }
  }
};

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
    SheetRow row(output.width());
    for (int y = rows.begin; y < rows.end; ++y) {
      row.Fill(displacement, y);
      places.FillAt(h, row.x.data(), row.y.data(), source.size());
      auto* out = output.Row<std::uint8_t>(y);
      for (std::size_t i = 0; i < places.x.size(); ++i) {
        sampler.Linear({places.x[i], places.y[i]}, out + i);
      }
    }
  }
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(Warp, CpuWarp)
GLINT_DEFINE_CPU_STAGE(SheetWarp, CpuSheetWarp)

}  // namespace glint
