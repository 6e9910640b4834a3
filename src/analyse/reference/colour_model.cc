// SPDX-License-Identifier: Apache-2.0
#include "analyse/reference/colour_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "analyse/homography_fit.h"
#include "analyse/reference/blur_matching.h"
#include "base/normal_equations.h"

namespace glint::reference {
namespace {

using Channels = std::array<Field, kChannels>;

int RadiusOf(double radius, double scale) {
  return std::max(1, static_cast<int>(std::lround(radius * scale)));
}

/// Linear light, 0..1, of a value: nearly what displays do.
float Squared(int value) { return static_cast<float>(value * value) / 65025.0F; }

/// R, G and B in linear light, 0..1, a little smoothed.
/// @param blur  variance of a blur before that, px^2
Channels LinearLight(const Plane& picture, float blur, int radius, ThreadPool& pool) {
  Channels light;
  for (std::size_t c = 0; c < kChannels; ++c) {
    const auto value = [&](int y, int x) {
      return Squared(
          picture.Row<std::uint8_t>(y)[std::size_t{3} * static_cast<std::size_t>(x) + c]);
    };
    const Field sharp = FieldOf({picture.width(), picture.height()}, pool, value);
    light[c] = Smooth(Blurred(sharp, blur, pool), radius, pool);
  }
  return light;
}

/// What the colour differences and luma take of R, G and B.
constexpr std::array<std::array<float, 3>, kChannels> kOpponents = {
    {{1, -1, 0}, {0.5F, 0.5F, -1}, {0.3F, 0.6F, 0.1F}}};

float Opponent(const Channels& light, std::size_t k, int y, int x) {
  const auto& of = kOpponents[k];
  return of[0] * light[0][y][x] + of[1] * light[1][y][x] + of[2] * light[2][y][x];
}

/// What a camera's curve and filters may make of a colour: R, G, B, and the roots of their
/// products.
constexpr std::size_t kTerms = 6;

/// The terms of R, G, B. They grow with the light as R, G and B do.
std::array<float, kTerms> TermsOf(float r, float g, float b) {
  return {r, g, b, std::sqrt(r * g), std::sqrt(g * b), std::sqrt(b * r)};
}

/// Luma in linear light.
Field LumaLight(const Plane& picture, ThreadPool& pool) {
  const auto& of = kOpponents[kLuma];
  return FieldOf({picture.width(), picture.height()}, pool, [&](int y, int x) {
    const auto* rgb = picture.Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
    return of[0] * Squared(rgb[0]) + of[1] * Squared(rgb[1]) + of[2] * Squared(rgb[2]);
  });
}

class ColourModel {
 public:
  ColourModel(const Plane& now, const Plane& then, const PrintMatch& match, double scale,
              ThreadPool& pool, const ColourModelParams& params)
      : match_(match), scale_(scale), pool_(pool), params_(params), matrix_{} {
    const BlurMatch blur =
        MatchBlur(LumaLight(now, pool), LumaLight(then, pool), match.compared, pool,
                  params.blur_variances_px2, params.blur_texture_radius_px);
    copy_ = Light(then, blur.of_then);
    const Channels light = Light(now, blur.of_now);
    for (std::size_t k = 0; k < kChannels; ++k) {
      scan_[k] = Make([&](int y, int x) { return Opponent(light, k, y, x); });
      for (std::size_t c = 0; c < 3; ++c) matrix_[k][c] = kOpponents[k][c];
    }
    // One grey value of the scan, 0..255, in linear light: noise is about the same in all of them.
    per_grey_ = Make([&](int y, int x) {
      return 255 / (2 * std::sqrt(scan_[kLuma][y][x] + params_.dark_light));
    });
    weight_ = match.flat.clone();
    StartLight();
  }

  void Fit() {
    for (int round = 0; round < params_.rounds; ++round) {
      FitColours();
      for (std::size_t k = 0; k < kChannels; ++k) {
        const auto& b = matrix_[k];
        explained_[k] = Make([&](int y, int x) {
          const auto terms = TermsAt(y, x);
          return std::inner_product(terms.begin(), terms.end(), b.begin(), 0.0F);
        });
      }
      FitLight();
      Subtract();
      Weigh(std::max(params_.outlier_deviations,
                     params_.first_outlier_deviations / static_cast<float>(1 << round)));
    }
  }

  ColourChange Result() {
    ColourChange change;
    const int radius = RadiusOf(params_.level_radius_px, scale_);
    const Field support = Smooth(match_.flat, radius, pool_);
    const auto level = [&](const Field& rest) {
      const Field sum = Smooth(Product(rest, match_.flat, pool_), radius, pool_);
      return Make([&](int y, int x) { return sum[y][x] / (support[y][x] + 1e-3F); });
    };
    for (std::size_t k = 0; k < kChannels; ++k) {
      change.level[k] = level(rest_[k]);
      change.deviation[k] = std::max(
          params_.min_deviation_grey,
          Deviation(change.level[k], match_.flat, params_.min_flat) + params_.level_tolerance_grey);
    }
    change.strength = Make([&](int y, int x) {
      if (match_.compared.at<std::uint8_t>(y, x) == 0 || support[y][x] <= params_.min_support)
        return 0.0;
      double sum = 0;
      for (std::size_t k = 0; k < kChannels; ++k) {
        const double z = change.level[k][y][x] / change.deviation[k];
        sum += z * z;
      }
      return std::sqrt(sum / 2);
    });
    change.paler = level(Make([&](int y, int x) {
      return rest_[kLuma][y][x] - (Colourfulness(y, x, scan_) - Colourfulness(y, x, explained_));
    }));
    return change;
  }

 private:
  template <class Value>
  Field Make(const Value& value) {
    return FieldOf(match_.flat.size(), pool_, value);
  }

  Channels Light(const Plane& picture, float blur) {
    return LinearLight(picture, blur, RadiusOf(params_.smoothing_radius_px, scale_), pool_);
  }

  std::array<float, kTerms> TermsAt(int y, int x) const {
    return TermsOf(copy_[0][y][x], copy_[1][y][x], copy_[2][y][x]);
  }

  void StartLight() {
    const Field luma = Make([&](int y, int x) { return Opponent(copy_, kLuma, y, x); });
    const int radius = RadiusOf(params_.first_light_radius_px, scale_);
    const Field above = BoxSum(Product(weight_, scan_[kLuma], pool_), radius, pool_);
    const Field below = BoxSum(Product(weight_, luma, pool_), radius, pool_);
    gain_ = Make([&](int y, int x) { return (above[y][x] + 1e-6F) / (below[y][x] + 1e-6F); });
  }

  /// The matrix of the whole object, with the gains as they are.
  void FitColours() {
    std::array<NormalEquations, kChannels> equations = {
        NormalEquations(kTerms), NormalEquations(kTerms), NormalEquations(kTerms)};
    double total = 0;
    for (int y = 0; y < weight_.rows; y += params_.fit_stride_px) {
      for (int x = 0; x < weight_.cols; x += params_.fit_stride_px) {
        if (weight_[y][x] <= params_.min_fit_weight) continue;
        const double weight = double{weight_[y][x]} * per_grey_[y][x] * per_grey_[y][x];
        const double gain = gain_[y][x];
        std::array<double, 8> row{};
        const auto terms = TermsAt(y, x);
        for (std::size_t c = 0; c < kTerms; ++c) {
          row[c] = gain * terms[c];
          total += weight * row[c] * row[c];
        }
        for (std::size_t k = 0; k < kChannels; ++k) equations[k].Add(row, scan_[k][y][x], weight);
      }
    }
    for (std::size_t k = 0; k < kChannels; ++k) {
      for (std::size_t c = 0; c < kTerms; ++c) {
        std::array<double, 8> row{};
        row[c] = 1;
        const double unchanged = c < 3 ? kOpponents[k][c] : 0;
        equations[k].Add(row, unchanged, params_.colour_prior * total + 1e-9);
      }
      const auto solved = equations[k].Solve();
      if (!solved) continue;  // cannot be: the prior alone determines it
      for (std::size_t c = 0; c < kTerms; ++c) matrix_[k][c] = static_cast<float>((*solved)[c]);
    }
  }

  /// Gains of the colours, gains and offsets of luma, in windows, with the colours as they are.
  void FitLight() {
    const int radius = RadiusOf(params_.light_radius_px, scale_);
    const auto sum = [&](const auto& value) { return BoxSum(Make(value), radius, pool_); };
    const Field weights =
        Make([&](int y, int x) { return weight_[y][x] * per_grey_[y][x] * per_grey_[y][x]; });
    const Field total = BoxSum(weights, radius, pool_);
    const Field both = sum([&](int y, int x) {
      return weights[y][x] *
             (explained_[0][y][x] * scan_[0][y][x] + explained_[1][y][x] * scan_[1][y][x]);
    });
    const Field square = sum([&](int y, int x) {
      return weights[y][x] * (explained_[0][y][x] * explained_[0][y][x] +
                              explained_[1][y][x] * explained_[1][y][x]);
    });
    const Field &m = explained_[kLuma], &v = scan_[kLuma];
    const Field sum_m = sum([&](int y, int x) { return weights[y][x] * m[y][x]; });
    const Field sum_v = sum([&](int y, int x) { return weights[y][x] * v[y][x]; });
    const Field sum_mv = sum([&](int y, int x) { return weights[y][x] * m[y][x] * v[y][x]; });
    const Field sum_mm = sum([&](int y, int x) { return weights[y][x] * m[y][x] * m[y][x]; });
    // Where there is little colour, the light decides.
    gain_ = Make([&](int y, int x) {
      const float light = (sum_v[y][x] + 1e-6F) / (sum_m[y][x] + 1e-6F);
      const float prior = params_.gain_prior * total[y][x];
      const float gain = (both[y][x] + prior * light) / (square[y][x] + prior + 1e-9F);
      return std::clamp(gain, params_.min_gain, params_.max_gain);
    });
    luma_gain_ = Field(m.size());
    luma_offset_ = Make([&](int y, int x) {
      const float n = total[y][x] + 1e-9F;
      const float mean_m = sum_m[y][x] / n, mean_v = sum_v[y][x] / n;
      const float covariance = sum_mv[y][x] / n - mean_m * mean_v;
      const float variance = std::max(0.0F, sum_mm[y][x] / n - mean_m * mean_m);
      luma_gain_[y][x] = std::clamp(
          (covariance + params_.luma_prior * gain_[y][x]) / (variance + params_.luma_prior),
          params_.min_gain, params_.max_gain);
      return mean_v - luma_gain_[y][x] * mean_m;
    });
  }

  /// What is not explained, in grey values.
  void Subtract() {
    for (std::size_t k = 0; k < kChannels; ++k) {
      explained_[k] = Make([&](int y, int x) {
        return k == kLuma ? luma_gain_[y][x] * explained_[k][y][x] + luma_offset_[y][x]
                          : gain_[y][x] * explained_[k][y][x];
      });
      rest_[k] = Make(
          [&](int y, int x) { return (scan_[k][y][x] - explained_[k][y][x]) * per_grey_[y][x]; });
    }
  }

  /// Less weight for what is not explained.
  void Weigh(float outlying) {
    std::array<float, kChannels> noise{};
    for (std::size_t k = 0; k < kChannels; ++k) {
      noise[k] = static_cast<float>(Deviation(rest_[k], match_.flat, params_.min_flat) +
                                    params_.min_noise_grey);
    }
    weight_ = Make([&](int y, int x) {
      float sum = 0;
      for (std::size_t k = 0; k < kChannels; ++k) {
        const float z = rest_[k][y][x] / noise[k];
        sum += z * z;
      }
      const float away = sum / 3 / (outlying * outlying);
      return match_.flat[y][x] / (1 + away * away);
    });
  }

  float Colourfulness(int y, int x, const Channels& of) const {
    return std::sqrt(of[0][y][x] * of[0][y][x] + of[1][y][x] * of[1][y][x]) * per_grey_[y][x];
  }

  const PrintMatch& match_;
  double scale_;
  ThreadPool& pool_;
  const ColourModelParams& params_;
  Channels copy_;  // R, G, B of the good copy
  Channels scan_;  // colour differences and luma of the scan
  std::array<std::array<float, kTerms>, kChannels> matrix_;  // B: from the copy's terms to those
  Channels explained_;                                       // those, as the copy explains them
  Channels rest_;                                            // what is left, grey values
  Field per_grey_, weight_, gain_, luma_gain_, luma_offset_;
};

}  // namespace

ColourChange FindColourChange(const Plane& now, const Plane& then, const PrintMatch& match,
                              double scale, ThreadPool& pool, const ColourModelParams& params) {
  ColourModel model(now, then, match, scale, pool, params);
  model.Fit();
  return model.Result();
}

}  // namespace glint::reference
