// SPDX-License-Identifier: Apache-2.0
#include "decode/rgb_row.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "decode/rgb_row.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// clang-format off
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace glint::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Gains are below 2^26, samples below 2^23 and their sums below 2^50, so doubles hold every value
// exactly, and many processors multiply them faster than integers of 64 bits.
template <class D>
class RgbPixels {
 public:
  RgbPixels(const YuvRow& row, const RgbGains& gains, std::uint8_t* out)
      : row_(row), out_(out), black_(static_cast<std::int32_t>(gains.black)) {
    const auto gain = [](std::int64_t value) { return static_cast<double>(value); };
    y_ = gain(gains.y);
    v_to_red_ = gain(gains.v_to_red);
    u_to_green_ = gain(gains.u_to_green);
    v_to_green_ = gain(gains.v_to_green);
    u_to_blue_ = gain(gains.u_to_blue);
  }

  HWY_INLINE void Make(std::size_t x) const {
    const D d;
    const hn::Rebind<std::int32_t, D> d32;
    const auto grown = hn::PromoteTo(d32, hn::LoadU(hn::Rebind<std::uint16_t, D>(), &row_.y[x]));
    const auto luma = hn::PromoteTo(d, hn::Sub(grown, hn::Set(d32, black_)));
    const auto u = hn::PromoteTo(d, hn::LoadU(d32, &row_.u[x]));
    const auto v = hn::PromoteTo(d, hn::LoadU(d32, &row_.v[x]));
    const auto by = [&](auto value, double gain)
                        HWY_ATTR { return hn::Mul(value, hn::Set(d, gain)); };
    const auto gray = by(luma, y_);
    const auto green = hn::Sub(hn::Sub(gray, by(u, u_to_green_)), by(v, v_to_green_));
    const hn::Rebind<std::uint8_t, D> bytes;
    hn::StoreInterleaved3(ToBytes(hn::Add(gray, by(v, v_to_red_))), ToBytes(green),
                          ToBytes(hn::Add(gray, by(u, u_to_blue_))), bytes, out_ + 3 * x);
  }

 private:
  template <class V>
  static HWY_INLINE auto ToBytes(V fixed) {
    const D d;
    constexpr double kUnit = 1.0 / (1 << RgbGains::kFractionBits);
    const auto value = hn::MulAdd(fixed, hn::Set(d, kUnit), hn::Set(d, 0.5));  // exact, too
    const auto inside = hn::Min(hn::Max(value, hn::Zero(d)), hn::Set(d, 255.0));
    return hn::DemoteTo(hn::Rebind<std::uint8_t, D>(),
                        hn::DemoteTo(hn::Rebind<std::int32_t, D>(), inside));
  }

  const YuvRow& row_;
  std::uint8_t* out_;
  std::int32_t black_;
  double y_, v_to_red_, u_to_green_, v_to_green_, u_to_blue_;
};

void FillRgb(const YuvRow& row, const RgbGains& gains, std::uint8_t* out) {
  using Many = hn::ScalableTag<double>;
  const RgbPixels<Many> many(row, gains, out);
  const RgbPixels<hn::CappedTag<double, 1>> one(row, gains, out);
  const std::size_t lanes = hn::Lanes(Many());
  std::size_t x = 0;
  for (; x + lanes <= row.y.size(); x += lanes) many.Make(x);
  for (; x < row.y.size(); ++x) one.Make(x);
}

}  // namespace glint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glint {

HWY_EXPORT(FillRgb);

void MakeRgbRow(const YuvRow& row, const RgbGains& gains, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(FillRgb)(row, gains, out);
}

}  // namespace glint
#endif
