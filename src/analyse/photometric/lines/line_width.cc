// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/line_width.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "analyse/photometric/pixels/masks.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/median.h"
#include "base/status_macros.h"
#include "base/stored_rows.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// What the views show across a line, from `farthest` px on one side to as many on the other.
using Profile = std::vector<std::int64_t>;

/// How far a line reaches to either side at one of its pixels, px.
struct Reaches {
  double before, after;
};

/// A pixel of a ridge.
struct RidgePixel {
  int x, y;
  std::size_t line;
  int direction;
  Reaches reaches;
  double strength;  ///< how much the views that show it best differ there from their surroundings
};

/// Where the side of a line is that profiles end with, 1/32 px. The line's own direction is (y,
/// -x).
struct Across {
  int x, y;

  explicit Across(int direction) {
    const double angle = CV_PI * direction / kDirections;
    x = static_cast<int>(std::lround(-std::sin(angle) * 32));
    y = static_cast<int>(std::lround(std::cos(angle) * 32));
  }
};

/// A view, and how it shows the ridge at a pixel.
struct WeightedView {
  std::size_t view;
  std::int64_t weight;
};

/// Rows of all residuals.
struct ResidualRows {
  Rows rows;
  int height;  ///< of the residuals
  std::vector<Plane> of;
};

/// Looks at the residuals around one pixel of a ridge.
class RidgeProfiler {
 public:
  RidgeProfiler(const ResidualRows& residuals, cv::Point at, int direction,
                const LineWidthParams& params)
      : residuals_(residuals), at_(at), across_(direction), params_(params) {
    views_.reserve(residuals.of.size());
    for (std::size_t view = 0; view < residuals.of.size(); ++view) {
      views_.push_back({view, AlongAt(view, 0, params.along_px)});
    }
    std::ranges::stable_sort(views_, [](const WeightedView& a, const WeightedView& b) {
      return std::abs(a.weight) > std::abs(b.weight);
    });
    views_.resize(std::min(views_.size(), static_cast<std::size_t>(params.max_views)));
  }

  Profile AcrossLine() const {
    Profile profile;
    profile.reserve(2 * static_cast<std::size_t>(params_.max_reach_px) + 1);
    for (int distance = -params_.max_reach_px; distance <= params_.max_reach_px; ++distance) {
      std::int64_t sum = 0;
      for (const WeightedView& view : views_) {
        sum += view.weight * AlongAt(view.view, distance, params_.along_px);
      }
      profile.push_back(sum);
    }
    return profile;
  }

  double Strength() const {
    std::int64_t sum = 0;
    for (const WeightedView& view : views_)
      sum += std::abs(AlongAt(view.view, 0, params_.strength_along_px));
    return static_cast<double>(sum);
  }

 private:
  /// Sum of a view's residuals `reach` px along the line to either side, at a distance from it.
  std::int64_t AlongAt(std::size_t view, int distance, int reach) const {
    const Plane& residual = residuals_.of[view];
    std::int64_t sum = 0;
    for (int along = -reach; along <= reach; along += 2) {
      const int x = (32 * at_.x + distance * across_.x + along * across_.y + 16) >> 5;
      const int y = (32 * at_.y + distance * across_.y - along * across_.x + 16) >> 5;
      if (x < 0 || y < 0 || x >= residual.width() || y >= residuals_.height) continue;
      sum += residual.Row<std::int16_t>(y - residuals_.rows.begin)[x];
    }
    return sum;
  }

  const ResidualRows& residuals_;
  cv::Point at_;
  Across across_;
  const LineWidthParams& params_;
  std::vector<WeightedView> views_;
};

/// How far a line reaches on one side. @param at  its profile 0, 1, .. px from the ridge, of what
/// is on the ridge
template <class Value>
double ReachOf(Value at, const LineWidthParams& params) {
  int last = 0;
  while (last < params.max_reach_px && at(last + 1) >= params.edge_share) ++last;
  if (last == params.max_reach_px) return last;
  const double above = at(last), below = at(last + 1);
  const double crossing =
      above > params.edge_share ? last + (above - params.edge_share) / (above - below) : last;
  const double reach =
      std::sqrt(std::max(crossing * crossing - params.blur_px * params.blur_px, 0.0));
  return std::max(reach, params.min_reach_px);
}

Reaches ReachesOf(const Profile& profile, const LineWidthParams& params) {
  const auto middle = static_cast<std::ptrdiff_t>(params.max_reach_px);
  const auto value = [&](std::ptrdiff_t k) {
    return static_cast<double>(profile[static_cast<std::size_t>(middle + k)]);
  };
  double peak = 0;
  for (int k = -params.ridge_px; k <= params.ridge_px; ++k) peak = std::max(peak, value(k));
  if (peak <= 0) return {params.min_reach_px, params.min_reach_px};
  return {ReachOf([&](int k) { return value(-k) / peak; }, params),
          ReachOf([&](int k) { return value(k) / peak; }, params)};
}

/// Pixels of all ridges in reading order, not looked at yet.
std::vector<RidgePixel> RidgePixels(const Plane& ids, const Plane& direction) {
  std::vector<RidgePixel> pixels;
  for (int y = 0; y < ids.height(); ++y) {
    const auto* id = ids.Row<std::int32_t>(y);
    for (int x = 0; x < ids.width(); ++x) {
      if (id[x] == 0) continue;
      pixels.push_back({.x = x,
                        .y = y,
                        .line = static_cast<std::size_t>(id[x] - 1),
                        .direction = direction.Row<std::uint8_t>(y)[x] % kDirections,
                        .reaches = {},
                        .strength = 0});
    }
  }
  return pixels;
}

/// Looks at pixels in reading order. @param height  of the residuals
void LookAt(std::vector<RidgePixel>& pixels, std::span<const StoredPlane> residuals, int height,
            const LineWidthParams& params, ThreadPool& pool) {
  const int reach = params.max_reach_px + std::max(params.along_px, params.strength_along_px) + 1;
  for (auto begin = pixels.begin(); begin != pixels.end();) {
    const auto end = std::find_if(begin, pixels.end(), [&](const RidgePixel& pixel) {
      return pixel.y >= begin->y + kStoredBandRows;
    });
    const Rows rows{std::max(begin->y - reach, 0), std::min(std::prev(end)->y + reach + 1, height)};
    const ResidualRows shown{rows, height, RowsOf(residuals, rows, pool)};
    pool.ParallelFor(end - begin, [&](std::int64_t i) {
      RidgePixel& pixel = begin[i];
      const RidgeProfiler profiler(shown, {pixel.x, pixel.y}, pixel.direction, params);
      pixel.reaches = ReachesOf(profiler.AcrossLine(), params);
      pixel.strength = profiler.Strength();
    });
    begin = end;
  }
}

/// What is left of each line's median strength where its ridge ends.
std::vector<double> FaintOf(const std::vector<RidgePixel>& pixels, std::size_t lines,
                            const LineWidthParams& params) {
  std::vector<std::vector<double>> strengths(lines);
  for (const RidgePixel& pixel : pixels) strengths[pixel.line].push_back(pixel.strength);
  std::vector<double> faint;
  faint.reserve(lines);
  for (std::vector<double>& line : strengths) {
    faint.push_back(line.empty() ? 0 : params.faint_share * UpperMedian(line));
  }
  return faint;
}

/// Whether two directions that differ by that many steps are those of one stretch.
bool IsSameWay(int turn, const LineWidthParams& params) {
  return std::min(turn, kDirections - turn) <= params.same_direction_steps;
}

/// Pixels of ridges by where they lie.
class Neighbours {
 public:
  Neighbours(const std::vector<RidgePixel>& pixels, Size size)
      : pixels_(pixels), places_(size.height, size.width, CV_32S, cv::Scalar(-1)) {
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      places_.at<std::int32_t>(pixels[i].y, pixels[i].x) = static_cast<std::int32_t>(i);
    }
  }

  /// The medians of the pixels around that run the same way; nothing for a pixel of a spur.
  std::optional<RidgePixel> MedianAround(const RidgePixel& pixel,
                                         const LineWidthParams& params) const {
    const int reach = params.along_px;
    std::vector<double> before, after, strength;
    int of_line = 0, same = 0;
    const int left = std::max(pixel.x - reach, 0);
    const int right = std::min(pixel.x + reach, places_.cols - 1);
    const int top = std::max(pixel.y - reach, 0);
    const int bottom = std::min(pixel.y + reach, places_.rows - 1);
    for (int y = top; y <= bottom; ++y) {
      const auto* place = places_.ptr<std::int32_t>(y);
      for (int x = left; x <= right; ++x) {
        if (place[x] < 0) continue;
        const RidgePixel& other = pixels_[static_cast<std::size_t>(place[x])];
        of_line += other.line == pixel.line ? 1 : 0;
        const int turn = std::abs(other.direction - pixel.direction);
        if (!IsSameWay(turn, params)) continue;
        same += other.line == pixel.line ? 1 : 0;
        // Directions end where they begin: half a turn apart, the sides are swapped.
        const bool swapped = turn > kDirections / 2;
        before.push_back(swapped ? other.reaches.after : other.reaches.before);
        after.push_back(swapped ? other.reaches.before : other.reaches.after);
        strength.push_back(other.strength);
      }
    }
    if (same < params.min_same_direction_share * of_line) return std::nullopt;
    RidgePixel around = pixel;
    around.reaches = {UpperMedian(before), UpperMedian(after)};
    around.strength = UpperMedian(strength);
    return around;
  }

  /// Whether a ridge of the same line runs beside a pixel, so much stronger that the pixel lies on
  /// a side lobe of it.
  bool IsSideLobe(const RidgePixel& pixel, const LineWidthParams& params) const {
    const Across across(pixel.direction);
    for (int distance = -params.max_side_lobe_px; distance <= params.max_side_lobe_px; ++distance) {
      if (std::abs(distance) < params.min_side_lobe_px) continue;
      const int x = (32 * pixel.x + distance * across.x + 16) >> 5;
      const int y = (32 * pixel.y + distance * across.y + 16) >> 5;
      if (x < 0 || y < 0 || x >= places_.cols || y >= places_.rows) continue;
      const std::int32_t place = places_.at<std::int32_t>(y, x);
      if (place < 0) continue;
      const RidgePixel& other = pixels_[static_cast<std::size_t>(place)];
      const int turn = std::abs(other.direction - pixel.direction);
      if (other.line == pixel.line && IsSameWay(turn, params) &&
          pixel.strength < params.min_side_lobe_share * other.strength) {
        return true;
      }
    }
    return false;
  }

 private:
  const std::vector<RidgePixel>& pixels_;
  cv::Mat places_;
};

/// Marks what lies across the ridge up to 1 px less than the line reaches.
void Draw(const RidgePixel& pixel, cv::Mat& mask) {
  const Across across(pixel.direction);
  const auto half_steps = [](double reach) { return static_cast<int>(std::lround(2 * reach)) - 2; };
  const int first = -half_steps(pixel.reaches.before), last = half_steps(pixel.reaches.after);
  for (int step = first; step <= last; ++step) {
    const int x = (64 * pixel.x + step * across.x + 32) >> 6;
    const int y = (64 * pixel.y + step * across.y + 32) >> 6;
    if (x < 0 || y < 0 || x >= mask.cols || y >= mask.rows) continue;
    mask.at<std::uint8_t>(y, x) = 255;
  }
}

/// What of a line's ridge is drawn.
struct DrawnRidge {
  std::vector<RidgePixel> pixels;
  double width = 0;  ///< on the mean, px; 0 where nothing is drawn

  /// Whether it is wide, short and hardly longer than wide, by the smallest rectangle around it.
  bool IsStub(const LineWidthParams& params) const {
    if (pixels.empty() || width < params.min_stub_width_px) return false;
    std::vector<cv::Point> points;
    points.reserve(pixels.size());
    for (const RidgePixel& pixel : pixels) points.emplace_back(pixel.x, pixel.y);
    const cv::Size2f sides = cv::minAreaRect(points).size;  // of the pixels' centres
    const double length = 1 + std::max(sides.width, sides.height);
    return length <= params.max_stub_px && length < params.min_stub_aspect * width;
  }
};

/// Of each pixel, whether most of its piece of the ridge is a side lobe.
std::vector<bool> AreSideLobes(const std::vector<RidgePixel>& pixels, const Neighbours& neighbours,
                               Size size, const LineWidthParams& params) {
  cv::Mat ridge(size.height, size.width, CV_8U, cv::Scalar(0)), beside = ridge.clone();
  for (const RidgePixel& pixel : pixels) {
    ridge.at<std::uint8_t>(pixel.y, pixel.x) = 255;
    if (neighbours.IsSideLobe(pixel, params)) beside.at<std::uint8_t>(pixel.y, pixel.x) = 255;
  }
  const Components pieces = FindComponents(ridge, 8);
  const std::vector<int> all = pieces.CountIn(ridge), those = pieces.CountIn(beside);
  std::vector<bool> are;
  are.reserve(pixels.size());
  for (const RidgePixel& pixel : pixels) {
    const auto piece = static_cast<std::size_t>(pieces.labels.at<std::int32_t>(pixel.y, pixel.x));
    are.push_back(2 * those[piece] > all[piece]);
  }
  return are;
}

std::vector<DrawnRidge> RidgesToDraw(const std::vector<RidgePixel>& pixels, std::size_t lines,
                                     Size size, const LineWidthParams& params) {
  const Neighbours neighbours(pixels, size);
  const std::vector<double> faint = FaintOf(pixels, lines, params);
  std::vector<DrawnRidge> ridges(lines);
  const std::vector<bool> beside = AreSideLobes(pixels, neighbours, size, params);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (beside[i]) continue;
    const std::optional<RidgePixel> drawn = neighbours.MedianAround(pixels[i], params);
    const std::size_t line = pixels[i].line;
    if (drawn && drawn->strength >= faint[line]) ridges[line].pixels.push_back(*drawn);
  }
  for (DrawnRidge& ridge : ridges) {
    for (const RidgePixel& pixel : ridge.pixels) {
      ridge.width += 1 + pixel.reaches.before + pixel.reaches.after;
    }
    if (!ridge.pixels.empty()) ridge.width /= static_cast<double>(ridge.pixels.size());
  }
  return ridges;
}

DrawnLines DrawAll(const Plane& ids, std::size_t lines, const Plane& direction,
                   std::span<const StoredPlane> residuals, const LineWidthParams& params,
                   ThreadPool& pool) {
  cv::Mat mask(ids.height(), ids.width(), CV_8U, cv::Scalar(0));
  std::vector<RidgePixel> pixels = RidgePixels(ids, direction);
  LookAt(pixels, residuals, ids.height(), params, pool);
  DrawnLines drawn;
  drawn.widths.reserve(lines);
  for (const DrawnRidge& ridge : RidgesToDraw(pixels, lines, ids.size(), params)) {
    drawn.widths.push_back(ridge.width);
    if (ridge.IsStub(params)) continue;
    for (const RidgePixel& pixel : ridge.pixels) Draw(pixel, mask);
  }
  cv::dilate(mask, mask, cv::Mat::ones(3, 3, CV_8U));
  if (params.closing_px > 0) cv::morphologyEx(mask, mask, cv::MORPH_CLOSE, Disc(params.closing_px));
  drawn.mask = AsPlane(mask);
  return drawn;
}

}  // namespace

absl::StatusOr<DrawnLines> DrawLines(const Plane& ids, std::size_t lines, const Plane& direction,
                                     std::span<const StoredPlane> residuals,
                                     const LineWidthParams& params, ThreadPool& pool) {
  DrawnLines drawn;
  GLINT_RETURN_IF_ERROR(
      HostCall("lines", [&] { drawn = DrawAll(ids, lines, direction, residuals, params, pool); }));
  return drawn;
}

}  // namespace glint::photometric
