// SPDX-License-Identifier: Apache-2.0
#include "photometric_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric_reference {
namespace {

using photometric::Reflect101;

/// Integers of one picture.
class Grid {
 public:
  explicit Grid(Size size, std::int64_t value = 0)
      : size_(size), values_(static_cast<std::size_t>(size.area()), value) {}
  Size size() const { return size_; }
  std::int64_t& operator()(int x, int y) {
    return values_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) +
                   static_cast<std::size_t>(x)];
  }
  std::int64_t operator()(int x, int y) const { return const_cast<Grid&>(*this)(x, y); }
  std::int64_t Reflected(int x, int y) const {
    return (*this)(Reflect101(x, size_.width), Reflect101(y, size_.height));
  }
  std::int64_t OrZero(int x, int y) const {
    return x < 0 || y < 0 || x >= size_.width || y >= size_.height ? 0 : (*this)(x, y);
  }

 private:
  Size size_;
  std::vector<std::int64_t> values_;
};

void ForPixels(Size size, const std::function<void(int x, int y)>& work) {
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) work(x, y);
  }
}

template <class T>
Plane ToPlane(const Grid& grid, PixelType type) {
  Plane plane = Plane::Host(grid.size(), type);
  ForPixels(grid.size(), [&](int x, int y) { plane.Row<T>(y)[x] = static_cast<T>(grid(x, y)); });
  return plane;
}

bool Seen(const PhotometricViews& views, std::size_t view, int x, int y) {
  return views.valid[view].Row<std::uint8_t>(y)[x] != 0 &&
         views.surface.Row<std::uint8_t>(y)[x] != 0;
}

std::int64_t Median(std::vector<std::int64_t> values, std::int64_t none) {
  if (values.empty()) return none;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The sum over a square window; outside counts as 0.
std::int64_t BoxSum(const Grid& grid, int x, int y, int radius) {
  std::int64_t sum = 0;
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) sum += grid.OrZero(x + dx, y + dy);
  }
  return sum;
}

/// Convolution with the outer product of symmetric taps; reflect-101.
std::int64_t Convolve(const Grid& grid, int x, int y, const std::vector<int>& taps) {
  const int reach = static_cast<int>(taps.size()) - 1;
  std::int64_t sum = 0;
  for (int dy = -reach; dy <= reach; ++dy) {
    for (int dx = -reach; dx <= reach; ++dx) {
      sum += std::int64_t{taps[static_cast<std::size_t>(std::abs(dx))]} *
             taps[static_cast<std::size_t>(std::abs(dy))] * grid.Reflected(x + dx, y + dy);
    }
  }
  return sum;
}

Grid Smooth(const Plane& grey) {
  Grid from(grey.size()), to(grey.size());
  ForPixels(grey.size(), [&](int x, int y) { from(x, y) = grey.Row<std::uint8_t>(y)[x]; });
  ForPixels(grey.size(), [&](int x, int y) {
    to(x, y) = (Convolve(from, x, y, {128, 58, 6}) + 512) >> 10;
  });
  return to;
}

Grid LargestOf3x3(const Grid& grid) {
  Grid out(grid.size());
  ForPixels(grid.size(), [&](int x, int y) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) out(x, y) = std::max(out(x, y), grid.OrZero(x + dx, y + dy));
    }
  });
  return out;
}

/// The rests of one view by the model with these weights, and the weight of each window.
struct Fit {
  std::vector<float> rest;
  Grid weight;
};

Fit FitModel(const Grid& weight, const Grid& albedo, const Grid& view) {
  const Size size = view.size();
  const auto coarse = [](std::int64_t grey) { return ((grey + 8) >> 4) - 512; };
  Grid m(size), v(size), mv(size), mm(size);
  ForPixels(size, [&](int x, int y) {
    const std::int64_t w = weight(x, y), a = coarse(albedo(x, y)), b = coarse(view(x, y));
    m(x, y) = w * a;
    v(x, y) = w * b;
    mv(x, y) = w * a * b;
    mm(x, y) = w * a * a;
  });
  Fit fit{.rest = {}, .weight = Grid(size)};
  ForPixels(size, [&](int x, int y) {
    const auto sum = [&](const Grid& grid) {
      return static_cast<std::int32_t>(BoxSum(grid, x, y, photometric::kModelRadius));
    };
    fit.weight(x, y) = sum(weight);
    const photometric::WindowSums sums = {
        .weight = std::max(sum(weight), 1), .m = sum(m), .v = sum(v), .mv = sum(mv), .mm = sum(mm)};
    fit.rest.push_back(photometric::Rest(sums, static_cast<std::int16_t>(albedo(x, y)),
                                         static_cast<std::int16_t>(view(x, y)), 25));
  });
  return fit;
}

/// What gain and offset do not explain of the veiled albedo.
Grid FitCurve(const Plane& surface, const Grid& albedo) {
  const Size size = surface.size();
  Grid weight(size), veiled(size), curve(size);
  ForPixels(size, [&](int x, int y) {
    weight(x, y) = surface.Row<std::uint8_t>(y)[x] != 0 ? 16 : 0;
    veiled(x, y) = photometric::Veiled(static_cast<std::int16_t>(albedo(x, y)), 2);
  });
  const Fit fit = FitModel(weight, albedo, veiled);
  std::size_t at = 0;
  ForPixels(size, [&](int x, int y) {
    const float rest = fit.rest[at++];
    if (weight(x, y) != 0) curve(x, y) = photometric::QuantiseCurve(rest);
  });
  return curve;
}

/// The rests without the curve's share.
Grid RemoveToneCurve(const Grid& rest, const Grid& weight, const Grid& curve) {
  Grid product(rest.size()), square(rest.size()), out(rest.size());
  ForPixels(rest.size(), [&](int x, int y) {
    const std::int64_t c = curve(x, y);
    const std::int64_t r = std::clamp<std::int64_t>((rest(x, y) + 2) >> 2, -511, 511);
    product(x, y) = weight(x, y) * c * r;
    square(x, y) = weight(x, y) * c * c;
  });
  ForPixels(rest.size(), [&](int x, int y) {
    const auto sum = [&](const Grid& grid) {
      return static_cast<std::int32_t>(BoxSum(grid, x, y, photometric::kModelRadius));
    };
    out(x, y) = photometric::Straighten(static_cast<std::int16_t>(rest(x, y)),
                                        static_cast<std::int16_t>(curve(x, y)),
                                        {.product = sum(product), .square = sum(square)}, 2);
  });
  return out;
}

Grid FromPlane(const Plane& plane) {
  Grid grid(plane.size());
  ForPixels(plane.size(), [&](int x, int y) {
    grid(x, y) = plane.type() == PixelType::kS16 ? plane.Row<std::int16_t>(y)[x]
                                                 : plane.Row<std::int32_t>(y)[x];
  });
  return grid;
}

/// One view in units of the noise, attenuated where it is noisier than usual; 1/128 sigma.
Grid Attenuated(const PhotometricViews& views, std::size_t view, const Plane& residual,
                const Albedo& albedo, const NoiseModel& noise) {
  const Size size = residual.size();
  Grid rest(size), magnitude(size), seen(size), out(size);
  ForPixels(size, [&](int x, int y) {
    const float scale = photometric::InverseNoise(noise, albedo.gradient.Row<std::int32_t>(y)[x],
                                                  albedo.curvature.Row<std::int32_t>(y)[x]) *
                        (static_cast<float>(photometric::kSigma) / photometric::kGrey);
    rest(x, y) = photometric::Normalise(residual.Row<std::int16_t>(y)[x], scale, 8);
    magnitude(x, y) = std::min<std::int64_t>(std::abs(rest(x, y)), 96);
    seen(x, y) = Seen(views, view, x, y) ? 1 : 0;
  });
  ForPixels(size, [&](int x, int y) {
    if (seen(x, y) == 0) return;
    out(x, y) = photometric::Attenuate(
        static_cast<std::int16_t>(rest(x, y)),
        static_cast<std::uint16_t>(BoxSum(magnitude, x, y, photometric::kNoiseRadius)),
        static_cast<std::uint16_t>(BoxSum(seen, x, y, photometric::kNoiseRadius)), 0.8F);
  });
  return out;
}

struct Group {
  Grid value;  ///< 1/32 sigma
  Grid seen;   ///< views
};

Group MakeGroup(const PhotometricViews& views, const std::vector<Plane>& residuals,
                const Albedo& albedo, const NoiseModel& noise, int begin, int end) {
  const Size size = albedo.grey.size();
  Grid sum(size);
  Group group{.value = Grid(size), .seen = Grid(size)};
  for (int i = begin; i < end; ++i) {
    const auto view = static_cast<std::size_t>(i);
    const Grid attenuated = Attenuated(views, view, residuals[view], albedo, noise);
    ForPixels(size, [&](int x, int y) {
      sum(x, y) += attenuated(x, y);
      group.seen(x, y) += Seen(views, view, x, y) ? 1 : 0;
    });
  }
  ForPixels(size, [&](int x, int y) {
    const auto n = static_cast<double>(group.seen(x, y));
    const std::int64_t weight = n > 0 ? std::llround(4096 / std::sqrt(n)) : 0;
    sum(x, y) = (sum(x, y) * weight + 2048) >> 12;
  });
  ForPixels(size, [&](int x, int y) {
    const std::int64_t value = (Convolve(sum, x, y, {102, 62, 14, 1}) + (1 << 17)) >> 18;
    group.value(x, y) = std::clamp<std::int64_t>(value, -256, 256);
  });
  return group;
}

/// Squared response of a line filter, along the line from (x, y).
std::int64_t SquaredResponse(const Grid& value, int x, int y, int direction,
                             const std::vector<int>& taps) {
  const double angle = std::acos(-1.0) * direction / photometric::kDirections;
  const int reach = static_cast<int>(taps.size()) - 1;
  std::int64_t sum = 0;
  for (int tap = -reach; tap <= reach; ++tap) {
    const int dx = static_cast<int>(std::lround(2 * tap * std::cos(angle)));
    const int dy = static_cast<int>(std::lround(2 * tap * std::sin(angle)));
    sum += taps[static_cast<std::size_t>(std::abs(tap))] * value.OrZero(x + dx, y + dy);
  }
  const std::int64_t response = (sum + 2) >> 2;
  return response * response;
}

/// The energy between four pixels, times 1024.
std::int64_t Bilinear(const Grid& energy, int x, int y, double dx, double dy) {
  const std::int64_t px = 32 * std::int64_t{x} + std::lround(32 * dx);
  const std::int64_t py = 32 * std::int64_t{y} + std::lround(32 * dy);
  const std::int64_t fx = px & 31, fy = py & 31;
  const int left = static_cast<int>(px >> 5), top = static_cast<int>(py >> 5);
  return (32 - fx) * (32 - fy) * energy.OrZero(left, top) +
         fx * (32 - fy) * energy.OrZero(left + 1, top) +
         (32 - fx) * fy * energy.OrZero(left, top + 1) + fx * fy * energy.OrZero(left + 1, top + 1);
}

}  // namespace

Albedo MakeAlbedo(const PhotometricViews& views) {
  const Size size = views.surface.size();
  std::vector<Grid> smooth;
  for (const Plane& grey : views.greys) smooth.push_back(Smooth(grey));
  Grid median(size), count(size), gradient(size), curvature(size);
  ForPixels(size, [&](int x, int y) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < smooth.size(); ++i) {
      if (Seen(views, i, x, y)) values.push_back(smooth[i](x, y));
    }
    count(x, y) = static_cast<std::int64_t>(values.size());
    median(x, y) = Median(std::move(values), std::int64_t{128} * 64);
  });
  ForPixels(size, [&](int x, int y) {
    std::int64_t gx = 0, gy = 0, laplacian = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const std::int64_t value = median.Reflected(x + dx, y + dy);
        gx += (dy == 0 ? 2 : 1) * value * dx;
        gy += (dx == 0 ? 2 : 1) * value * dy;
        laplacian += (dx == 0 && dy == 0 ? -4 : dx == 0 || dy == 0 ? 1 : 0) * value;
      }
    }
    const std::int64_t a = (gx + 2) >> 2, b = (gy + 2) >> 2;
    gradient(x, y) = a * a + b * b;
    curvature(x, y) = std::abs(laplacian);
  });
  return {.grey = ToPlane<std::int16_t>(median, PixelType::kS16),
          .gradient = ToPlane<std::int32_t>(LargestOf3x3(gradient), PixelType::kS32),
          .curvature = ToPlane<std::int32_t>(LargestOf3x3(curvature), PixelType::kS32),
          .count = ToPlane<std::uint8_t>(count, PixelType::kU8)};
}

std::vector<Plane> MakeResiduals(const PhotometricViews& views, const Albedo& albedo) {
  const Size size = views.surface.size();
  const Grid m = FromPlane(albedo.grey);
  const Grid curve = FitCurve(views.surface, m);
  std::vector<Plane> residuals;
  for (std::size_t i = 0; i < views.greys.size(); ++i) {
    const Grid view = Smooth(views.greys[i]);
    Grid first(size), second(size), out(size);
    ForPixels(size, [&](int x, int y) { first(x, y) = Seen(views, i, x, y) ? 16 : 0; });
    const auto weight_of = [&](int x, int y, float rest) -> std::int64_t {
      const float bound =
          photometric::InverseNoise({.base = 1, .gradient = 0.01F, .curvature = 0.01F},
                                    albedo.gradient.Row<std::int32_t>(y)[x],
                                    albedo.curvature.Row<std::int32_t>(y)[x]) *
          (1.0F / (3 * photometric::kGrey));
      return first(x, y) != 0 ? photometric::RobustWeight(rest, bound) : 0;
    };
    const Fit rough = FitModel(first, m, view);
    std::size_t at = 0;
    ForPixels(size, [&](int x, int y) { second(x, y) = weight_of(x, y, rough.rest[at++]); });
    const Fit fit = FitModel(second, m, view);
    at = 0;
    ForPixels(size, [&](int x, int y) {
      const float rest = fit.rest[at++];
      if (first(x, y) != 0 && fit.weight(x, y) >= 16) out(x, y) = photometric::QuantiseRest(rest);
    });
    Grid third(size);
    ForPixels(size,
              [&](int x, int y) { third(x, y) = weight_of(x, y, static_cast<float>(out(x, y))); });
    residuals.push_back(ToPlane<std::int16_t>(RemoveToneCurve(out, third, curve), PixelType::kS16));
  }
  return residuals;
}

Plane MakeMedianMagnitude(const PhotometricViews& views, const std::vector<Plane>& residuals) {
  Grid out(views.surface.size());
  ForPixels(out.size(), [&](int x, int y) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      if (Seen(views, i, x, y)) values.push_back(std::abs(residuals[i].Row<std::int16_t>(y)[x]));
    }
    out(x, y) = Median(std::move(values), 0);
  });
  return ToPlane<std::int16_t>(out, PixelType::kS16);
}

LineEvidence MakeLineEvidence(const PhotometricViews& views, const std::vector<Plane>& residuals,
                              const Albedo& albedo, const NoiseModel& noise) {
  const Size size = views.surface.size();
  const int count = static_cast<int>(residuals.size());
  const int group_count = std::min(24, count);
  std::vector<Group> groups;
  for (int i = 0, begin = 0; i < group_count; ++i) {
    const int end = begin + count / group_count + (i < count % group_count ? 1 : 0);
    groups.push_back(MakeGroup(views, residuals, albedo, noise, begin, end));
    begin = end;
  }
  Grid energy(size), direction(size), point(size);
  ForPixels(size, [&](int x, int y) {
    std::int64_t best = -1, best_short = 0, present = 0;
    for (const Group& group : groups) present += group.seen(x, y) > 0 ? 1 : 0;
    for (int d = 0; d < photometric::kDirections; ++d) {
      std::int64_t long_sum = 0, short_sum = 0;
      for (const Group& group : groups) {
        long_sum += SquaredResponse(group.value, x, y, d, {15, 14, 11, 7, 4, 2});
        short_sum += SquaredResponse(group.value, x, y, d, {24, 15, 3});
      }
      if (long_sum <= best) continue;
      best = long_sum;
      best_short = short_sum;
      direction(x, y) = d;
    }
    if (albedo.count.Row<std::uint8_t>(y)[x] < 5) return;
    const int divisor = static_cast<int>(std::max<std::int64_t>(present, 1));
    energy(x, y) = photometric::RootMeanSquare(static_cast<std::int32_t>(best), divisor);
    point(x, y) = photometric::RootMeanSquare(static_cast<std::int32_t>(best_short), divisor);
  });
  return {.energy = ToPlane<std::int32_t>(energy, PixelType::kS32),
          .direction = ToPlane<std::uint8_t>(direction, PixelType::kU8),
          .point = ToPlane<std::int32_t>(point, PixelType::kS32)};
}

Plane MakeRidges(const LineEvidence& evidence, std::int32_t above_energy,
                 std::int32_t above_point) {
  const Grid energy = FromPlane(evidence.energy);
  Grid out(energy.size());
  ForPixels(energy.size(), [&](int x, int y) {
    if (energy(x, y) <= above_energy || evidence.point.Row<std::int32_t>(y)[x] <= above_point) {
      return;
    }
    const double angle =
        std::acos(-1.0) * evidence.direction.Row<std::uint8_t>(y)[x] / photometric::kDirections;
    bool ridge = true;
    for (int d = -8; d <= 8; ++d) {
      if (d == 0) continue;
      const std::int64_t other = Bilinear(energy, x, y, -std::sin(angle) * d, std::cos(angle) * d);
      const std::int64_t own = 1024 * energy(x, y);
      ridge = ridge && (std::abs(d) <= 3 ? own >= other : 100 * own >= 55 * other);
    }
    out(x, y) = ridge ? 255 : 0;
  });
  return ToPlane<std::uint8_t>(out, PixelType::kU8);
}

}  // namespace glint::photometric_reference
