// SPDX-License-Identifier: Apache-2.0
#include "decode/rgb.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

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
// (spacing - 1) / 2 : 0 behind the first position. Weights are in 1 / (2 * spacing).
struct Interpolation {
  int spacing;
  bool centred;

  struct Tap {
    int first, second;  // indices of samples
    int weight_second;  // of 2 * spacing
  };
  Tap At(int position, int samples) const {
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
  const bool centred_x = site == ChromaSite::kCenter || site == ChromaSite::kTop;
  const bool centred_y = site == ChromaSite::kCenter || site == ChromaSite::kLeft;
  return {{1 << picture.layout.chroma_shift_x, centred_x},
          {1 << picture.layout.chroma_shift_y, centred_y}};
}

// Makes one coded row of R, G, B after the other.
class RgbRows {
 public:
  explicit RgbRows(const PlanarPicture& picture)
      : picture_(picture),
        sites_(SitesOf(picture)),
        chroma_size_(picture.layout.SizeOf(1, picture.size)),
        gains_(GainsOf(picture, std::int64_t{4} * sites_.x.spacing * sites_.y.spacing)),
        luma_(static_cast<std::size_t>(picture.size.width)),
        samples_(static_cast<std::size_t>(chroma_size_.width)) {
    if (picture.layout.gray) {
      chroma_.fill(std::vector<std::int32_t>(luma_.size(), 0));
      return;
    }
    for (auto& row : blended_) row.resize(samples_.size());
    for (auto& row : chroma_) row.resize(luma_.size());
    for (int x = 0; x < picture.size.width; ++x) {
      taps_.push_back(sites_.x.At(x, chroma_size_.width));
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
    const auto tap = sites_.y.At(y, chroma_size_.height);
    const int scale = 2 * sites_.y.spacing;
    for (int c = 0; c < 2; ++c) {
      std::vector<std::int32_t>& blended = blended_[static_cast<std::size_t>(c)];
      ReadRow(picture_, c + 1, tap.first, chroma_size_.width, samples_.data());
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        blended[i] = samples_[i] * (scale - tap.weight_second);
      }
      if (tap.weight_second == 0) continue;
      ReadRow(picture_, c + 1, tap.second, chroma_size_.width, samples_.data());
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
  Size chroma_size_;
  RgbGains gains_;
  std::vector<std::uint16_t> luma_;
  std::vector<std::uint16_t> samples_;
  std::array<std::vector<std::int32_t>, 2> blended_;  // a value per chroma sample
  std::array<std::vector<std::int32_t>, 2> chroma_;   // and per luma sample
  std::vector<Interpolation::Tap> taps_;
};

}  // namespace

Plane PictureToRgb(const PlanarPicture& picture, Orientation orientation) {
  RgbRows rows(picture);
  return MakeDisplayed(picture.size, PixelType::kU8x3, orientation,
                       [&](int y, std::uint8_t* out) { rows.Make(y, out); });
}

}  // namespace glint
