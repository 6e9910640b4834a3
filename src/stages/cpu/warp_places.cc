// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/warp_places.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/cpu/warp_places.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// clang-format off
#include <hwy/highway.h>
// clang-format on

#include "stages/shared/sheet_warp_arithmetic.h"
#include "stages/shared/warp_coordinates.h"

HWY_BEFORE_NAMESPACE();
namespace glint::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The operations of warp::PlaceOf and warp::Quantise in their order, several pixels at a time.
// @param x_at,y_at  called with the tag and a pixel: the coordinates of as many as it has lanes
template <class XAt, class YAt>
HWY_INLINE void FillFrom(const Homography& h, const XAt& x_at, const YAt& y_at, Size source,
                         WarpPlaces& places) {
  const hn::CappedTag<double, warp::kDisplacementStep> d;  // so many lie between the same nodes
  const hn::CappedTag<double, 1> one;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const int width = static_cast<int>(places.x.size());
  const auto fill = [&](auto tag, int i) HWY_ATTR {
    const hn::Rebind<std::int32_t, decltype(tag)> d32;
    const auto x = x_at(tag, i), y = y_at(tag, i);
    const auto linear = [&](std::size_t k) HWY_ATTR {
      const auto of_x = hn::Mul(hn::Set(tag, h[k]), x);
      return hn::Add(hn::Add(of_x, hn::Mul(hn::Set(tag, h[k + 1]), y)), hn::Set(tag, h[k + 2]));
    };
    const auto quantise = [&](auto position, double side) HWY_ATTR {
      const auto least = hn::Set(tag, -2.0);
      const auto most = hn::Set(tag, side + 1.0);
      const auto above = hn::IfThenElse(hn::Gt(position, least), position, least);
      const auto inside = hn::IfThenElse(hn::Lt(above, most), above, most);
      const auto scaled = hn::Add(hn::Mul(inside, hn::Set(tag, warp::kOnePixel)),
                                  hn::Set(tag, 2.0 * warp::kOnePixel + 0.5));
      return hn::Sub(hn::DemoteTo(d32, scaled), hn::Set(d32, 2 * warp::kOnePixel));
    };
    const auto in_front = hn::Set(tag, warp::kJustInFront);
    const auto w = linear(6);
    const auto inverse =
        hn::Div(hn::Set(tag, 1.0), hn::IfThenElse(hn::Gt(w, in_front), w, in_front));
    hn::StoreU(quantise(hn::Mul(linear(0), inverse), source.width), d32,
               &places.x[static_cast<std::size_t>(i)]);
    hn::StoreU(quantise(hn::Mul(linear(3), inverse), source.height), d32,
               &places.y[static_cast<std::size_t>(i)]);
  };
  int x = 0;
  for (; x + lanes <= width; x += lanes) fill(d, x);
  for (; x < width; ++x) fill(one, x);
}

void FillPlaces(const Homography& h, int row, Size source, WarpPlaces& places) {
  FillFrom(
      h, [](auto d, int i) HWY_ATTR { return hn::Iota(d, i); },
      [row](auto d, int) HWY_ATTR { return hn::Set(d, static_cast<double>(row)); }, source, places);
}

// Displacements of pixel i and those behind it, px. A double holds every value on the way.
template <class D>
HWY_INLINE hn::Vec<D> DisplacementsAt(D d, const std::vector<std::int32_t>& nodes, int i) {
  constexpr int kStep = warp::kDisplacementStep;
  constexpr double kPixels = 1.0 / (warp::kDisplacementUnit * kStep * kStep);
  const std::int32_t* left = nodes.data() + i / kStep;
  const std::int32_t more = left[1] - left[0];
  const auto first = hn::Set(d, static_cast<double>(kStep * left[0] + i % kStep * more));
  const auto between =
      hn::Add(first, hn::Mul(hn::Iota(d, 0), hn::Set(d, static_cast<double>(more))));
  return hn::Mul(between, hn::Set(d, kPixels));
}

void FillDisplacedPlaces(const Homography& h, const DisplacedRow& row, Size source,
                         WarpPlaces& places) {
  FillFrom(
      h,
      [&row](auto d, int i)
          HWY_ATTR { return hn::Add(hn::Iota(d, i), DisplacementsAt(d, row.x, i)); },
      [&row](auto d, int i) HWY_ATTR {
        return hn::Add(hn::Set(d, static_cast<double>(row.row)), DisplacementsAt(d, row.y, i));
      },
      source, places);
}

}  // namespace glint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glint {

HWY_EXPORT(FillPlaces);
HWY_EXPORT(FillDisplacedPlaces);

void WarpPlaces::Fill(const Homography& h, int row, Size source) {
  HWY_DYNAMIC_DISPATCH(FillPlaces)(h, row, source, *this);
}

void WarpPlaces::FillDisplaced(const Homography& h, const DisplacedRow& row, Size source) {
  HWY_DYNAMIC_DISPATCH(FillDisplacedPlaces)(h, row, source, *this);
}

}  // namespace glint
#endif
