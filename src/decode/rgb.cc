// SPDX-License-Identifier: Apache-2.0
#include "decode/rgb.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "decode/byte_rgb_row.h"
#include "decode/rgb_row.h"

namespace glint {
namespace {

// Weights of red and blue in luma, in 1/10000.
struct Weights {
  std::int64_t red;
  std::int64_t blue;
};

constexpr Weights kBt601 = {2990, 1140};
constexpr Weights kBt709 = {2126, 722};

Weights WeightsOf(const PlanarPicture& picture) {
  switch (picture.matrix) {
    case ColorMatrix::kBt709:
      return kBt709;
    case ColorMatrix::kBt601:
      return kBt601;
    case ColorMatrix::kBt2020:
      return {2627, 593};
    case ColorMatrix::kSmpte240m:
      return {2120, 870};
    case ColorMatrix::kFcc:
      return {3000, 1100};
    case ColorMatrix::kUnspecified:
      break;
  }
  return std::min(picture.size.width, picture.size.height) <= 576 ? kBt601 : kBt709;
}

// numerator / denominator in RgbGains::kFractionBits fixed point, rounded to nearest; numerator >=
// 0.
constexpr std::int64_t Fixed(std::int64_t numerator, std::int64_t denominator) {
  return ((numerator << (RgbGains::kFractionBits + 1)) / denominator + 1) >> 1;
}

RgbGains GainsOf(const PlanarPicture& picture, std::int64_t chroma_scale) {
  const Weights w = WeightsOf(picture);
  const int depth = picture.layout.depth;
  const bool full_range = picture.full_range;
  const std::int64_t green = 10'000 - w.red - w.blue;
  const std::int64_t unit = std::int64_t{1} << (depth - 8);
  const std::int64_t luma_range = full_range ? (unit << 8) - 1 : 219 * unit;
  const std::int64_t chroma_range = (full_range ? (unit << 8) - 1 : 224 * unit) * chroma_scale;
  // V is (R - Y) / (2 - 2 * red), U is (B - Y) / (2 - 2 * blue).
  const std::int64_t to_red = 2 * (10'000 - w.red);
  const std::int64_t to_blue = 2 * (10'000 - w.blue);
  return {.y = Fixed(255, luma_range),
          .v_to_red = Fixed(255 * to_red, 10'000 * chroma_range),
          .u_to_green = Fixed(255 * to_blue * w.blue, 10'000 * green * chroma_range),
          .v_to_green = Fixed(255 * to_red * w.red, 10'000 * green * chroma_range),
          .u_to_blue = Fixed(255 * to_blue, 10'000 * chroma_range),
          .black = full_range ? 0 : 16 * unit,
          .chroma_zero = 128 * unit * chroma_scale};
}

// Linear interpolation between samples that are `spacing` apart, sample 0 lying `centred` ?
// (spacing - 1) / 2 : 0 behind the first position. Weights are in 1 / (2 * spacing). Where it is
// `mirrored`, that is so seen from the other end.
struct Interpolation {
  int spacing;
  bool centred;
  int positions, samples;
  bool mirrored = false;

  struct Tap {
    int first, second;  // indices of samples
    int weight_second;  // of 2 * spacing
  };
  Tap At(int position) const {
    if (mirrored) {
      const Tap other = FromStart(positions - 1 - position);
      return {samples - 1 - other.second, samples - 1 - other.first,
              2 * spacing - other.weight_second};
    }
    return FromStart(position);
  }

 private:
  Tap FromStart(int position) const {
    const int twice = 2 * position - (centred ? spacing - 1 : 0);
    const int index = twice < 0 ? -1 : twice / (2 * spacing);
    return {std::max(index, 0), std::min(index + 1, samples - 1), twice - index * 2 * spacing};
  }
};

struct ChromaSites {
  Interpolation x;
  Interpolation y;
};

ChromaSites SitesOf(const PlanarPicture& picture) {
  const ChromaSite site = picture.chroma_site;
  const Size samples = picture.layout.SizeOf(1, picture.size);
  const bool centred_x = site == ChromaSite::kCenter || site == ChromaSite::kTop;
  const bool centred_y = site == ChromaSite::kCenter || site == ChromaSite::kLeft;
  return {{1 << picture.layout.chroma_shift_x, centred_x, picture.size.width, samples.width},
          {1 << picture.layout.chroma_shift_y, centred_y, picture.size.height, samples.height}};
}

// Those of the displayed picture.
ChromaSites AsDisplayed(ChromaSites sites, Orientation orientation) {
  if (orientation.transpose) std::swap(sites.x, sites.y);
  sites.x.mirrored = orientation.flip_x;
  sites.y.mirrored = orientation.flip_y;
  return sites;
}

RgbGains GainsFor(const PlanarPicture& picture, const ChromaSites& sites) {
  return GainsOf(picture, std::int64_t{4} * sites.x.spacing * sites.y.spacing);
}

// Makes one coded row of R, G, B after the other.
class RgbRows {
 public:
  explicit RgbRows(const PlanarPicture& picture)
      : picture_(picture),
        sites_(SitesOf(picture)),
        gains_(GainsFor(picture, sites_)),
        luma_(static_cast<std::size_t>(picture.size.width)),
        samples_(static_cast<std::size_t>(sites_.x.samples)) {
    if (picture.layout.gray) {
      chroma_.fill(std::vector<std::int32_t>(luma_.size(), 0));
      return;
    }
    for (auto& row : blended_) row.resize(samples_.size());
    for (auto& row : chroma_) row.resize(luma_.size());
    for (int x = 0; x < picture.size.width; ++x) {
      taps_.push_back(sites_.x.At(x));
    }
  }

  void Make(int y, std::uint8_t* out) {
    ReadRow(picture_, 0, y, picture_.size.width, luma_.data());
    if (!picture_.layout.gray) {
      BlendRows(y);
      BlendColumns();
    }
    MakeRgbRow({luma_, chroma_[0], chroma_[1]}, gains_, out);
  }

 private:
  // Interpolates U and V vertically for luma row y, in units of 1 / (2 * spacing).
  void BlendRows(int y) {
    const auto tap = sites_.y.At(y);
    const int scale = 2 * sites_.y.spacing;
    for (int c = 0; c < 2; ++c) {
      std::vector<std::int32_t>& blended = blended_[static_cast<std::size_t>(c)];
      ReadRow(picture_, c + 1, tap.first, sites_.x.samples, samples_.data());
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        blended[i] = samples_[i] * (scale - tap.weight_second);
      }
      if (tap.weight_second == 0) continue;
      ReadRow(picture_, c + 1, tap.second, sites_.x.samples, samples_.data());
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        blended[i] += samples_[i] * tap.weight_second;
      }
    }
  }

  // Interpolates them horizontally and takes what a gray has away.
  void BlendColumns() {
    const int scale = 2 * sites_.x.spacing;
    const auto zero = static_cast<std::int32_t>(gains_.chroma_zero);
    for (std::size_t c = 0; c < 2; ++c) {
      const std::int32_t* row = blended_[c].data();
      std::int32_t* to = chroma_[c].data();
      for (const Interpolation::Tap& tap : taps_) {
        *to++ = row[tap.first] * (scale - tap.weight_second) + row[tap.second] * tap.weight_second -
                zero;
      }
    }
  }

  const PlanarPicture& picture_;
  ChromaSites sites_;
  RgbGains gains_;
  std::vector<std::uint16_t> luma_;
  std::vector<std::uint16_t> samples_;
  std::array<std::vector<std::int32_t>, 2> blended_;  // a value per chroma sample
  std::array<std::vector<std::int32_t>, 2> chroma_;   // and per luma sample
  std::vector<Interpolation::Tap> taps_;
};

// Planes with a byte per sample, as displayed.
struct BytePlanes {
  std::array<Plane, 3> planes;

  BytePlanes(const PlanarPicture& picture, Orientation orientation) {
    for (std::size_t c = 0; c < planes.size(); ++c) {
      const Size size = picture.layout.SizeOf(static_cast<int>(c), picture.size);
      const auto plane = static_cast<std::size_t>(picture.layout.components[c].plane);
      planes[c] = MakeDisplayed(size, PixelType::kU8, orientation, [&](int y, std::uint8_t* out) {
        std::memcpy(out, picture.data[plane] + y * picture.stride[plane],
                    static_cast<std::size_t>(size.width));
      });
    }
  }

  std::span<const std::uint8_t> Row(std::size_t component, int y) const {
    const Plane& plane = planes[component];
    return {plane.Row<std::uint8_t>(y), static_cast<std::size_t>(plane.width())};
  }
};

// Makes one displayed row after the other of what most videos have: planes of bytes, a sample of
// chroma for one or two pixels of a row. The same bytes as by RgbRows.
class ByteRgbRows {
 public:
  static bool Reads(const PlanarPicture& picture) {
    const PixelLayout& layout = picture.layout;
    constexpr int kLeast = 8;  // weights are read off pixels away from the borders
    return layout.depth == 8 && !layout.gray && layout.chroma_shift_x <= 1 &&
           layout.chroma_shift_y <= 1 && picture.size.width >= kLeast &&
           picture.size.height >= kLeast &&
           std::ranges::all_of(layout.components, [](const PixelLayout::Component& c) {
             return c.step == 1 && c.offset == 0 && c.shift == 0;
           });
  }

  /// @param sites  as displayed
  ByteRgbRows(const RgbGains& gains, const ChromaSites& sites)
      : gains_(gains), sites_(sites), samples_(static_cast<std::size_t>(sites.x.samples)) {
    for (auto& row : blended_) row.resize(samples_ + 2 + kByteRowPadding);
    if (sites.x.spacing == 1) return;
    for (auto& row : spread_) row.resize(2 * samples_ + 2 * kByteRowPadding);
    weights_ = {.even = WeightsAt(2), .odd = WeightsAt(3)};
  }

  /// @param row  row(component, y): the samples of a displayed row
  template <class Row>
  void Make(int y, const Row& row, std::uint8_t* out) {
    const std::array<const std::int16_t*, 2> chroma = {Chroma(0, y, row), Chroma(1, y, row)};
    MakeRgbRowOfBytes({row(std::size_t{0}, y), chroma[0], chroma[1]}, gains_, out);
  }

 private:
  // What the samples 0, 1 and 2 count at a pixel of sample 1.
  std::array<std::int16_t, 3> WeightsAt(int position) const {
    const Interpolation::Tap tap = sites_.x.At(position);
    std::array<std::int16_t, 3> weights{};
    weights[static_cast<std::size_t>(tap.first)] +=
        static_cast<std::int16_t>(2 * sites_.x.spacing - tap.weight_second);
    weights[static_cast<std::size_t>(tap.second)] += static_cast<std::int16_t>(tap.weight_second);
    return weights;
  }

  // A value per pixel.
  template <class Row>
  const std::int16_t* Chroma(std::size_t c, int y, const Row& row) {
    const Interpolation::Tap tap = sites_.y.At(y);
    // Where no column lies between two samples, they count twice, as they do between none.
    const int unit = sites_.x.spacing == 1 ? 2 : 1;
    const int scale = 2 * sites_.y.spacing;
    std::int16_t* blended = blended_[c].data() + 1;
    BlendBytes(row(c + 1, tap.first), row(c + 1, tap.second), unit * (scale - tap.weight_second),
               unit * tap.weight_second, blended);
    if (sites_.x.spacing == 1) return blended;
    blended[-1] = blended[0];
    blended[samples_] = blended[samples_ - 1];
    SpreadSamples(blended, samples_, weights_, spread_[c].data());
    return spread_[c].data();
  }

  RgbGains gains_;
  ChromaSites sites_;
  std::size_t samples_;  // of a row
  PixelPairWeights weights_;
  std::array<std::vector<std::int16_t>, 2> blended_;  // a value per sample, from the second on
  std::array<std::vector<std::int16_t>, 2> spread_;   // a value per pixel
};

Plane BytesToRgb(const PlanarPicture& picture, Orientation orientation) {
  const ChromaSites coded = SitesOf(picture);
  ByteRgbRows rows(GainsFor(picture, coded), AsDisplayed(coded, orientation));
  Plane rgb = Plane::Host(orientation.Displayed(picture.size), PixelType::kU8x3);
  const auto make = [&](const auto& row) {
    for (int y = 0; y < rgb.height(); ++y) rows.Make(y, row, rgb.Row<std::uint8_t>(y));
  };
  if (!orientation.identity()) {
    const BytePlanes planes(picture, orientation);
    make([&](std::size_t component, int y) { return planes.Row(component, y); });
    return rgb;
  }
  make([&](std::size_t component, int y) {
    const auto plane = static_cast<std::size_t>(picture.layout.components[component].plane);
    const Size size = picture.layout.SizeOf(static_cast<int>(component), picture.size);
    return std::span(picture.data[plane] + y * picture.stride[plane],
                     static_cast<std::size_t>(size.width));
  });
  return rgb;
}

}  // namespace

Plane PictureToRgb(const PlanarPicture& picture, Orientation orientation) {
  if (ByteRgbRows::Reads(picture)) return BytesToRgb(picture, orientation);
  RgbRows rows(picture);
  return MakeDisplayed(picture.size, PixelType::kU8x3, orientation,
                       [&](int y, std::uint8_t* out) { rows.Make(y, out); });
}

}  // namespace glint
