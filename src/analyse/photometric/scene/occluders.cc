// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/scene/occluders.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/pixels/masks.h"
#include "base/mat.h"
#include "base/median.h"

namespace glint::photometric {
namespace {

constexpr int kCell = kOccluderCell;
constexpr int kTogether =
    kCell / kThumbnailStep;  // pixels of a thumbnail along each side of a cell
constexpr double kFull = kTogether * kTogether * 65025.0;  // a cell's sum of squares at 255

/// A colour in linear light, 1 at 255: luma and the differences that gloss does not change.
struct Colour {
  double luma = 0, red_green = 0, yellow_blue = 0;
};

/// The two differences relative to luma.
struct Chromaticity {
  double red_green = 0, yellow_blue = 0;
};

/// One view in cells.
struct Cells {
  cv::Mat light;  // CV_32SC3: sums of squared R, G, B; nearly linear light
  cv::Mat seen;   // CV_8U: 255 where all pixels are
  cv::Mat blown;  // CV_8U: 255 where any value is
};

Colour ColourOf(const cv::Vec3i& sums) {
  const double r = sums[0] / kFull, g = sums[1] / kFull, b = sums[2] / kFull;
  return {.luma = 0.3 * r + 0.6 * g + 0.1 * b, .red_green = r - g, .yellow_blue = (r + g) / 2 - b};
}

Chromaticity ChromaticityOf(const Colour& colour, double dark_light) {
  const double luma = colour.luma + dark_light;
  return {.red_green = colour.red_green / luma, .yellow_blue = colour.yellow_blue / luma};
}

double SquaredDistance(const Chromaticity& a, const Chromaticity& b) {
  const double u = a.red_green - b.red_green, v = a.yellow_blue - b.yellow_blue;
  return u * u + v * v;
}

Cells CellsOf(const Plane& thumbnail, const Plane& valid, int clipped_grey) {
  const cv::Size size(thumbnail.width() / kTogether, thumbnail.height() / kTogether);
  Cells cells{.light = cv::Mat(size, CV_32SC3, cv::Scalar::all(0)),
              .seen = cv::Mat(size, CV_8U, cv::Scalar(255)),
              .blown = cv::Mat(size, CV_8U, cv::Scalar(0))};
  for (int y = 0; y < size.height * kTogether; ++y) {
    const auto* rgb = thumbnail.Row<std::uint8_t>(y);
    auto* light = cells.light.ptr<cv::Vec3i>(y / kTogether);
    auto* blown = cells.blown.ptr<std::uint8_t>(y / kTogether);
    for (int x = 0; x < size.width * kTogether; ++x, rgb += 3) {
      for (int c = 0; c < 3; ++c) light[x / kTogether][c] += rgb[c] * rgb[c];
      if (std::max({rgb[0], rgb[1], rgb[2]}) >= clipped_grey) blown[x / kTogether] = 255;
    }
  }
  for (int y = 0; y < size.height * kCell; ++y) {
    const auto* shown = valid.Row<std::uint8_t>(y);
    auto* seen = cells.seen.ptr<std::uint8_t>(y / kCell);
    for (int x = 0; x < size.width * kCell; ++x) {
      if (shown[x] == 0) seen[x / kCell] = 0;
    }
  }
  return cells;
}

/// The print: the median of each channel over the views that show a cell, 0 where none does.
/// @param occluded  per view, or none
cv::Mat MedianLight(const std::vector<Cells>& views, const std::vector<cv::Mat>& occluded,
                    ThreadPool& pool) {
  cv::Mat median(views[0].light.size(), CV_32SC3, cv::Scalar::all(0));
  pool.ParallelFor(median.rows, [&](std::int64_t row) {
    const int y = static_cast<int>(row);
    std::array<std::vector<std::int32_t>, 3> values;
    for (int x = 0; x < median.cols; ++x) {
      for (auto& channel : values) channel.clear();
      for (std::size_t i = 0; i < views.size(); ++i) {
        if (views[i].seen.at<std::uint8_t>(y, x) == 0) continue;
        if (!occluded.empty() && occluded[i].at<std::uint8_t>(y, x) != 0) continue;
        const auto& light = views[i].light.at<cv::Vec3i>(y, x);
        for (int c = 0; c < 3; ++c) values[static_cast<std::size_t>(c)].push_back(light[c]);
      }
      for (int c = 0; c < 3 && !values[0].empty(); ++c) {
        median.at<cv::Vec3i>(y, x)[c] = UpperMedian(values[static_cast<std::size_t>(c)]);
      }
    }
  });
  return median;
}

/// How much brighter the view is than the print: the median over its cells.
double GainOf(const Cells& view, const cv::Mat& print, double dark_light) {
  std::vector<double> gains;
  for (int y = 0; y < print.rows; ++y) {
    for (int x = 0; x < print.cols; ++x) {
      const double luma = ColourOf(print.at<cv::Vec3i>(y, x)).luma;
      if (view.seen.at<std::uint8_t>(y, x) == 0 || luma <= 0) continue;
      gains.push_back(ColourOf(view.light.at<cv::Vec3i>(y, x)).luma / (luma + dark_light / 2));
    }
  }
  return gains.empty() ? 0 : UpperMedian(gains);
}

/// How far the view's colour is from any that the print has under some light, grey values.
double ChromaDistance(const Colour& view, const Colour& print, double max_gain, double dark_light) {
  const double along = view.red_green * print.red_green + view.yellow_blue * print.yellow_blue;
  const double square = print.red_green * print.red_green + print.yellow_blue * print.yellow_blue;
  const double gain = std::clamp(along / (square + 1e-6), 0.0, max_gain);
  const double u = view.red_green - gain * print.red_green;
  const double v = view.yellow_blue - gain * print.yellow_blue;
  return std::sqrt(u * u + v * v) * 255 / (2 * std::sqrt(view.luma + dark_light));
}

/// The search for occluders in one view: chroma distance, hysteresis, growth.
class OcclusionSearch {
 public:
  OcclusionSearch(const Cells& view, const cv::Mat& print, const OccluderParams& params)
      : view_(view),
        print_(print),
        params_(params),
        distance_(print.size(), CV_32F, cv::Scalar(0)) {
    const double max_gain = params.max_gain_ratio * GainOf(view, print, params.dark_light);
    for (int y = 0; y < print.rows; ++y) {
      for (int x = 0; x < print.cols; ++x) {
        const auto& of_print = print.at<cv::Vec3i>(y, x);
        const bool comparable = view.seen.at<std::uint8_t>(y, x) != 0 &&
                                view.blown.at<std::uint8_t>(y, x) == 0 && of_print != cv::Vec3i();
        if (!comparable) continue;
        distance_.at<float>(y, x) = static_cast<float>(
            ChromaDistance(At(y, x), ColourOf(of_print), max_gain, params.dark_light));
      }
    }
  }

  /// @return CV_8U, 255 where something is in front
  cv::Mat Mask() const {
    cv::Mat seeds, rim, occluded(distance_.size(), CV_8U, cv::Scalar(0));
    cv::morphologyEx(distance_ >= params_.high_distance_grey, seeds, cv::MORPH_OPEN,
                     cv::Mat::ones(2, 2, CV_8U));
    if (cv::countNonZero(seeds) < params_.min_seed_cells) return occluded;
    cv::erode(view_.seen, rim, Square(params_.rim_cells), {-1, -1}, 1, cv::BORDER_CONSTANT,
              cv::Scalar(0));
    rim = ~rim;
    const Components components = FindComponents(distance_ >= params_.low_distance_grey, 8);
    const std::vector<int> counts = components.CountIn(seeds);
    for (int label = 1; label < components.count; ++label) {
      if (counts[static_cast<std::size_t>(label)] < params_.min_seed_cells) continue;
      const cv::Mat whole = GrowByChroma(components.labels == label, seeds);
      if (cv::countNonZero(whole & rim) > 0) occluded |= whole;
    }
    cv::dilate(occluded, occluded, Square(params_.margin_cells));
    return occluded;
  }

 private:
  Colour At(int y, int x) const { return ColourOf(view_.light.at<cv::Vec3i>(y, x)); }

  /// The component, and what has its chroma beside it: where most views are occluded the print is
  /// not known well, and what hides it is less far from it. If that is far more, the print has this
  /// chroma, too, and only what is nearer to the component than to its own print is taken.
  cv::Mat GrowByChroma(const cv::Mat& component, const cv::Mat& seeds) const {
    const cv::Mat core = component & seeds;
    Chromaticity chroma;
    const double count = cv::countNonZero(core);
    ForAll([&](int y, int x, const Chromaticity& here) {
      if (core.at<std::uint8_t>(y, x) == 0) return;
      chroma.red_green += here.red_green / count;
      chroma.yellow_blue += here.yellow_blue / count;
    });
    cv::Mat like(component.size(), CV_8U, cv::Scalar(0)), nearer = like.clone();
    ForAll([&](int y, int x, const Chromaticity& here) {
      const double off = SquaredDistance(here, chroma);
      if (off >= params_.same_chroma * params_.same_chroma) return;
      like.at<std::uint8_t>(y, x) = 255;
      const Chromaticity of_print =
          ChromaticityOf(ColourOf(print_.at<cv::Vec3i>(y, x)), params_.dark_light);
      if (params_.nearer_ratio * params_.nearer_ratio * off < SquaredDistance(here, of_print))
        nearer.at<std::uint8_t>(y, x) = 255;
    });
    const auto grown = [&](const cv::Mat& over) {
      return ComponentsTouching((over & view_.seen) | component, core, 8);
    };
    const cv::Mat most = grown(like);
    return cv::countNonZero(most) > params_.max_growth_ratio * cv::countNonZero(component)
               ? grown(nearer)
               : most;
  }

  template <class Call>
  void ForAll(const Call& call) const {
    for (int y = 0; y < print_.rows; ++y) {
      for (int x = 0; x < print_.cols; ++x)
        call(y, x, ChromaticityOf(At(y, x), params_.dark_light));
    }
  }

  const Cells& view_;
  const cv::Mat& print_;
  const OccluderParams& params_;
  cv::Mat distance_;  // CV_32F
};

/// Cells that are occluded in more than a share of the views that show them.
cv::Mat PersistentOcclusion(const std::vector<Cells>& views, const std::vector<cv::Mat>& occluded,
                            int percent) {
  cv::Mat persistent(occluded[0].size(), CV_8U);
  for (int y = 0; y < persistent.rows; ++y) {
    for (int x = 0; x < persistent.cols; ++x) {
      int seen = 0, covered = 0;
      for (std::size_t i = 0; i < views.size(); ++i) {
        if (views[i].seen.at<std::uint8_t>(y, x) == 0) continue;
        ++seen;
        covered += occluded[i].at<std::uint8_t>(y, x) != 0 ? 1 : 0;
      }
      persistent.at<std::uint8_t>(y, x) = 100 * covered > percent * seen ? 255 : 0;
    }
  }
  return persistent;
}

}  // namespace

cv::Mat OcclusionMasks::Any() const {
  cv::Mat ever;
  for (const cv::Mat& view : views) {
    if (view.empty()) continue;
    ever = ever.empty() ? view.clone() : cv::Mat(ever | view);
  }
  return ever;
}

OcclusionMasks FindOccluders(std::span<const Plane> thumbnails, std::span<const Plane> valid,
                             const OccluderParams& params, ThreadPool& pool) {
  OcclusionMasks found;
  if (thumbnails.empty() || std::min(thumbnails[0].width(), thumbnails[0].height()) < kTogether) {
    return found;
  }
  const auto for_views = [&](const auto& call) {
    pool.ParallelFor(std::ssize(thumbnails),
                     [&](std::int64_t view) { call(static_cast<std::size_t>(view)); });
  };
  std::vector<Cells> cells(thumbnails.size());
  for_views(
      [&](std::size_t i) { cells[i] = CellsOf(thumbnails[i], valid[i], params.clipped_grey); });
  std::vector<cv::Mat> occluded(cells.size());
  const auto any = [&] {
    return std::ranges::any_of(occluded,
                               [](const cv::Mat& view) { return cv::countNonZero(view) > 0; });
  };
  cv::Mat print = MedianLight(cells, {}, pool);
  for_views([&](std::size_t i) { occluded[i] = OcclusionSearch(cells[i], print, params).Mask(); });
  if (!any()) return found;
  // Now the print is known better where much of it was occluded.
  print = MedianLight(cells, occluded, pool);
  for_views([&](std::size_t i) { occluded[i] |= OcclusionSearch(cells[i], print, params).Mask(); });
  found.persistent = PersistentOcclusion(cells, occluded, params.persistent_percent);
  if (cv::countNonZero(found.persistent) == 0) found.persistent = cv::Mat();
  for (cv::Mat& view : occluded) {
    found.views.push_back(cv::countNonZero(view) > 0 ? std::move(view) : cv::Mat());
  }
  return found;
}

cv::Mat CellsTouchedBy(const cv::Mat& mask) {
  cv::Mat cells(std::max(1, mask.rows / kOccluderCell), std::max(1, mask.cols / kOccluderCell),
                CV_8U, cv::Scalar(0));
  for (int y = 0; y < mask.rows; ++y) {
    auto* row = cells.ptr<std::uint8_t>(std::min(y / kOccluderCell, cells.rows - 1));
    for (int x = 0; x < mask.cols; ++x) {
      if (mask.at<std::uint8_t>(y, x) != 0) row[std::min(x / kOccluderCell, cells.cols - 1)] = 255;
    }
  }
  return cells;
}

Plane ClearOccluded(const Plane& mask, const cv::Mat& occluded) {
  if (occluded.empty()) return mask;
  cv::Mat left = AsMat(mask).clone();
  for (int y = 0; y < left.rows; ++y) {
    auto* row = left.ptr<std::uint8_t>(y);
    for (int x = 0; x < left.cols; ++x) {
      if (IsOccluded(occluded, y, x)) row[x] = 0;
    }
  }
  return AsPlane(left);
}

Plane ClearAroundOccluded(const Plane& mask, const cv::Mat& occluded, int margin_cells) {
  if (occluded.empty()) return mask;
  cv::Mat grown;
  cv::dilate(occluded, grown, Square(margin_cells));
  return ClearOccluded(mask, grown);
}

}  // namespace glint::photometric
