// SPDX-License-Identifier: Apache-2.0
// Residuals in units of their noise, averaged over neighbouring views.
//
// Plain loops; included once per instruction set, for which the compiler turns them into vectors.
#if defined(GLINT_PHOTOMETRIC_GROUPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GLINT_PHOTOMETRIC_GROUPS_INL_H
#undef GLINT_PHOTOMETRIC_GROUPS_INL_H
#else
#define GLINT_PHOTOMETRIC_GROUPS_INL_H
#endif

#include <algorithm>
#include <vector>

#include "stages/cpu/photometric/targets.h"
#include "stages/shared/photometric_arithmetic.h"

HWY_BEFORE_NAMESPACE();
namespace glint::photometric::HWY_NAMESPACE {

/// One row of a view: the residual in units of the expected noise, and whether it is there.
struct UnitRow {
  std::int16_t* rest;
  std::uint16_t* seen;  ///< 0 or 1
};

inline void WriteUnits(const std::int16_t* HWY_RESTRICT residual, const float* HWY_RESTRICT scale,
                       const std::uint8_t* HWY_RESTRICT valid,
                       const std::uint8_t* HWY_RESTRICT surface, float max_residual_sigmas,
                       int width, UnitRow out) {
  std::int16_t* HWY_RESTRICT rest = out.rest;
  std::uint16_t* HWY_RESTRICT seen = out.seen;
  for (int x = 0; x < width; ++x) rest[x] = Normalise(residual[x], scale[x], max_residual_sigmas);
  for (int x = 0; x < width; ++x) seen[x] = valid[x] != 0 && surface[x] != 0 ? 1 : 0;
}

/// Sums over 25x25 windows of the noise and of what is seen.
class NoiseSums {
 public:
  NoiseSums(int width, const LineEvidenceParams& params)
      : width_(width),
        params_(params),
        padded_(static_cast<std::size_t>(width + 2 * kNoiseRadius)),
        noise_(padded_),
        count_(padded_),
        noise_fives_(padded_),
        count_fives_(padded_) {}

  void Clear() {
    std::fill(noise_.begin(), noise_.end(), std::uint16_t{0});
    std::fill(count_.begin(), count_.end(), std::uint16_t{0});
  }

  void Slide(UnitRow entering, UnitRow leaving) {
    const UnitRow in = entering, out = leaving;
    std::uint16_t* HWY_RESTRICT noise = noise_.data() + kNoiseRadius;
    std::uint16_t* HWY_RESTRICT count = count_.data() + kNoiseRadius;
    const int most = params_.max_noise_sigmas;
    for (int x = 0; x < width_; ++x) {
      noise[x] = static_cast<std::uint16_t>(noise[x] + Magnitude(in.rest[x], most) -
                                            Magnitude(out.rest[x], most));
      count[x] = static_cast<std::uint16_t>(count[x] + in.seen[x] - out.seen[x]);
    }
  }

  /// Adds the attenuated residuals of a row to the group's sums.
  void AddTo(UnitRow row, std::int16_t* HWY_RESTRICT sums, std::uint8_t* HWY_RESTRICT counts) {
    SumFives(noise_.data(), noise_fives_.data());
    SumFives(count_.data(), count_fives_.data());
    const std::uint16_t* HWY_RESTRICT n = noise_fives_.data();
    const std::uint16_t* HWY_RESTRICT c = count_fives_.data();
    const std::int16_t* HWY_RESTRICT rest = row.rest;
    const std::uint16_t* HWY_RESTRICT seen = row.seen;
    const float usual = params_.usual_noise_sigmas;
    for (int x = 0; x < width_; ++x) {
      const auto noise =
          static_cast<std::uint16_t>(n[x] + n[x + 5] + n[x + 10] + n[x + 15] + n[x + 20]);
      const auto count =
          static_cast<std::uint16_t>(c[x] + c[x + 5] + c[x + 10] + c[x + 15] + c[x + 20]);
      const std::int16_t value = Attenuate(rest[x], noise, count | (seen[x] ^ 1), usual);
      sums[x] = static_cast<std::int16_t>(sums[x] + (seen[x] != 0 ? value : 0));
    }
    for (int x = 0; x < width_; ++x) counts[x] = static_cast<std::uint8_t>(counts[x] + seen[x]);
  }

 private:
  static_assert(2 * kNoiseRadius + 1 == 5 * 5);

  void SumFives(const std::uint16_t* HWY_RESTRICT from, std::uint16_t* HWY_RESTRICT to) const {
    for (std::size_t i = 0; i + 4 < padded_; ++i) {
      to[i] = static_cast<std::uint16_t>(from[i] + from[i + 1] + from[i + 2] + from[i + 3] +
                                         from[i + 4]);
    }
  }

  int width_;
  LineEvidenceParams params_;
  std::size_t padded_;
  std::vector<std::uint16_t> noise_, count_, noise_fives_, count_fives_;
};

/// The rows of a view that a window covers.
class UnitRing {
 public:
  explicit UnitRing(int width)
      : width_(static_cast<std::size_t>(width)), rest_(kRows * width_), seen_(kRows * width_) {}

  /// Row y, -kRows .. ; row y + kRows takes its place.
  UnitRow Row(int y) {
    const std::size_t at = static_cast<std::size_t>((y + kRows) % kRows) * width_;
    return {&rest_[at], &seen_[at]};
  }
  /// Nothing is seen, in all rows or in one.
  void Clear() {
    std::fill(rest_.begin(), rest_.end(), std::int16_t{0});
    std::fill(seen_.begin(), seen_.end(), std::uint16_t{0});
  }
  void Clear(int y) {
    const UnitRow row = Row(y);
    std::fill_n(row.rest, width_, std::int16_t{0});
    std::fill_n(row.seen, width_, std::uint16_t{0});
  }

 private:
  static constexpr int kRows = 2 * kNoiseRadius + 2;
  std::size_t width_;
  std::vector<std::int16_t> rest_;
  std::vector<std::uint16_t> seen_;
};

/// Sums the views of one group.
class GroupSum {
 public:
  /// @param size  of the views  @param written  rows that Finish writes, of these
  GroupSum(Size size, Rows written, const LineEvidenceParams& params)
      : size_(size),
        written_(written),
        summed_{std::max(written.begin - kGroupReach, 0),
                std::min(written.end + kGroupReach, size.height)},
        params_(params),
        sums_(Plane::Host({size.width, summed_.end - summed_.begin}, PixelType::kS16)),
        counts_(Plane::Host(sums_.size(), PixelType::kU8)),
        ring_(size.width),
        noise_(size.width, params) {
    for (int y = 0; y < sums_.height(); ++y) {
      std::fill_n(sums_.Row<std::int16_t>(y), size.width, std::int16_t{0});
      std::fill_n(counts_.Row<std::uint8_t>(y), size.width, std::uint8_t{0});
    }
  }

  void Add(const StoredPlane& stored, const Plane& valid, const Plane& surface,
           const Plane& scale) {
    noise_.Clear();
    ring_.Clear();
    const Rows seen{std::max(summed_.begin - kNoiseRadius, 0),
                    std::min(summed_.end + kNoiseRadius, size_.height)};
    const Plane residual = stored.RowsOf(seen.begin, seen.end);
    // The window is empty until the first row that it covers at the first that is summed.
    const int first = seen.begin - kNoiseRadius;
    for (int y = first; y < summed_.end; ++y) {
      const int entering = y + kNoiseRadius;
      if (entering < size_.height) {
        WriteUnits(residual.Row<std::int16_t>(entering - seen.begin), scale.Row<float>(entering),
                   valid.Row<std::uint8_t>(entering), surface.Row<std::uint8_t>(entering),
                   params_.max_residual_sigmas, size_.width, ring_.Row(entering));
      } else {
        ring_.Clear(entering);
      }
      noise_.Slide(ring_.Row(entering), ring_.Row(y - kNoiseRadius - 1));
      if (y < summed_.begin) continue;
      const int at = y - summed_.begin;
      noise_.AddTo(ring_.Row(y), sums_.Row<std::int16_t>(at), counts_.Row<std::uint8_t>(at));
    }
  }

  /// Divides by the root of the number of views, smooths, and writes the group.
  void Finish(PaddedGroup& out) {
    std::int32_t weights[256];
    for (int n = 0; n < 256; ++n) weights[n] = RootWeight(n);
    for (int y = 0; y < sums_.height(); ++y) {
      auto* HWY_RESTRICT row = sums_.Row<std::int16_t>(y);
      const auto* HWY_RESTRICT counts = counts_.Row<std::uint8_t>(y);
      for (int x = 0; x < size_.width; ++x) row[x] = RootMean(row[x], weights[counts[x]]);
    }
    std::vector<std::int32_t> columns(static_cast<std::size_t>(size_.width + 2 * kGroupReach));
    for (int y = written_.begin; y < written_.end; ++y) {
      SumColumns(y, columns.data() + kGroupReach);
      WriteRow(columns.data() + kGroupReach, out.Row(y));
    }
  }

 private:
  void SumColumns(int y, std::int32_t* HWY_RESTRICT columns) const {
    const auto row = [&](int i) {
      return sums_.Row<std::int16_t>(Reflect101(i, size_.height) - summed_.begin);
    };
    const std::int16_t* a = row(y - 3);
    const std::int16_t* b = row(y - 2);
    const std::int16_t* c = row(y - 1);
    const std::int16_t* d = row(y);
    const std::int16_t* e = row(y + 1);
    const std::int16_t* f = row(y + 2);
    const std::int16_t* g = row(y + 3);
    const int width = size_.width;
    for (int x = 0; x < width; ++x) {
      columns[x] = GroupColumn(a[x], b[x], c[x], d[x], e[x], f[x], g[x]);
    }
    for (int i = 1; i <= kGroupReach; ++i) {
      columns[-i] = columns[Reflect101(-i, width)];
      columns[width - 1 + i] = columns[Reflect101(width - 1 + i, width)];
    }
  }

  void WriteRow(const std::int32_t* HWY_RESTRICT columns, std::int16_t* HWY_RESTRICT out) const {
    for (int x = 0; x < size_.width; ++x) out[x] = GroupRow(columns + x);
  }

  Size size_;
  Rows written_, summed_;
  LineEvidenceParams params_;
  Plane sums_;  // of rows summed_, as counts_
  Plane counts_;
  UnitRing ring_;
  NoiseSums noise_;
};

inline void SumGroup(const PhotometricViews& views, std::span<const StoredPlane> residuals,
                     const Plane& scale, const LineEvidenceParams& params, int begin, int end,
                     PaddedGroup& out) {
  const Size size = scale.size();
  const Rows written{std::max(out.rows().begin - PaddedGroup::kMargin, 0),
                     std::min(out.rows().end + PaddedGroup::kMargin, size.height)};
  GroupSum sum(size, written, params);
  for (int i = begin; i < end; ++i) {
    const auto view = static_cast<std::size_t>(i);
    sum.Add(residuals[view], views.valid[view], views.surface, scale);
  }
  sum.Finish(out);
}

}  // namespace glint::photometric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
