// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/wide_folds.h"

#include <algorithm>
#include <array>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/pixels/masks.h"
#include "base/mat.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

Size Shrunk(Size size, int factor) { return {size.width / factor, size.height / factor}; }

/// Calls visit(x, y, first row, first column) for each pixel of the small view.
template <class Visit>
void ForBlocks(Size small, int factor, const Visit& visit) {
  for (int y = 0; y < small.height; ++y) {
    for (int x = 0; x < small.width; ++x) visit(x, y, y * factor, x * factor);
  }
}

/// The direction that most of each line's pixels have.
std::vector<int> MainDirections(const Plane& ids, const Plane& directions, std::size_t count) {
  std::vector<std::array<int, kDirections>> pixels(count);
  for (int y = 0; y < ids.height(); ++y) {
    const auto* row = ids.Row<std::int32_t>(y);
    const auto* angles = directions.Row<std::uint8_t>(y);
    for (int x = 0; x < ids.width(); ++x) {
      if (row[x] != 0) ++pixels[static_cast<std::size_t>(row[x] - 1)][angles[x] % kDirections];
    }
  }
  std::vector<int> main;
  main.reserve(pixels.size());
  for (const auto& of : pixels) {
    main.push_back(static_cast<int>(std::ranges::max_element(of) - of.begin()));
  }
  return main;
}

/// What the views show across a line, summed along it.
struct CrossProfiles {
  int reach = 0;
  std::int64_t pixels = 0;
  std::vector<std::int64_t> sums;  ///< by view, then by place from -reach to reach

  std::span<const std::int64_t> At(std::size_t view) const {
    const auto places = 2 * static_cast<std::size_t>(reach) + 1;
    return std::span(sums).subspan(view * places, places);
  }
};

/// A pixel of a chosen line.
struct FoldPixel {
  int x, y;
  std::size_t line;
};

std::vector<FoldPixel> PixelsOf(const Plane& ids, const std::vector<bool>& chosen) {
  std::vector<FoldPixel> pixels;
  for (int y = 0; y < ids.height(); ++y) {
    for (int x = 0; x < ids.width(); ++x) {
      const std::int32_t id = ids.Row<std::int32_t>(y)[x];
      if (id == 0 || !chosen[static_cast<std::size_t>(id - 1)]) continue;
      pixels.push_back({x, y, static_cast<std::size_t>(id - 1)});
    }
  }
  return pixels;
}

/// Profiles of the chosen lines.
std::vector<CrossProfiles> ProfilesOf(const Plane& ids, const Plane& directions,
                                      std::span<const StoredPlane> residuals, int reach,
                                      const std::vector<bool>& chosen) {
  const std::vector<int> main = MainDirections(ids, directions, chosen.size());
  const std::vector<FoldPixel> pixels = PixelsOf(ids, chosen);
  const auto places = 2 * static_cast<std::size_t>(reach) + 1;
  std::vector<CrossProfiles> profiles(chosen.size(), {.reach = reach, .pixels = 0, .sums = {}});
  for (const FoldPixel& pixel : pixels) {
    profiles[pixel.line].sums.resize(residuals.size() * places);
    ++profiles[pixel.line].pixels;
  }
  for (std::size_t view = 0; !pixels.empty() && view < residuals.size(); ++view) {
    const Plane residual = residuals[view].Whole();
    for (const FoldPixel& pixel : pixels) {
      std::int64_t* sums = profiles[pixel.line].sums.data() + view * places;
      for (int place = -reach; place <= reach; ++place) {
        const BilinearTap tap = AcrossLine(main[pixel.line], place);
        const int u = std::clamp(pixel.x + tap.x, 0, ids.width() - 1);
        const int v = std::clamp(pixel.y + tap.y, 0, ids.height() - 1);
        sums[place + reach] += residual.Row<std::int16_t>(v)[u];
      }
    }
  }
  return profiles;
}

/// Covariances over the views of what two places across a line show, times the views; in a fixed
/// order.
cv::Mat Covariances(const CrossProfiles& profiles, std::size_t views) {
  const int places = 2 * profiles.reach + 1;
  std::vector<double> mean(static_cast<std::size_t>(places));
  for (std::size_t view = 0; view < views; ++view) {
    const auto sums = profiles.At(view);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(sums[i]);
  }
  for (double& value : mean) value /= static_cast<double>(views);
  cv::Mat covariances(places, places, CV_64F, cv::Scalar(0));
  for (std::size_t view = 0; view < views; ++view) {
    const auto sums = profiles.At(view);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      auto* row = covariances.ptr<double>(static_cast<int>(i));
      const double left = static_cast<double>(sums[i]) - mean[i];
      for (std::size_t j = i; j < mean.size(); ++j) {
        row[j] += left * (static_cast<double>(sums[j]) - mean[j]);
      }
    }
  }
  return covariances;
}

/// The places across a line that vary most over the views, each of those within `apart_px`.
/// @param min_variance  what varies less is left out
std::vector<int> Slopes(const cv::Mat& covariances, int apart_px, double min_variance) {
  std::vector<int> slopes;
  for (int place = 0; place < covariances.rows; ++place) {
    const double variance = covariances.at<double>(place, place);
    bool most = variance >= min_variance;
    for (int other = std::max(place - apart_px, 0);
         other <= std::min(place + apart_px, covariances.rows - 1); ++other) {
      most = most && covariances.at<double>(other, other) <= variance;
    }
    if (most) slopes.push_back(place);
  }
  return slopes;
}

/// Whether two slopes of a line answer to the light against each other, and as much.
bool HasOppositeSlopes(const CrossProfiles& profiles, std::size_t views,
                       const WideFoldParams& params) {
  if (views < 2 || profiles.pixels == 0) return false;
  const cv::Mat covariances = Covariances(profiles, views);
  const double least =
      params.min_slope_deviation_grey * kGrey * static_cast<double>(profiles.pixels);
  const std::vector<int> slopes =
      Slopes(covariances, params.min_apart_px / 2, least * least * static_cast<double>(views));
  for (const int a : slopes) {
    for (const int b : slopes) {
      if (b < a + params.min_apart_px) continue;
      const double stronger = std::max(covariances.at<double>(a, a), covariances.at<double>(b, b));
      if (covariances.at<double>(a, b) <= params.max_slope_covariance * stronger) return true;
    }
  }
  return false;
}

}  // namespace

Plane ShrunkGrey(const Plane& plane, int factor) {
  Plane small = Plane::Host(Shrunk(plane.size(), factor), PixelType::kU8);
  const int area = factor * factor;
  ForBlocks(small.size(), factor, [&](int x, int y, int top, int left) {
    int sum = area / 2;
    for (int v = top; v < top + factor; ++v) {
      const auto* row = plane.Row<std::uint8_t>(v) + left;
      for (int u = 0; u < factor; ++u) sum += row[u];
    }
    small.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(sum / area);
  });
  return small;
}

Plane ShrunkMask(const Plane& mask, int factor) {
  Plane small = Plane::Host(Shrunk(mask.size(), factor), PixelType::kU8);
  ForBlocks(small.size(), factor, [&](int x, int y, int top, int left) {
    bool whole = true;
    for (int v = top; v < top + factor; ++v) {
      const auto* row = mask.Row<std::uint8_t>(v) + left;
      for (int u = 0; u < factor; ++u) whole = whole && row[u] != 0;
    }
    small.Row<std::uint8_t>(y)[x] = whole ? 255 : 0;
  });
  return small;
}

void AddEnlarged(const Plane& small, int factor, Plane& mask) {
  ForBlocks(small.size(), factor, [&](int x, int y, int top, int left) {
    if (small.Row<std::uint8_t>(y)[x] == 0) return;
    for (int v = top; v < std::min(top + factor, mask.height()); ++v) {
      std::fill_n(mask.Row<std::uint8_t>(v) + left, std::min(factor, mask.width() - left),
                  std::uint8_t{255});
    }
  });
}

std::vector<bool> NewLines(const Plane& ids, std::size_t count, int factor, const Plane& marked,
                           const WideFoldParams& params) {
  cv::Mat near;
  cv::dilate(AsMat(marked), near, Disc(params.known_px));
  std::vector<int> pixels(count), known(count);
  ForBlocks(ids.size(), factor, [&](int x, int y, int top, int left) {
    const std::int32_t id = ids.Row<std::int32_t>(y)[x];
    if (id == 0) return;
    const auto line = static_cast<std::size_t>(id - 1);
    ++pixels[line];
    if (near.at<std::uint8_t>(top + factor / 2, left + factor / 2) != 0) ++known[line];
  });
  std::vector<bool> fresh(count);
  for (std::size_t i = 0; i < count; ++i) {
    fresh[i] = pixels[i] > 0 && known[i] <= params.max_known_share * pixels[i];
  }
  return fresh;
}

void KeepFolds(const Plane& ids, const Plane& directions, std::span<const StoredPlane> residuals,
               const WideFoldParams& params, std::vector<bool>& chosen) {
  const std::vector<CrossProfiles> profiles =
      ProfilesOf(ids, directions, residuals, params.reach_px, chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    chosen[i] = chosen[i] && HasOppositeSlopes(profiles[i], residuals.size(), params);
  }
}

}  // namespace glint::photometric
