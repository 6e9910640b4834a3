// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/warp_places.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/cpu/warp_places.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// clang-format off
#include <hwy/highway.h>
// clang-format on

#include "stages/shared/warp_coordinates.h"

HWY_BEFORE_NAMESPACE();
namespace glint::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The operations of warp::PlaceOf and warp::Quantise in their order, several pixels at a time.
void FillPlaces(const Homography& h, int row, Size source, WarpPlaces& places) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  const int width = static_cast<int>(places.x.size());
  const double y = row;
  const auto linear = [&](auto x, int i) HWY_ATTR {
    const auto k = static_cast<std::size_t>(i);
    const auto of_x = hn::Mul(hn::Set(d, h[k]), x);
    return hn::Add(hn::Add(of_x, hn::Set(d, h[k + 1] * y)), hn::Set(d, h[k + 2]));
  };
  const auto quantise = [&](auto position, double side) HWY_ATTR {
    const auto least = hn::Set(d, -2.0);
    const auto most = hn::Set(d, side + 1.0);
    const auto above = hn::IfThenElse(hn::Gt(position, least), position, least);
    const auto inside = hn::IfThenElse(hn::Lt(above, most), above, most);
    const auto scaled = hn::Add(hn::Mul(inside, hn::Set(d, warp::kOnePixel)),
                                hn::Set(d, 2.0 * warp::kOnePixel + 0.5));
    return hn::Sub(hn::DemoteTo(d32, scaled), hn::Set(d32, 2 * warp::kOnePixel));
  };
  const auto in_front = hn::Set(d, warp::kJustInFront);
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto at = hn::Iota(d, x);
    const auto w = linear(at, 6);
    const auto inverse = hn::Div(hn::Set(d, 1.0), hn::IfThenElse(hn::Gt(w, in_front), w, in_front));
    hn::StoreU(quantise(hn::Mul(linear(at, 0), inverse), source.width), d32,
               &places.x[static_cast<std::size_t>(x)]);
    hn::StoreU(quantise(hn::Mul(linear(at, 3), inverse), source.height), d32,
               &places.y[static_cast<std::size_t>(x)]);
  }
  for (; x < width; ++x) {
    const warp::Place place = warp::PlaceOf(h.data(), x, y, source.width, source.height);
    places.x[static_cast<std::size_t>(x)] = place.x;
    places.y[static_cast<std::size_t>(x)] = place.y;
  }
}

}  // namespace glint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glint {

HWY_EXPORT(FillPlaces);

void WarpPlaces::Fill(const Homography& h, int row, Size source) {
  HWY_DYNAMIC_DISPATCH(FillPlaces)(h, row, source, *this);
}

}  // namespace glint
#endif
