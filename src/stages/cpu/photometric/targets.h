// SPDX-License-Identifier: Apache-2.0
// The loops of `photometric` for the instruction set of this processor. All give the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/for_rows.h"
#include "glint/photometric_stages.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Puts the smaller of two values at place `low`.
struct Exchange {
  std::uint8_t low, high;
};

/// The exchanges that sort `count` values: K. E. Batcher's merge exchange (D. E. Knuth, The Art of
/// Computer Programming, vol. 3, algorithm 5.2.2M).
std::vector<Exchange> SortingNetwork(int count);

/// Median of the smoothed views, and how many are valid, for some rows.
void MedianOfViews(const PhotometricViews& views, std::span<const Exchange> network, Rows rows,
                   const Plane& grey, const Plane& counts);

/// Median of the residuals' magnitudes, for some rows.
/// @param residuals  their rows from `first_row` on
void MedianOfMagnitudes(const PhotometricViews& views, std::span<const Plane> residuals,
                        int first_row, std::span<const Exchange> network, Rows rows,
                        const Plane& out);

inline constexpr int kByteTile = 256;  ///< bytes of a row that are sorted together: stay in cache

/// Sorts bytes by a network, kByteTile of them side by side. @param values  so many per place of it
void SortBytes(std::span<const Exchange> network, std::uint8_t* values);

/// What the model of every view needs of the albedo.
struct ModelInput {
  Plane albedo;         ///< kS16, 1/64 grey
  Plane coarse;         ///< kS16: Coarse(albedo)
  Plane inverse_bound;  ///< kF32: InverseBound()
  Plane curve;          ///< kS16: FitCurve() of it, 1/16 grey
  ResidualParams params;
};

/// What gain and offset do not explain of the veiled albedo; 0 off the surface.
/// @param model  all but the curve; @param out  kS16, 1/16 grey
void FitCurve(const Plane& surface, const ModelInput& model, const Plane& out);

/// The residual of one view. @param out  kS16
void FitView(const Plane& grey, const Plane& valid, const Plane& surface, const ModelInput& model,
             const Plane& out);

inline constexpr int kLineTile = 64;  ///< pixels of a row whose sums stay in cache

/// The average of neighbouring views in 1/32 sigma: some rows and those that lines through them
/// reach, with zeros around the picture.
class PaddedGroup {
 public:
  static constexpr int kMargin = 10;  ///< rows before and after, kLineReach

  PaddedGroup(int width, Rows rows)
      : rows_(rows),
        stride_((width + kLineTile - 1) / kLineTile * kLineTile + 2 * kMargin),
        values_(static_cast<std::size_t>(stride_) *
                static_cast<std::size_t>(rows.end - rows.begin + 2 * kMargin)) {}

  Rows rows() const { return rows_; }
  std::ptrdiff_t stride() const { return stride_; }
  /// @param y  of the picture: rows().begin - kMargin .. rows().end + kMargin - 1
  std::int16_t* Row(int y) { return values_.data() + At(y); }
  const std::int16_t* Row(int y) const { return values_.data() + At(y); }

 private:
  std::ptrdiff_t At(int y) const { return (y - rows_.begin + kMargin) * stride_ + kMargin; }

  Rows rows_;
  std::ptrdiff_t stride_;
  std::vector<std::int16_t> values_;
};

/// Averages views begin .. end - 1, in the rows of `out`. @param scale  kF32: 1/32 sigma per 1/64
/// grey
void SumGroup(const PhotometricViews& views, std::span<const StoredPlane> residuals,
              const Plane& scale, const LineEvidenceParams& params, int begin, int end,
              PaddedGroup& out);

/// Distances of a line filter's taps from its middle in a PaddedGroup, in values.
using LineTaps = std::array<std::ptrdiff_t, 5>;

/// The evidence of some rows. @param taps  per direction; @param counts  valid views per pixel, kU8
void FindLines(const PhotometricViews& views, std::span<const PaddedGroup> groups,
               std::span<const LineTaps> taps, const Plane& counts, int min_views, Rows rows,
               const LineEvidence& out);

}  // namespace glint::photometric
