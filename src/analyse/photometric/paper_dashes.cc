// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/paper_dashes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "analyse/photometric/masks.h"
#include "analyse/photometric/whiteness.h"
#include "base/for_rows.h"
#include "base/median.h"
#include "base/rounding.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

cv::Point Rounded(double x, double y) { return {RoundToInt(x), RoundToInt(y)}; }

/// By how much each pixel is whiter than its sides, in the direction in which it is most. Sums over
/// a dash's length: `per_grey` of them are a grey value.
struct Ridges {
  cv::Mat contrast;  // CV_16S, 0 where it is less than asked
  cv::Mat sides;     // CV_16S: between both sides, twice the sums
  int per_grey = 1;
};

/// Measures ridges, one direction after the other.
class RidgeFilter {
 public:
  RidgeFilter(const cv::Mat& whiteness, const PaperDashParams& params, ThreadPool& pool)
      : params_(params),
        pool_(pool),
        reach_(std::ranges::max(params.side_px) + 1),
        ridges_{.contrast = cv::Mat(whiteness.size(), CV_16S, cv::Scalar(0)),
                .sides = cv::Mat(whiteness.size(), CV_16S, cv::Scalar(0)),
                .per_grey = 2 * params.along_px + 1} {
    const int margin = reach_ + params.along_px + 1;
    cv::copyMakeBorder(whiteness, padded_, margin, margin, margin, margin, cv::BORDER_REPLICATE);
    sums_.create(whiteness.rows + 2 * reach_, whiteness.cols + 2 * reach_, CV_16S);
    FindCandidates(whiteness);
  }

  Ridges Run() && {
    for (int direction = 0; direction < kDirections; ++direction) {
      SumAlong(direction);
      Compare(direction);
    }
    return std::move(ridges_);
  }

 private:
  /// Marks where a ridge may be: it is no whiter than the whitest pixel along it, and its nearest
  /// side no darker than the darkest around.
  void FindCandidates(const cv::Mat& whiteness) {
    const auto box = [](int reach) {
      return cv::Mat(2 * reach + 1, 2 * reach + 1, CV_8U, cv::Scalar(1));
    };
    const int near = std::ranges::min(params_.side_px) + params_.along_px + 1;
    cv::Mat whitest, darkest;
    cv::dilate(whiteness, whitest, box(params_.along_px));
    cv::erode(whiteness, darkest, box(near));
    cv::subtract(whitest, darkest, candidates_);
  }

  std::ptrdiff_t Offset(const cv::Mat& in, double x, double y) const {
    const cv::Point at = Rounded(x, y);
    return at.y * static_cast<std::ptrdiff_t>(in.step1()) + at.x;
  }

  void SumAlong(int direction) {
    const double angle = std::numbers::pi * direction / kDirections;
    std::vector<std::ptrdiff_t> along;
    for (int a = -params_.along_px; a <= params_.along_px; ++a) {
      along.push_back(Offset(padded_, a * std::cos(angle), a * std::sin(angle)));
    }
    const int inside = params_.along_px + 1;
    ForRows(pool_, sums_.rows, [&](Rows rows) {
      for (int y = rows.begin; y < rows.end; ++y) {
        const auto* from = padded_.ptr<std::uint8_t>(y + inside) + inside;
        auto* to = sums_.ptr<std::int16_t>(y);
        for (int x = 0; x < sums_.cols; ++x) {
          int sum = 0;
          for (const std::ptrdiff_t step : along) sum += from[x + step];
          to[x] = static_cast<std::int16_t>(sum);
        }
      }
    });
  }

  void Compare(int direction) {
    const double angle = std::numbers::pi * direction / kDirections;
    std::array<std::ptrdiff_t, std::tuple_size_v<PaperDashParams::Distances>> left{}, right{};
    for (std::size_t i = 0; i < left.size(); ++i) {
      const double away = params_.side_px[i];
      left[i] = Offset(sums_, away * std::sin(angle), -away * std::cos(angle));
      right[i] = Offset(sums_, -away * std::sin(angle), away * std::cos(angle));
    }
    const int least = RoundToInt(params_.min_grey * ridges_.per_grey);
    ForRows(pool_, candidates_.rows, [&](Rows rows) {
      for (int y = rows.begin; y < rows.end; ++y) {
        const auto* candidate = candidates_.ptr<std::uint8_t>(y);
        const auto* from = sums_.ptr<std::int16_t>(y + reach_) + reach_;
        auto* contrast = ridges_.contrast.ptr<std::int16_t>(y);
        auto* sides = ridges_.sides.ptr<std::int16_t>(y);
        for (int x = 0; x < candidates_.cols; ++x) {
          if (candidate[x] < params_.min_grey) continue;
          const std::int16_t* at = from + x;
          int whitest = 0;
          for (const std::ptrdiff_t step : left) whitest = std::max<int>(whitest, at[step]);
          for (const std::ptrdiff_t step : right) whitest = std::max<int>(whitest, at[step]);
          const int over = *at - whitest;
          if (over < least || over <= contrast[x]) continue;
          contrast[x] = static_cast<std::int16_t>(over);
          sides[x] = static_cast<std::int16_t>(
              std::abs(at[left[0]] + at[left[1]] - at[right[0]] - at[right[1]]));
        }
      }
    });
  }

  const PaperDashParams& params_;
  ThreadPool& pool_;
  int reach_;
  Ridges ridges_;
  cv::Mat padded_;      // CV_8U
  cv::Mat sums_;        // CV_16S: along one direction
  cv::Mat candidates_;  // CV_8U: the most that a ridge there can have
};

/// What is told of one dash by all its pixels.
struct Shape {
  double x = 0, y = 0;
  double cosine = 1, sine = 0;
  double length = 0, width = 0;
};

/// The middle and the axes of pixels: an even bar of that spread.
Shape ShapeOf(const std::vector<cv::Point>& pixels) {
  std::int64_t x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (const cv::Point at : pixels) {
    x += at.x;
    y += at.y;
    xx += std::int64_t{at.x} * at.x;
    yy += std::int64_t{at.y} * at.y;
    xy += std::int64_t{at.x} * at.y;
  }
  const auto count = static_cast<double>(pixels.size());
  const double mean_x = static_cast<double>(x) / count, mean_y = static_cast<double>(y) / count;
  const double free = count - 1;
  const double a = (static_cast<double>(xx) - count * mean_x * mean_x) / free;
  const double b = (static_cast<double>(xy) - count * mean_x * mean_y) / free;
  const double c = (static_cast<double>(yy) - count * mean_y * mean_y) / free;
  const double half = std::hypot((a - c) / 2, b);
  const double angle = std::atan2(2 * b, a - c) / 2;
  // A bar of length l has a variance of l * l / 12; a single pixel has a length, too.
  const auto side = [](double variance) { return std::sqrt(12 * std::max(variance, 0.0)) + 1; };
  return {.x = mean_x,
          .y = mean_y,
          .cosine = std::cos(angle),
          .sine = std::sin(angle),
          .length = side((a + c) / 2 + half),
          .width = side((a + c) / 2 - half)};
}

/// Judges pixels that hang together.
class DashJudge {
 public:
  DashJudge(const cv::Mat& colour, const cv::Mat& whiteness, const cv::Mat& ground,
            const Ridges& ridges, const PaperDashParams& params)
      : colour_(colour), whiteness_(whiteness), ground_(ground), ridges_(ridges), params_(params) {}

  std::optional<PaperDash> Judge(std::vector<cv::Point> pixels) const {
    const Shape shape = ShapeOf(pixels);
    if (shape.length < params_.min_length_px || shape.width > params_.max_width_px ||
        shape.length < params_.min_elongation * shape.width || !IsAlone(shape, pixels)) {
      return std::nullopt;
    }
    int contrast = 0;
    for (const cv::Point at : pixels) contrast = std::max(contrast, ContrastAt(at));
    KeepWhiterHalf(pixels);
    const Colours colours = ColoursOf(shape, pixels);
    const double sharpness = SharpnessOf(shape, pixels);
    if (!IsPaper(colours) || sharpness < params_.min_sharpness) return std::nullopt;
    return PaperDash{.x = shape.x,
                     .y = shape.y,
                     .cosine = shape.cosine,
                     .sine = shape.sine,
                     .length = shape.length,
                     .contrast = static_cast<double>(contrast) / ridges_.per_grey,
                     .ink = colours.sides,
                     .gain = colours.own - colours.sides,
                     .side_share = colours.between / std::max(colours.most_gain, 1.0),
                     .sides_differ = colours.between,
                     .sharpness = sharpness};
  }

 private:
  int ContrastAt(cv::Point at) const { return ridges_.contrast.at<std::int16_t>(at); }
  int WhitenessAt(cv::Point at) const { return whiteness_.at<std::uint8_t>(at); }

  /// Whether little beside a dash is as white as it is, but wide bare paper.
  bool IsAlone(const Shape& shape, const std::vector<cv::Point>& pixels) const {
    std::vector<int> beside;
    const double half = shape.length / 2 + 2;
    const int reach = RoundToInt(shape.length / 2 + params_.beside_px);
    const cv::Point middle = Rounded(shape.x, shape.y);
    const cv::Rect box =
        cv::Rect(middle.x - reach, middle.y - reach, 2 * reach + 1, 2 * reach + 1) &
        cv::Rect({}, whiteness_.size());
    for (int y = box.y; y < box.br().y; ++y) {
      for (int x = box.x; x < box.br().x; ++x) {
        const double along = (x - shape.x) * shape.cosine + (y - shape.y) * shape.sine;
        const double across = std::abs((y - shape.y) * shape.cosine - (x - shape.x) * shape.sine);
        if (std::abs(along) > half || across <= params_.beside_from_px ||
            across > params_.beside_px || ground_.at<std::uint8_t>(y, x) != 0) {
          continue;
        }
        beside.push_back(WhitenessAt({x, y}));
      }
    }
    if (beside.empty()) return false;
    std::vector<int> own, contrast;
    own.reserve(pixels.size());
    contrast.reserve(pixels.size());
    for (const cv::Point at : pixels) {
      own.push_back(WhitenessAt(at));
      contrast.push_back(ContrastAt(at));
    }
    const auto nth = [](std::vector<int>& values, double share) {
      return NthSmallest(values,
                         static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
    };
    return nth(own, params_.own_quantile) - nth(beside, params_.beside_quantile) >=
           params_.min_alone_share * nth(contrast, params_.own_quantile) / ridges_.per_grey;
  }

  void KeepWhiterHalf(std::vector<cv::Point>& pixels) const {
    std::vector<int> whiteness;
    whiteness.reserve(pixels.size());
    for (const cv::Point at : pixels) whiteness.push_back(WhitenessAt(at));
    const double median = Median(whiteness);
    std::erase_if(pixels, [&](cv::Point at) { return WhitenessAt(at) < median; });
  }

  cv::Point Beside(const Shape& shape, cv::Point at, int away) const {
    const cv::Point to = Rounded(at.x - away * shape.sine, at.y + away * shape.cosine);
    return {std::clamp(to.x, 0, whiteness_.cols - 1), std::clamp(to.y, 0, whiteness_.rows - 1)};
  }

  cv::Vec3d ColourBeside(const Shape& shape, const std::vector<cv::Point>& pixels, int away) const {
    cv::Vec3d sum(0, 0, 0);
    for (const cv::Point at : pixels) {
      sum += cv::Vec3d(colour_.at<cv::Vec3b>(Beside(shape, at, away)));
    }
    return sum / static_cast<double>(pixels.size());
  }

  /// A dash's colours.
  struct Colours {
    cv::Vec3d own, sides;     // of both sides, the mean
    double least_gain = 255;  // over the brighter side, of any channel
    double most_gain = -255;
    double between = 0;  // the sides, of any channel
  };

  Colours ColoursOf(const Shape& shape, const std::vector<cv::Point>& pixels) const {
    const auto side = [&](int sign) {
      return (ColourBeside(shape, pixels, sign * params_.side_px[0]) +
              ColourBeside(shape, pixels, sign * params_.side_px[1])) /
             2;
    };
    const cv::Vec3d left = side(-1), right = side(1);
    Colours colours{.own = ColourBeside(shape, pixels, 0), .sides = (left + right) / 2};
    for (int channel = 0; channel < 3; ++channel) {
      const double gain = colours.own[channel] - std::max(left[channel], right[channel]);
      colours.least_gain = std::min(colours.least_gain, gain);
      colours.most_gain = std::max(colours.most_gain, gain);
      colours.between = std::max(colours.between, std::abs(left[channel] - right[channel]));
    }
    return colours;
  }

  /// Whether a dash is as bright as its sides in every channel, and these are of one colour.
  bool IsPaper(const Colours& colours) const {
    return colours.least_gain >= -params_.max_channel_drop &&
           colours.between <= params_.max_side_colour_share * colours.most_gain;
  }

  /// The whiter side's whiteness, so far from a dash's pixels. Sums.
  int WhitestSide(const Shape& shape, const std::vector<cv::Point>& pixels, int away) const {
    int left = 0, right = 0;
    for (const cv::Point at : pixels) {
      left += WhitenessAt(Beside(shape, at, -away));
      right += WhitenessAt(Beside(shape, at, away));
    }
    return std::max(left, right);
  }

  /// Of what it is whiter than what lies beyond its edge, the part that is gone at the edge.
  double SharpnessOf(const Shape& shape, const std::vector<cv::Point>& pixels) const {
    int own = 0;
    for (const cv::Point at : pixels) own += WhitenessAt(at);
    const int far = own - WhitestSide(shape, pixels, params_.beyond_edge_px);
    const int near = own - WhitestSide(shape, pixels, params_.edge_px);
    return static_cast<double>(near) / std::max(far, static_cast<int>(pixels.size()));
  }

  const cv::Mat& colour_;
  const cv::Mat& whiteness_;
  const cv::Mat& ground_;  // CV_8U: not 0 on wide bare paper
  const Ridges& ridges_;
  const PaperDashParams& params_;
};

/// Wide bare paper and its edge: margins, balloons, a light ground.
cv::Mat GroundOf(const cv::Mat& bare, const PaperDashParams& params) {
  cv::Mat ground;
  cv::morphologyEx(bare, ground, cv::MORPH_OPEN, Disc(params.ground_radius_px));
  cv::dilate(ground, ground, Square(params.ground_edge_px));
  return ground;
}

/// Where ink is gone, by one pixel and its sides. What comes to the rim ends before it.
cv::Mat LostInk(const cv::Mat& whiteness, const cv::Mat& surface, const Ridges& ridges, int paper,
                const PaperDashParams& params) {
  cv::Mat lost(whiteness.size(), CV_8U, cv::Scalar(0));
  const int rim = params.rim_px;
  for (int y = rim; y < lost.rows - rim; ++y) {
    const auto* contrast = ridges.contrast.ptr<std::int16_t>(y);
    const auto* sides = ridges.sides.ptr<std::int16_t>(y);
    for (int x = rim; x < lost.cols - rim; ++x) {
      if (contrast[x] == 0 || surface.at<std::uint8_t>(y, x) == 0) continue;
      const double whiter = static_cast<double>(contrast[x]) / ridges.per_grey;
      const double ink = paper - std::max(whiteness.at<std::uint8_t>(y, x) - whiter, 0.0);
      const bool is_lost = sides[x] <= 2 * params.max_side_share * contrast[x] &&
                           ink >= params.min_ink_grey && whiter >= params.min_lost_share * ink;
      lost.at<std::uint8_t>(y, x) = is_lost ? 255 : 0;
    }
  }
  return lost;
}

/// The mean colour of pixels. Sums of integers: exact.
cv::Vec3d ColourOfPaper(const cv::Mat& colour, const cv::Mat& pixels) {
  std::array<std::int64_t, 3> sums{};
  std::int64_t count = 0;
  for (int y = 0; y < colour.rows; ++y) {
    for (int x = 0; x < colour.cols; ++x) {
      if (pixels.at<std::uint8_t>(y, x) == 0) continue;
      const auto& value = colour.at<cv::Vec3b>(y, x);
      for (std::size_t c = 0; c < 3; ++c) sums[c] += value[static_cast<int>(c)];
      ++count;
    }
  }
  const auto mean = [&](std::size_t c) {
    return static_cast<double>(sums[c]) / static_cast<double>(std::max<std::int64_t>(count, 1));
  };
  return {mean(0), mean(1), mean(2)};
}

/// The pixels of each component, in the order of their first ones.
std::vector<std::vector<cv::Point>> ComponentsOf(const cv::Mat& mask) {
  cv::Mat labels;
  const int count = cv::connectedComponents(mask, labels, 8, CV_32S);
  std::vector<std::vector<cv::Point>> components(static_cast<std::size_t>(count));
  for (int y = 0; y < labels.rows; ++y) {
    const auto* row = labels.ptr<std::int32_t>(y);
    for (int x = 0; x < labels.cols; ++x) {
      if (row[x] != 0) components[static_cast<std::size_t>(row[x])].emplace_back(x, y);
    }
  }
  components.erase(components.begin());
  std::ranges::sort(components, {}, [](const std::vector<cv::Point>& pixels) {
    return std::pair(pixels.front().y, pixels.front().x);
  });
  return components;
}

}  // namespace

PaperDashes FindPaperDashes(const cv::Mat& colour, const cv::Mat& surface,
                            const PaperDashParams& params, ThreadPool& pool) {
  const cv::Mat whiteness = WhitenessOf(colour);
  const Ridges ridges = RidgeFilter(whiteness, params, pool).Run();
  const int paper = WhitenessOfShare(params.paper_quantile, whiteness, surface);
  PaperDashes found{.dashes = {},
                    .bare = whiteness > paper - params.min_ink_grey,
                    .dots = FindPaperDots(colour, whiteness, surface, paper, params.dots, pool),
                    .colour = ColourOfPaper(colour, (whiteness >= paper) & (surface != 0)),
                    .whiteness = whiteness};
  const cv::Mat ground = GroundOf(found.bare, params);
  const DashJudge judge(colour, whiteness, ground, ridges, params);
  for (auto& pixels : ComponentsOf(LostInk(whiteness, surface, ridges, paper, params))) {
    if (std::ssize(pixels) < params.min_pixels) continue;
    if (const auto dash = judge.Judge(std::move(pixels))) found.dashes.push_back(*dash);
  }
  return found;
}

}  // namespace glint::photometric
