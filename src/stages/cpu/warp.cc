// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/warp.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "stages/check_plane.h"
#include "stages/cpu/host_call.h"
#include "stages/warp_coordinates.h"

namespace glint {
namespace {

using warp::kFractionBits;
using warp::kOnePixel;
using warp::Place;

constexpr int kBandRows = 16;  // that one thread takes at a time

// Reads pixels of `channels` bytes, also outside of the source.
template <int channels>
class Sampler {
 public:
  Sampler(const Plane& source, std::optional<std::uint8_t> border)
      : source_(source), replicate_(!border) {
    std::fill_n(border_, channels, border.value_or(0));
  }

  void Nearest(Place place, std::uint8_t* out) const {
    const std::uint8_t* pixel =
        At((place.x + kOnePixel / 2) >> kFractionBits, (place.y + kOnePixel / 2) >> kFractionBits);
    std::copy_n(pixel, channels, out);
  }

  void Linear(Place place, std::uint8_t* out) const {
    const int x = place.x >> kFractionBits;  // rounds down, also below 0
    const int y = place.y >> kFractionBits;
    const int fx = place.x & (kOnePixel - 1);
    const int fy = place.y & (kOnePixel - 1);
    const bool inside = x >= 0 && y >= 0 && x + 1 < source_.width() && y + 1 < source_.height();
    const std::uint8_t* p00 = inside ? Pixel(x, y) : At(x, y);
    const std::uint8_t* p01 = inside ? p00 + channels : At(x + 1, y);
    const std::uint8_t* p10 = inside ? p00 + source_.stride() : At(x, y + 1);
    const std::uint8_t* p11 = inside ? p10 + channels : At(x + 1, y + 1);
    for (int c = 0; c < channels; ++c) out[c] = warp::Mix(p00[c], p01[c], p10[c], p11[c], fx, fy);
  }

 private:
  const std::uint8_t* Pixel(int x, int y) const {
    return source_.Row<std::uint8_t>(y) + std::ptrdiff_t{x} * channels;
  }

  const std::uint8_t* At(int x, int y) const {
    const int inner_x = std::clamp(x, 0, source_.width() - 1);
    const int inner_y = std::clamp(y, 0, source_.height() - 1);
    const bool outside = inner_x != x || inner_y != y;
    return outside && !replicate_ ? border_ : Pixel(inner_x, inner_y);
  }

  const Plane& source_;
  bool replicate_;
  std::uint8_t border_[channels];
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
  const int width = job.output.width();
  std::vector<Place> places(static_cast<std::size_t>(width));
  for (int y = first; y < end; ++y) {
    for (int x = 0; x < width; ++x) {
      places[static_cast<std::size_t>(x)] =
          warp::PlaceOf(job.h.data(), x, y, job.source.width(), job.source.height());
    }
    auto* out = job.output.Row<std::uint8_t>(y);
    if (job.interpolation == Interpolation::kNearest) {
      for (const Place place : places) sampler.Nearest(place, std::exchange(out, out + channels));
    } else {
      for (const Place place : places) sampler.Linear(place, std::exchange(out, out + channels));
    }
  }
}

class CpuWarp final : public WarpStage {
 public:
  explicit CpuWarp(ThreadPool* pool) : pool_(*pool) {}

  absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output, Size size,
                            Interpolation interpolation,
                            std::optional<std::uint8_t> border) override {
    const bool colour = source.type() == PixelType::kU8x3;
    const PixelType type = colour ? PixelType::kU8x3 : PixelType::kU8;
    if (auto status = CheckPlane("warp: source", source, type, Device()); !status.ok()) {
      return status;
    }
    if (auto status = CheckSize("warp: output", size); !status.ok()) return status;
    if (!std::ranges::all_of(source_from_output, [](double v) { return std::isfinite(v); })) {
      return Error(Reason::kInvalidOption,
                   "warp: the homography holds numbers that are not finite");
    }
    Plane output;
    const absl::Status done = HostCall("warp", [&] {
      output = Plane::Host(size, type);
      const Job job{source, warp::TowardsViewer(source_from_output, size), interpolation, border,
                    output};
      pool_.ParallelFor((size.height + kBandRows - 1) / kBandRows, [&](std::int64_t band) {
        const int first = static_cast<int>(band) * kBandRows;
        const int end = std::min(first + kBandRows, size.height);
        colour ? WarpRows<3>(job, first, end) : WarpRows<1>(job, first, end);
      });
    });
    if (!done.ok()) return done;
    return output;
  }

 private:
  ThreadPool& pool_;
};

}  // namespace

std::unique_ptr<WarpStage> MakeCpuWarp(ThreadPool* pool) { return std::make_unique<CpuWarp>(pool); }

}  // namespace glint
