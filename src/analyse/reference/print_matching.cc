// SPDX-License-Identifier: Apache-2.0
#include "analyse/reference/print_matching.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/pixels/masks.h"
#include "analyse/reference/highlights.h"
#include "base/mat.h"

namespace glint::reference {
namespace {

using photometric::Disc;

Field Texture(const Field& grey, const PrintMatchParams& params, ThreadPool& pool) {
  const Field fine = Smooth(grey, params.fine_radius_px, pool);
  const Field coarse = Smooth(fine, params.coarse_radius_px, pool);
  return FieldOf(grey.size(), pool, [&](int y, int x) { return fine[y][x] - coarse[y][x]; });
}

Field Correlation(const Field& a, const Field& b, int radius, ThreadPool& pool) {
  return BoxMean(Product(a, b, pool), radius, pool);
}

/// Textured places: 1 where the pictures look alike, and where they do not.
struct Textured {
  Field alike, unlike;
};

Textured Correlate(const Field& now, const Field& then, const Plane& where,
                   const PrintMatchParams& params, ThreadPool& pool) {
  const int radius = params.window_radius_px;
  const Field a = Texture(now, params, pool), b = Texture(then, params, pool);
  const Field aa = Correlation(a, a, radius, pool), bb = Correlation(b, b, radius, pool);
  const Field ab = Correlation(a, b, radius, pool);
  Textured out{Field(now.size()), Field(now.size())};
  ForRows(pool, now.rows, [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
      const auto* object = where.Row<std::uint8_t>(y);
      for (int x = 0; x < now.cols; ++x) {
        const bool textured = object[x] != 0 && std::max(aa[y][x], bb[y][x]) > params.min_texture;
        const float both = ab[y][x];
        const bool alike =
            both > 0 && both * both > params.min_correlation_square * aa[y][x] * bb[y][x];
        out.alike[y][x] = textured && alike ? 1.0F : 0.0F;
        out.unlike[y][x] = textured && !alike ? 1.0F : 0.0F;
      }
    }
  });
  return out;
}

/// Length of the gradient (Sobel's, per pixel); 0 along the border.
Field Slope(const Field& f, ThreadPool& pool) {
  return FieldOf(f.size(), pool, [&](int y, int x) {
    if (y == 0 || x == 0 || y + 1 == f.rows || x + 1 == f.cols) return 0.0F;
    const float *up = f[y - 1] + x, *at = f[y] + x, *down = f[y + 1] + x;
    const float across = up[1] - up[-1] + 2 * (at[1] - at[-1]) + down[1] - down[-1];
    const float along = down[-1] - up[-1] + 2 * (down[0] - up[0]) + down[1] - up[1];
    return std::sqrt(across * across + along * along) / 8;
  });
}

}  // namespace

PrintMatch MatchPrints(const Plane& now, const Plane& then, const Plane& where, double scale,
                       ThreadPool& pool, const PrintMatchParams& params) {
  const Field grey_now = GreyOf(now, pool), grey_then = GreyOf(then, pool);
  const Textured textured = Correlate(grey_now, grey_then, where, params, pool);
  const double alike = cv::sum(textured.alike)[0], unlike = cv::sum(textured.unlike)[0];
  PrintMatch match;
  match.share = alike / (alike + unlike + 1);

  const int voters = static_cast<int>(params.voters_radius_px * scale);
  const Field yes = BoxSum(textured.alike, voters, pool);
  const Field no = BoxSum(textured.unlike, voters, pool);
  cv::Mat other;
  cv::dilate(textured.unlike > 0, other, Disc(params.differing_margin_px));
  const cv::Mat overexposed = OverexposedMask(now, params.overexposed_grey);
  const int radius = std::max(1, static_cast<int>(std::lround(params.slope_radius_px * scale)));
  cv::Mat slope;
  cv::dilate(Slope(Smooth(grey_then, radius, pool), pool), slope, cv::Mat::ones(3, 3, CV_8U));

  const auto prior = params.prior_px * static_cast<float>(match.share);
  match.compared = cv::Mat(grey_now.size(), CV_8U);
  match.flat = FieldOf(grey_now.size(), pool, [&](int y, int x) {
    const float vote = (yes[y][x] + prior) / (yes[y][x] + no[y][x] + params.prior_px);
    const bool compared = where.Row<std::uint8_t>(y)[x] != 0 && vote > params.min_vote &&
                          other.at<std::uint8_t>(y, x) == 0;
    match.compared.at<std::uint8_t>(y, x) = compared ? 255 : 0;
    if (!compared || overexposed.at<std::uint8_t>(y, x) != 0) return 0.0F;
    const float steep = slope.at<float>(y, x) / params.half_slope;
    return 1 / (1 + steep * steep);
  });
  return match;
}

}  // namespace glint::reference
