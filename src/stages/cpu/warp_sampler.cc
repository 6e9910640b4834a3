// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/warp_sampler.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/cpu/warp_sampler.cc"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// clang-format off
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace glint::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
using I32 = hn::CappedTag<std::int32_t, 8>;
using Lanes = hn::Vec<I32>;

/// What two rows' mixtures are together, in 1 / 2^(2 * kFractionBits), rounded.
HWY_INLINE hn::Vec<hn::Rebind<std::uint8_t, I32>> MixRows(Lanes top, Lanes bottom, Lanes fy) {
  const I32 d;
  const Lanes sum =
      hn::Add(hn::ShiftLeft<warp::kFractionBits>(top), hn::Mul(hn::Sub(bottom, top), fy));
  const Lanes half = hn::Set(d, 1 << (2 * warp::kFractionBits - 1));
  return hn::DemoteTo(hn::Rebind<std::uint8_t, I32>(),
                      hn::ShiftRight<2 * warp::kFractionBits>(hn::Add(sum, half)));
}

/// Four neighbours, each as the four bytes from its first channel on.
struct Neighbours {
  Lanes p00, p01, p10, p11;
};

/// A channel of each neighbour, mixed as warp::Weights does: the same integers, first along rows.
template <int channel>
HWY_INLINE hn::Vec<hn::Rebind<std::uint8_t, I32>> Mix(const Neighbours& of, Lanes fx, Lanes fy) {
  const I32 d;
  const auto value = [&](Lanes bytes) HWY_ATTR {
    return hn::And(hn::ShiftRight<8 * channel>(bytes), hn::Set(d, 255));
  };
  const auto along = [&](Lanes left, Lanes right) HWY_ATTR {
    return hn::Add(hn::ShiftLeft<warp::kFractionBits>(left), hn::Mul(hn::Sub(right, left), fx));
  };
  return MixRows(along(value(of.p00), value(of.p01)), along(value(of.p10), value(of.p11)), fy);
}

/// Several pixels of a row at a time, by gathering four bytes per neighbour.
template <int channels>
class Gathering {
 public:
  explicit Gathering(const Sampler<channels>& sampler)
      : base_(reinterpret_cast<const std::int32_t*>(sampler.pixels())),
        stride_(sampler.stride()),
        last_x_(sampler.last_x()),
        last_y_(sampler.last_y()) {
    // The last pixel's four bytes may not go beyond the last row: what reads there is not gathered.
    const std::ptrdiff_t most = last_y_ * stride_ + last_x_ * channels - 3;
    fits_ = last_y_ * stride_ + stride_ <= std::numeric_limits<std::int32_t>::max() && most > 0;
    most_ = fits_ ? static_cast<std::int32_t>(most) : 0;
  }

  /// Whether all of them could be made: their neighbours lie inside the source.
  HWY_INLINE bool Make(const std::int32_t* at_x, const std::int32_t* at_y,
                       std::uint8_t* out) const {
    const I32 d;
    const Lanes x = hn::LoadU(d, at_x), y = hn::LoadU(d, at_y);
    const Lanes left = hn::ShiftRight<warp::kFractionBits>(x);
    const Lanes top = hn::ShiftRight<warp::kFractionBits>(y);
    const Lanes outside = hn::Set(d, -1);
    const Lanes row = hn::Set(d, static_cast<std::int32_t>(stride_));
    const Lanes offset =
        hn::Add(hn::Mul(top, row), hn::Mul(left, hn::Set(d, std::int32_t{channels})));
    const Lanes below = hn::Add(offset, row);
    const auto inside = hn::And(hn::And(hn::Gt(left, outside), hn::Lt(left, hn::Set(d, last_x_))),
                                hn::And(hn::Gt(top, outside), hn::Lt(top, hn::Set(d, last_y_))));
    const auto readable = hn::Lt(below, hn::Set(d, most_ - channels));
    if (!fits_ || !hn::AllTrue(d, hn::And(inside, readable))) return false;
    const Lanes fraction = hn::Set(d, warp::kOnePixel - 1);
    Store(offset, below, hn::And(x, fraction), hn::And(y, fraction), out);
    return true;
  }

 private:
  HWY_INLINE Lanes Gather(Lanes offset) const { return hn::GatherOffset(I32(), base_, offset); }

  HWY_INLINE void Store(Lanes offset, Lanes below, Lanes fx, Lanes fy, std::uint8_t* out) const {
    const hn::Rebind<std::uint8_t, I32> bytes;
    Neighbours of{Gather(offset), {}, Gather(below), {}};
    if constexpr (channels == 1) {
      of.p01 = hn::ShiftRight<8>(of.p00);
      of.p11 = hn::ShiftRight<8>(of.p10);
      hn::StoreU(Mix<0>(of, fx, fy), bytes, out);
    } else {
      const Lanes next = hn::Set(I32(), std::int32_t{channels});
      of.p01 = Gather(hn::Add(offset, next));
      of.p11 = Gather(hn::Add(below, next));
      hn::StoreInterleaved3(Mix<0>(of, fx, fy), Mix<1>(of, fx, fy), Mix<2>(of, fx, fy), bytes, out);
    }
  }

  const std::int32_t* base_;
  std::ptrdiff_t stride_;
  int last_x_, last_y_;
  bool fits_;
  std::int32_t most_;  // offset at which the last gathered four bytes may begin
};

/// Eight grey pixels at a time whose neighbours lie within 16 columns of three rows, as those of a
/// picture that is hardly turned and about as large do: three loads instead of gathering.
template <int channels>
class Neighbouring {
 public:
  explicit Neighbouring(const Sampler<channels>& sampler)
      : pixels_(sampler.pixels()),
        stride_(sampler.stride()),
        last_x_(sampler.last_x()),
        last_y_(sampler.last_y()) {}

  /// Whether all of them could be made.
  HWY_INLINE bool Make(const std::int32_t* at_x, const std::int32_t* at_y,
                       std::uint8_t* out) const {
    const I32 d;
    constexpr std::size_t kLast = hn::MaxLanes(I32()) - 1;
    const int first_x = std::min(at_x[0], at_x[kLast]) >> warp::kFractionBits;
    const int first_y = std::min(at_y[0], at_y[kLast]) >> warp::kFractionBits;
    if (first_x < 0 || first_y < 0 || first_x + kColumns > last_x_ + 1 || first_y + 2 > last_y_) {
      return false;
    }
    const Lanes x = hn::LoadU(d, at_x), y = hn::LoadU(d, at_y);
    const Lanes left = hn::Sub(hn::ShiftRight<warp::kFractionBits>(x), hn::Set(d, first_x));
    const Lanes top = hn::Sub(hn::ShiftRight<warp::kFractionBits>(y), hn::Set(d, first_y));
    const Lanes none = hn::Set(d, -1), beyond = hn::Set(d, kColumns - 1), two = hn::Set(d, 2);
    const auto near = hn::And(hn::And(hn::Gt(left, none), hn::Lt(left, beyond)),
                              hn::And(hn::Gt(top, none), hn::Lt(top, two)));
    if (!hn::AllTrue(d, near)) return false;
    const Lanes fraction = hn::Set(d, warp::kOnePixel - 1);
    const std::uint8_t* from = pixels_ + first_y * stride_ + first_x;
    const RowMixer mix(left, hn::And(x, fraction));
    const Lanes upper = mix(from), middle = mix(from + stride_), lower = mix(from + 2 * stride_);
    const auto below = hn::Gt(top, hn::Zero(d));
    hn::StoreU(MixRows(hn::IfThenElse(below, middle, upper), hn::IfThenElse(below, lower, middle),
                       hn::And(y, fraction)),
               hn::Rebind<std::uint8_t, I32>(), out);
    return true;
  }

 private:
  static constexpr int kColumns = 16;
  using Bytes = hn::FixedTag<std::uint8_t, kColumns>;
  using I16 = hn::Rebind<std::int16_t, Bytes>;

  /// Mixes each pixel's left and right neighbour in a row.
  class RowMixer {
   public:
    HWY_INLINE RowMixer(Lanes left, Lanes fx) {
      const Bytes bytes;
      const auto places =
          hn::ZeroExtendVector(bytes, hn::DemoteTo(hn::Rebind<std::uint8_t, I32>(), left));
      const auto next = hn::Add(places, hn::Set(bytes, std::uint8_t{1}));
      both_ = hn::InterleaveLower(bytes, places, next);
      weights_ = hn::BitCast(
          I16(), hn::Add(hn::ShiftLeft<16>(fx), hn::Sub(hn::Set(I32(), warp::kOnePixel), fx)));
    }
    HWY_INLINE Lanes operator()(const std::uint8_t* row) const {
      const auto pairs = hn::TableLookupBytes(hn::LoadU(Bytes(), row), both_);
      Lanes none = hn::Zero(I32());
      return hn::ReorderWidenMulAccumulate(I32(), hn::PromoteTo(I16(), pairs), weights_, none,
                                           none);
    }

   private:
    hn::Vec<Bytes> both_;  // places of a left and a right neighbour in turns
    hn::Vec<I16> weights_;
  };

  const std::uint8_t* pixels_;
  std::ptrdiff_t stride_;
  int last_x_, last_y_;
};
#endif

template <int channels>
void FillRow(const Sampler<channels>& sampler, const WarpPlaces& places, std::uint8_t* out) {
  const std::size_t width = places.x.size();
  const auto one = [&](std::size_t i) {
    sampler.Linear({places.x[i], places.y[i]}, out + i * channels);
  };
  std::size_t i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const Gathering<channels> gathering(sampler);
  const Neighbouring<channels> neighbouring(sampler);
  const std::size_t lanes = hn::Lanes(I32());
  for (; i + lanes <= width; i += lanes) {
    if constexpr (channels == 1) {
      if (neighbouring.Make(&places.x[i], &places.y[i], out + i)) continue;
    }
    if (gathering.Make(&places.x[i], &places.y[i], out + i * channels)) continue;
    for (std::size_t k = i; k < i + lanes; ++k) one(k);
  }
#endif
  for (; i < width; ++i) one(i);
}

void FillRowOf1(const Sampler<1>& sampler, const WarpPlaces& places, std::uint8_t* out) {
  FillRow(sampler, places, out);
}

void FillRowOf3(const Sampler<3>& sampler, const WarpPlaces& places, std::uint8_t* out) {
  FillRow(sampler, places, out);
}

}  // namespace glint::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glint {

HWY_EXPORT(FillRowOf1);
HWY_EXPORT(FillRowOf3);

void LinearRow(const Sampler<1>& sampler, const WarpPlaces& places, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(FillRowOf1)(sampler, places, out);
}

void LinearRow(const Sampler<3>& sampler, const WarpPlaces& places, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(FillRowOf3)(sampler, places, out);
}

}  // namespace glint
#endif
