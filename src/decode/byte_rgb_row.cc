// SPDX-License-Identifier: Apache-2.0
#include "decode/byte_rgb_row.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "decode/byte_rgb_row.cc"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)  // other orders
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// clang-format off
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace glint::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using I16 = hn::ScalableTag<std::int16_t>;
using Bytes = hn::Rebind<std::uint8_t, I16>;

void Blend(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second,
           int first_weight, int second_weight, std::int16_t* out) {
  const I16 d;
  const auto by_first = hn::Set(d, static_cast<std::int16_t>(first_weight));
  const auto by_second = hn::Set(d, static_cast<std::int16_t>(second_weight));
  const auto load = [](const std::uint8_t* from)
                        HWY_ATTR { return hn::PromoteTo(I16(), hn::LoadU(Bytes(), from)); };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= first.size(); i += hn::Lanes(d)) {
    hn::StoreU(hn::Add(hn::Mul(load(&first[i]), by_first), hn::Mul(load(&second[i]), by_second)), d,
               out + i);
  }
  for (; i < first.size(); ++i) {
    out[i] = static_cast<std::int16_t>(first[i] * first_weight + second[i] * second_weight);
  }
}

void Spread(const std::int16_t* samples, std::size_t count, const PixelPairWeights& weights,
            std::int16_t* out) {
  const I16 d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto mix = [&](const std::array<std::int16_t, 3>& by) HWY_ATTR {
      const auto before = hn::Mul(hn::LoadU(d, samples + i - 1), hn::Set(d, by[0]));
      const auto itself = hn::Mul(hn::LoadU(d, samples + i), hn::Set(d, by[1]));
      const auto next = hn::Mul(hn::LoadU(d, samples + i + 1), hn::Set(d, by[2]));
      return hn::Add(hn::Add(before, itself), next);
    };
    hn::StoreInterleaved2(mix(weights.even), mix(weights.odd), d, out + 2 * i);
  }
}

void FillPixel(const ByteYuvRow& row, const RgbGains& gains, std::size_t x, std::uint8_t* out) {
  constexpr std::int64_t kHalf = std::int64_t{1} << (RgbGains::kFractionBits - 1);
  const std::int64_t gray = gains.y * (row.y[x] - gains.black);
  const std::int64_t u = row.u[x] - gains.chroma_zero, v = row.v[x] - gains.chroma_zero;
  const std::array<std::int64_t, 3> colour = {gray + gains.v_to_red * v,
                                              gray - gains.u_to_green * u - gains.v_to_green * v,
                                              gray + gains.u_to_blue * u};
  for (std::size_t c = 0; c < colour.size(); ++c) {
    out[3 * x + c] = static_cast<std::uint8_t>(
        std::clamp<std::int64_t>((colour[c] + kHalf) >> RgbGains::kFractionBits, 0, 255));
  }
}

#if HWY_TARGET != HWY_SCALAR
using I32 = hn::RepartitionToWide<I16>;

// Gains of two values that lie side by side, in two parts, so that sums of products with values of
// 13 bits fit into 32 bits: gain = high * 2^12 + low, 0 <= low < 2^12.
class PairGains {
 public:
  PairGains(std::int64_t first, std::int64_t second)
      : high_(first >> kLowBits, second >> kLowBits), low_(first & kLow, second & kLow) {}

  // The sums of both products of each pair, by each part of the gains.
  HWY_INLINE hn::Vec<I32> High(hn::Vec<I16> pairs) const { return high_.Sum(pairs); }
  HWY_INLINE hn::Vec<I32> Low(hn::Vec<I16> pairs) const { return low_.Sum(pairs); }

  // What the parts' sums are in whole units, rounded to nearest, halves up.
  static HWY_INLINE hn::Vec<I32> Whole(hn::Vec<I32> high, hn::Vec<I32> low) {
    const auto half = hn::Set(I32(), 1 << (RgbGains::kFractionBits - 1));
    return hn::ShiftRight<RgbGains::kFractionBits - kLowBits>(
        hn::Add(high, hn::ShiftRight<kLowBits>(hn::Add(low, half))));
  }

 private:
  static constexpr int kLowBits = 12;
  static constexpr std::int64_t kLow = (1 << kLowBits) - 1;

  struct Part {
    std::int32_t both;

    Part(std::int64_t first, std::int64_t second)
        : both(static_cast<std::int32_t>((static_cast<std::uint32_t>(second) << 16) |
                                         static_cast<std::uint16_t>(first))) {}
    HWY_INLINE hn::Vec<I32> Sum(hn::Vec<I16> pairs) const {
      const I32 d;
      auto odd = hn::Zero(d);
      const auto even = hn::ReorderWidenMulAccumulate(
          d, pairs, hn::BitCast(I16(), hn::Set(d, both)), hn::Zero(d), odd);
      return hn::RearrangeToOddPlusEven(even, odd);
    }
  };
  Part high_, low_;
};

// Colours of as many pixels as a vector has 16-bit lanes.
class BytePixels {
 public:
  explicit BytePixels(const RgbGains& gains)
      : black_(static_cast<std::int16_t>(gains.black)),
        zero_(static_cast<std::int16_t>(gains.chroma_zero)),
        red_(gains.y, gains.v_to_red),
        blue_(gains.y, gains.u_to_blue),
        green_of_v_(gains.y, -gains.v_to_green),
        green_of_u_(0, -gains.u_to_green) {}

  HWY_INLINE void Fill(const ByteYuvRow& row, std::size_t x, std::uint8_t* out) const {
    const I16 d;
    const auto zero = hn::Set(d, zero_);
    const auto y =
        hn::Sub(hn::PromoteTo(d, hn::LoadU(Bytes(), row.y.data() + x)), hn::Set(d, black_));
    const auto u = hn::Sub(hn::LoadU(d, row.u + x), zero);
    const auto v = hn::Sub(hn::LoadU(d, row.v + x), zero);
    const auto lower_v = hn::InterleaveLower(d, y, v), upper_v = hn::InterleaveUpper(d, y, v);
    const auto lower_u = hn::InterleaveLower(d, y, u), upper_u = hn::InterleaveUpper(d, y, u);
    hn::StoreInterleaved3(ToBytes(Of(red_, lower_v), Of(red_, upper_v)),
                          ToBytes(Green(lower_v, lower_u), Green(upper_v, upper_u)),
                          ToBytes(Of(blue_, lower_u), Of(blue_, upper_u)), Bytes(), out + 3 * x);
  }

 private:
  static HWY_INLINE hn::Vec<I32> Of(const PairGains& gains, hn::Vec<I16> pairs) {
    return PairGains::Whole(gains.High(pairs), gains.Low(pairs));
  }

  HWY_INLINE hn::Vec<I32> Green(hn::Vec<I16> with_v, hn::Vec<I16> with_u) const {
    return PairGains::Whole(hn::Add(green_of_v_.High(with_v), green_of_u_.High(with_u)),
                            hn::Add(green_of_v_.Low(with_v), green_of_u_.Low(with_u)));
  }

  // Within 128-bit blocks, as they were interleaved.
  static HWY_INLINE hn::Vec<Bytes> ToBytes(hn::Vec<I32> lower, hn::Vec<I32> upper) {
    return hn::DemoteTo(Bytes(), hn::ReorderDemote2To(I16(), lower, upper));
  }

  std::int16_t black_, zero_;
  PairGains red_, blue_, green_of_v_, green_of_u_;
};
#endif

void FillRgbOfBytes(const ByteYuvRow& row, const RgbGains& gains, std::uint8_t* out) {
  std::size_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  const BytePixels pixels(gains);
  const std::size_t lanes = hn::Lanes(I16());
  for (; x + lanes <= row.y.size(); x += lanes) pixels.Fill(row, x, out);
#endif
  for (; x < row.y.size(); ++x) FillPixel(row, gains, x, out);
}

}  // namespace glint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glint {

HWY_EXPORT(Blend);
HWY_EXPORT(Spread);
HWY_EXPORT(FillRgbOfBytes);

void BlendBytes(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second,
                int first_weight, int second_weight, std::int16_t* out) {
  HWY_DYNAMIC_DISPATCH(Blend)(first, second, first_weight, second_weight, out);
}

void SpreadSamples(const std::int16_t* samples, std::size_t count, const PixelPairWeights& weights,
                   std::int16_t* out) {
  HWY_DYNAMIC_DISPATCH(Spread)(samples, count, weights, out);
}

void MakeRgbRowOfBytes(const ByteYuvRow& row, const RgbGains& gains, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(FillRgbOfBytes)(row, gains, out);
}

}  // namespace glint
#endif
