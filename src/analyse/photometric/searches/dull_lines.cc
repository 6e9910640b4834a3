// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/dull_lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "analyse/photometric/pixels/masks.h"
#include "analyse/photometric/pixels/principal_axis.h"
#include "base/for_rows.h"
#include "base/mat.h"
#include "base/median.h"
#include "base/rounding.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// A place of the artwork that is darker than both of its sides.
struct Stroke {
  cv::Point at;
  int direction = 0;
  double contrast = 0;  ///< in the views in which it is the brightest beside it
};

/// What a view shows of a stroke.
struct Shown {
  float beside = 0;    ///< grey values; 0: the view does not show it
  float contrast = 0;  ///< by which it is darker, as a share of that
};

/// Looks for the strokes of the artwork, and at them in every view.
class Strokes {
 public:
  Strokes(cv::Size object, const DullLineParams& params)
      : params_(params),
        length_(2 * params.reach_px + 1),
        inside_(Within(object, params.reach_px + params.side_px + params.shift_px + 1)) {
    for (int direction = 0; direction < params.directions; ++direction) {
      const StraightLine line = Through({}, direction);
      for (int across = -Far(); across <= Far(); ++across) {
        for (int t = -params.reach_px; t <= params.reach_px; ++t) {
          places_.push_back(line.At(t, across));
        }
      }
    }
  }

  /// Those that stand out of the albedo most, across, by rows.
  std::vector<Stroke> Find(const cv::Mat& albedo, const cv::Mat& surface, ThreadPool& pool) const {
    if (inside_.width <= 0 || inside_.height <= 0) return {};
    cv::Mat greys;  // of the sums' type
    albedo.convertTo(greys, CV_32S);
    cv::Mat most(inside_.size(), CV_32S, cv::Scalar(0));
    cv::Mat turned(inside_.size(), CV_8U, cv::Scalar(0));
    ForRows(
        pool, inside_.height,
        [&](Rows rows) {
          const cv::Range range(rows.begin, rows.end);
          FindMost(greys, range, most.rowRange(range), turned.rowRange(range));
        },
        64);
    return Crests(most, turned, surface);
  }

  /// What a view shows of them.
  void Look(const Plane& grey, const Plane& valid, std::span<const Stroke> strokes,
            std::span<Shown> shown) const {
    const cv::Mat view = AsMat(grey);
    cv::Mat whole;  // not 0 where all is valid that is looked at
    cv::erode(AsMat(valid), whole, Square(params_.reach_px + Far()));
    std::vector<std::ptrdiff_t> offsets;
    offsets.reserve(places_.size());
    const auto row = static_cast<std::ptrdiff_t>(view.step1());
    for (const cv::Point at : places_) offsets.push_back(at.y * row + at.x);
    std::vector<int> sums(static_cast<std::size_t>(2 * Far() + 1));
    const auto per_direction = places_.size() / static_cast<std::size_t>(params_.directions);
    for (std::size_t i = 0; i < strokes.size(); ++i) {
      const Stroke& stroke = strokes[i];
      if (whole.at<std::uint8_t>(stroke.at) == 0) continue;
      const auto first = static_cast<std::size_t>(stroke.direction) * per_direction;
      shown[i] = ShownIn(view.ptr<std::uint8_t>(stroke.at.y) + stroke.at.x,
                         std::span(offsets).subspan(first, per_direction), sums);
    }
  }

  StraightLine Through(cv::Point at, int direction) const {
    const double radians = direction * std::numbers::pi / params_.directions;
    return {.x = static_cast<double>(at.x),
            .y = static_cast<double>(at.y),
            .cosine = std::cos(radians),
            .sine = std::sin(radians)};
  }

 private:
  /// The object without what is so near to its sides.
  static cv::Rect Within(cv::Size object, int px) {
    return {px, px, object.width - 2 * px, object.height - 2 * px};
  }
  /// Across, as far as a view is looked at.
  int Far() const { return params_.side_px + params_.shift_px; }

  /// By how much each place of some rows is darker than both sides, in the direction in which that
  /// is the most, 1/64 grey values times the length of a piece; and that direction.
  void FindMost(const cv::Mat& greys, cv::Range rows, cv::Mat most, cv::Mat turned) const {
    const cv::Rect band(inside_.x, inside_.y + rows.start, inside_.width, rows.size());
    const int side = params_.side_px + 1;  // rounded
    const cv::Rect around = band - cv::Point(side, side) + cv::Size(2 * side, 2 * side);
    for (int direction = 0; direction < params_.directions; ++direction) {
      const StraightLine line = Through({}, direction);
      cv::Mat sums(around.size(), CV_32S, cv::Scalar(0));
      for (int t = -params_.reach_px; t <= params_.reach_px; ++t) {
        sums += greys(around + line.At(t));
      }
      const cv::Rect inside = band - around.tl();
      const auto beside = [&](int across) { return sums(inside + line.At(0, across)); };
      cv::Mat darker;
      cv::min(beside(-params_.side_px), beside(params_.side_px), darker);
      darker -= sums(inside);
      const cv::Mat more = darker > most;
      darker.copyTo(most, more);
      turned.setTo(direction, more);
    }
  }

  std::vector<Stroke> Crests(const cv::Mat& most, const cv::Mat& turned,
                             const cv::Mat& surface) const {
    const int least = std::max(RoundToInt(params_.min_stroke_grey * kGrey * length_), 1);
    const cv::Rect box({}, most.size());
    std::vector<Stroke> strokes;
    for (int y = 0; y < most.rows; ++y) {
      for (int x = 0; x < most.cols; ++x) {
        const int own = most.at<int>(y, x), direction = turned.at<std::uint8_t>(y, x);
        const cv::Point at(x, y);
        if (own < least || surface.at<std::uint8_t>(at + inside_.tl()) == 0) continue;
        const StraightLine line = Through(at, direction);
        const auto is_higher = [&](int across) {
          const cv::Point beside = line.At(0, across);
          return box.contains(beside) && most.at<int>(beside) > own;
        };
        if (is_higher(-1) || is_higher(1)) continue;
        strokes.push_back({.at = at + inside_.tl(), .direction = direction});
      }
    }
    return strokes;
  }

  /// What a view shows of a stroke. @param offsets  from its pixel to all that is looked at
  /// @param sums  room for one per parallel
  Shown ShownIn(const std::uint8_t* pixel, std::span<const std::ptrdiff_t> offsets,
                std::span<int> sums) const {
    const auto length = static_cast<std::size_t>(length_);
    std::ranges::fill(sums, 0);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (const std::ptrdiff_t offset : offsets.subspan(i * length, length)) {
        sums[i] += pixel[offset];
      }
    }
    Shown shown;
    const auto side = static_cast<std::size_t>(params_.side_px);
    for (std::size_t i = side; i + side < sums.size(); ++i) {
      const int beside = std::max(std::min(sums[i - side], sums[i + side]), 1);
      const float contrast = 1 - static_cast<float>(sums[i]) / static_cast<float>(beside);
      if (shown.beside == 0 || contrast > shown.contrast) {
        shown = {static_cast<float>(beside) / static_cast<float>(length_), contrast};
      }
    }
    return shown;
  }

  const DullLineParams& params_;
  int length_;
  cv::Rect inside_;                // where strokes are looked for
  std::vector<cv::Point> places_;  // per direction, per parallel: the pixels of a piece
};

/// The median contrast of views.
double ContrastOf(std::span<const Shown> views) {
  std::vector<float> contrasts;
  contrasts.reserve(views.size());
  for (const Shown& view : views) contrasts.push_back(view.contrast);
  return UpperMedian(std::move(contrasts));
}

/// The contrast of a stroke where it is the brightest beside it; 0 unless it has more there than
/// where it is the darkest. @param views  what shows it
double DullContrast(std::vector<Shown> views, const DullLineParams& params) {
  const auto count = std::max<std::size_t>(
      static_cast<std::size_t>(params.min_views),
      static_cast<std::size_t>(params.views_share * static_cast<double>(views.size())));
  if (views.size() < 2 * count) return 0;
  std::ranges::stable_sort(views, {}, &Shown::beside);
  const std::span<const Shown> all(views);
  const auto darkest = all.first(count), brightest = all.last(count);
  const double dark = darkest.back().beside, bright = brightest.front().beside;
  if (darkest.front().beside < params.min_beside_grey ||
      bright < (1 + params.min_brighter_share) * dark) {
    return 0;
  }
  const double contrast = ContrastOf(brightest);
  const bool is_dull = contrast >= params.min_contrast &&
                       contrast >= params.min_ratio * std::max(ContrastOf(darkest), 0.0);
  return is_dull ? contrast : 0;
}

/// Sets the contrasts of strokes. @param shown  of each view all of them
void SetContrasts(const std::vector<std::vector<Shown>>& shown, const DullLineParams& params,
                  ThreadPool& pool, std::span<Stroke> strokes) {
  ForRows(
      pool, static_cast<int>(strokes.size()),
      [&](Rows some) {
        for (auto i = static_cast<std::size_t>(some.begin); i < static_cast<std::size_t>(some.end);
             ++i) {
          std::vector<Shown> views;
          for (const std::vector<Shown>& view : shown) {
            if (view[i].beside > 0) views.push_back(view[i]);
          }
          strokes[i].contrast = DullContrast(std::move(views), params);
        }
      },
      256);
}

/// The strokes that are dull, unless too many are.
std::vector<Stroke> ThatAreDull(std::vector<Stroke> strokes, const DullLineParams& params) {
  const double most = params.max_share * static_cast<double>(strokes.size());
  std::erase_if(strokes, [](const Stroke& stroke) { return stroke.contrast <= 0; });
  if (static_cast<double>(strokes.size()) > most) strokes.clear();
  return strokes;
}

/// How a stroke lies to a line.
struct Offset {
  double along = 0, across = 0;  // px
};

Offset OffsetOf(const Stroke& stroke, const StraightLine& line) {
  const double x = stroke.at.x - line.x, y = stroke.at.y - line.y;
  return {.along = x * line.cosine + y * line.sine,
          .across = std::abs(y * line.cosine - x * line.sine)};
}

/// Whether both run the same way.
bool RunsWith(const Stroke& stroke, const StraightLine& line, const DullLineParams& params) {
  const double step = std::numbers::pi / params.directions;
  const double radians = stroke.direction * step;
  const double turn = std::abs(std::sin(radians) * line.cosine - std::cos(radians) * line.sine);
  return turn <= std::sin(std::min(params.max_turn_directions * step, std::numbers::pi / 2));
}

/// The line through strokes that lie together, if it is one.
std::optional<FoundLine> LineThrough(std::span<const Stroke> strokes,
                                     const DullLineParams& params) {
  std::vector<cv::Point> places;
  places.reserve(strokes.size());
  for (const Stroke& stroke : strokes) places.push_back(stroke.at);
  const PrincipalAxis axis(places);
  FoundLine found{.line = {.x = axis.x, .y = axis.y, .cosine = axis.cosine, .sine = axis.sine},
                  .needed = params.min_contrast};
  StraightLine& line = found.line;
  int with = 0;
  for (const Stroke& stroke : strokes) {
    const Offset offset = OffsetOf(stroke, line);
    if (offset.across > params.max_away_px || !RunsWith(stroke, line, params)) continue;
    line.begin = std::min(line.begin, RoundToInt(offset.along));
    line.end = std::max(line.end, RoundToInt(offset.along));
    found.score += stroke.contrast;
    ++with;
  }
  const bool is_line =
      with > 0 && with >= params.min_turned_share * static_cast<double>(strokes.size()) &&
      line.length() >= params.min_length_px && with >= params.min_places_share * line.length();
  if (!is_line) return std::nullopt;
  found.score /= with;
  return found;
}

/// Whether no other strokes run beside a line. @param all  by rows
bool IsAlone(const StraightLine& line, std::span<const Stroke> all, const DullLineParams& params) {
  const cv::Point begin = line.At(line.begin), end = line.At(line.end);
  const int room = params.beside_px + 1;
  const auto row = [](const Stroke& stroke) { return stroke.at.y; };
  const auto first = std::ranges::lower_bound(all, std::min(begin.y, end.y) - room, {}, row);
  const auto last = std::ranges::upper_bound(all, std::max(begin.y, end.y) + room, {}, row);
  const auto beside = std::count_if(first, last, [&](const Stroke& stroke) {
    const Offset offset = OffsetOf(stroke, line);
    return offset.across > params.max_away_px && offset.across <= params.beside_px &&
           offset.along >= line.begin && offset.along <= line.end && RunsWith(stroke, line, params);
  });
  return static_cast<double>(beside) <= params.max_beside * line.length();
}

/// The lines of dull strokes. @param all  dull or not, by rows
std::vector<FoundLine> LinesOf(const std::vector<Stroke>& strokes, std::span<const Stroke> all,
                               cv::Size object, const DullLineParams& params) {
  cv::Mat mask(object, CV_8U, cv::Scalar(0));
  for (const Stroke& stroke : strokes) mask.at<std::uint8_t>(stroke.at) = 255;
  cv::dilate(mask, mask, Square(params.link_px));
  const Components components = FindComponents(mask, 8);
  std::vector<std::vector<Stroke>> together(static_cast<std::size_t>(components.count));
  for (const Stroke& stroke : strokes) {
    together[static_cast<std::size_t>(components.labels.at<int>(stroke.at))].push_back(stroke);
  }
  std::vector<FoundLine> found;
  for (const std::vector<Stroke>& line : together) {
    if (line.empty()) continue;
    const auto one = LineThrough(line, params);
    if (one && IsAlone(one->line, all, params)) found.push_back(*one);
  }
  std::ranges::stable_sort(found, std::greater<>(), &FoundLine::score);
  return found;
}

}  // namespace

std::vector<FoundLine> FindDullLines(std::span<const Plane> greys, std::span<const Plane> valid,
                                     const Plane& albedo, const Plane& surface,
                                     const DullLineParams& params, ThreadPool& pool) {
  constexpr std::size_t kAtOnce = 1 << 14;  // strokes: of as many is kept what all views show
  if (static_cast<int>(greys.size()) < 2 * params.min_views) return {};
  const cv::Size object = AsMat(albedo).size();
  const Strokes search(object, params);
  std::vector<Stroke> strokes = search.Find(AsMat(albedo), AsMat(surface), pool);
  for (std::size_t begin = 0; begin < strokes.size(); begin += kAtOnce) {
    const auto some = std::span(strokes).subspan(begin, std::min(kAtOnce, strokes.size() - begin));
    std::vector<std::vector<Shown>> shown(greys.size());
    pool.ParallelFor(std::ssize(greys), [&](std::int64_t view) {
      const auto i = static_cast<std::size_t>(view);
      shown[i].resize(some.size());
      search.Look(greys[i], valid[i], some, shown[i]);
    });
    SetContrasts(shown, params, pool, some);
  }
  return LinesOf(ThatAreDull(strokes, params), strokes, object, params);
}

}  // namespace glint::photometric
