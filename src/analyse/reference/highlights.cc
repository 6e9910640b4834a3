// SPDX-License-Identifier: Apache-2.0
#include "analyse/reference/highlights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/pixels/masks.h"
#include "analyse/reference/fields.h"
#include "base/median.h"

namespace glint::reference {
namespace {

/// Luma in linear light, 0..1.
Field Luma(const Plane& picture, ThreadPool& pool) {
  return FieldOf({picture.width(), picture.height()}, pool, [&](int y, int x) {
    const auto* rgb = picture.Row<std::uint8_t>(y) + std::ptrdiff_t{3} * x;
    return (0.3F * static_cast<float>(rgb[0] * rgb[0]) +
            0.6F * static_cast<float>(rgb[1] * rgb[1]) +
            0.1F * static_cast<float>(rgb[2] * rgb[2])) /
           65025.0F;
  });
}

/// What the copy is in terms of the scan, where there is contrast to tell.
struct Veil {
  Field gain;  ///< below 0 where nothing is known
  Field veil;
};

Veil FitVeil(const Field& now, const Field& then, const Field& weight, int radius, ThreadPool& pool,
             const HighlightParams& params) {
  const auto mean = [&](const Field& f) { return BoxMean(Product(f, weight, pool), radius, pool); };
  const Field shown = BoxMean(weight, radius, pool);
  const Field a = mean(now), b = mean(then), aa = mean(Product(now, now, pool)),
              ab = mean(Product(now, then, pool));
  Veil fit{Field(now.size()), Field(now.size())};
  ForRows(pool, now.rows, [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
      for (int x = 0; x < now.cols; ++x) {
        const float n = shown[y][x];
        fit.gain[y][x] = -1;
        fit.veil[y][x] = 0;
        if (n < params.min_shown) continue;
        const float of_now = a[y][x] / n, of_then = b[y][x] / n;
        const float variance = aa[y][x] / n - of_now * of_now;
        if (variance < params.min_contrast) continue;
        fit.gain[y][x] = (ab[y][x] / n - of_now * of_then) / (variance + params.contrast_prior);
        fit.veil[y][x] = of_then - fit.gain[y][x] * of_now;
      }
    }
  });
  return fit;
}

/// Median where something is known.
float KnownMedian(const Field& field, const Field& gain) {
  std::vector<float> values;
  for (int y = 0; y < field.rows; ++y) {
    for (int x = 0; x < field.cols; ++x) {
      if (gain[y][x] >= 0) values.push_back(field[y][x]);
    }
  }
  return values.empty() ? 0 : UpperMedian(values);
}

}  // namespace

cv::Mat OverexposedMask(const Plane& picture, int overexposed_grey) {
  cv::Mat blown(picture.height(), picture.width(), CV_8U);
  for (int y = 0; y < picture.height(); ++y) {
    const auto* rgb = picture.Row<std::uint8_t>(y);
    for (int x = 0; x < picture.width(); ++x, rgb += 3) {
      blown.at<std::uint8_t>(y, x) =
          std::max({rgb[0], rgb[1], rgb[2]}) >= overexposed_grey ? 255 : 0;
    }
  }
  cv::dilate(blown, blown, cv::Mat::ones(5, 5, CV_8U));
  return blown;
}

cv::Mat FindHighlights(const Plane& now, const Plane& then, const Plane& where, double scale,
                       ThreadPool& pool, const HighlightParams& params) {
  const cv::Mat cut_off = OverexposedMask(now, params.overexposed_grey) |
                          OverexposedMask(then, params.overexposed_grey);
  const Field weight = FieldOf(cut_off.size(), pool, [&](int y, int x) {
    return where.Row<std::uint8_t>(y)[x] != 0 && cut_off.at<std::uint8_t>(y, x) == 0 ? 1.0F : 0.0F;
  });
  const int radius = std::max(2, static_cast<int>(std::lround(params.window_radius_px * scale)));
  const Veil fit = FitVeil(Luma(now, pool), Luma(then, pool), weight, radius, pool, params);
  const float median_gain = KnownMedian(fit.gain, fit.gain),
              median_veil = KnownMedian(fit.veil, fit.gain);
  cv::Mat bright(cut_off.size(), CV_8U);
  for (int y = 0; y < bright.rows; ++y) {
    for (int x = 0; x < bright.cols; ++x) {
      const bool veiled = fit.gain[y][x] >= 0 && fit.gain[y][x] >= params.min_gain * median_gain &&
                          fit.veil[y][x] > median_veil + params.min_veil;
      bright.at<std::uint8_t>(y, x) = veiled ? 255 : 0;
    }
  }
  // Closed by two distances: a disc of this size costs its area.
  cv::Mat distance;
  const auto within = [&](const cv::Mat& mask) {
    if (cv::countNonZero(mask) == 0) return mask;
    cv::distanceTransform(~mask, distance, cv::DIST_L2, 5);
    return cv::Mat(distance <= radius);
  };
  cv::Mat framed;
  cv::copyMakeBorder(bright, framed, radius, radius, radius, radius, cv::BORDER_CONSTANT,
                     cv::Scalar(0));
  const cv::Mat closed = ~within(~within(framed));
  return closed(cv::Rect(radius, radius, bright.cols, bright.rows)).clone();
}

}  // namespace glint::reference
