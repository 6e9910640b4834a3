// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/object_edge.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <vector>

#include "analyse/photometric/outline/background.h"
#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/pixels/masks.h"

namespace glint::photometric {
namespace {

double Square(double value) { return value * value; }

double SquaredNorm(const cv::Vec3d& step) { return step.dot(step); }

/// Depth of a gap that fills the strips on both sides of the edge.
int MinDepth(const ObjectEdgeParams& params) { return params.last_edge_px + params.strip_px + 2; }

/// Sums of colours along one side, row by row of the same depth, over the pixels that are asked.
class SideColours {
 public:
  SideColours(Side side, const std::array<cv::Mat, 3>& lab, cv::Size object,
              const std::vector<bool>& asked, const ObjectEdgeParams& params)
      : params_(params),
        length_(static_cast<int>(asked.size())),
        sums_(static_cast<std::size_t>(params.last_edge_px + params.strip_px - params.outermost_px +
                                       1)),
        counts_(asked.size() + 1, 0) {
    for (std::size_t i = 0; i < asked.size(); ++i) counts_[i + 1] = counts_[i] + (asked[i] ? 1 : 0);
    for (int row = 0; row < static_cast<int>(sums_.size()); ++row) {
      auto& sums = sums_[static_cast<std::size_t>(row)];
      sums.resize(asked.size() + 1, {});
      for (int along = 0; along < length_; ++along) {
        const auto i = static_cast<std::size_t>(along);
        sums[i + 1] = sums[i];
        if (!asked[i]) continue;
        const cv::Point at = At(side, along, row + params.outermost_px, object) +
                             cv::Point(kBackgroundMargin, kBackgroundMargin);
        for (std::size_t c = 0; c < 3; ++c) sums[i + 1][c] += lab[c].at<std::uint16_t>(at);
      }
    }
  }

  /// Whether the object's edge shows around a place; nothing where too little of it was asked.
  std::optional<bool> ShowsEdge(int along) const {
    const auto first = static_cast<std::size_t>(std::max(along - params_.half_window_px, 0));
    const auto end =
        static_cast<std::size_t>(std::min(along + params_.half_window_px + 1, length_));
    const std::int64_t pixels = counts_[end] - counts_[first];
    if (pixels < params_.min_mouth_px) return std::nullopt;
    // Integers below 2^53: exact.
    const double lab = kColourUnit * params_.strip_px * static_cast<double>(pixels);
    const Steps whole =
        StepsOf([&](int depth) { return SquaredStep(depth, first, end) / Square(lab); });
    const double clarity = whole.Clarity(params_);
    if (clarity > Square(params_.min_clarity)) return true;
    if (clarity > Square(params_.min_plain_clarity) &&
        whole.edge > Square(params_.plain_step_lab)) {
      return true;
    }
    if (RisesFromShadow(first, end, lab)) return true;
    const Steps pieces = StepsOf([&](int depth) { return MedianOfPieces(depth, first, end); });
    return pieces.Clarity(params_) > Square(params_.min_pieces_clarity) &&
           pieces.edge > Square(params_.min_pieces_step_lab);
  }

 private:
  /// Squared differences in Lab, at the edge and outside of it.
  struct Steps {
    double edge = 0;     // the largest
    double outside = 0;  // their mean

    /// Squared.
    double Clarity(const ObjectEdgeParams& params) const {
      return edge / std::max(outside, Square(params.min_step_lab));
    }
  };

  /// @param step_at  what a depth's squared step is
  template <typename StepAt>
  Steps StepsOf(const StepAt& step_at) const {
    Steps steps;
    for (int depth = params_.first_edge_px; depth <= params_.last_edge_px; ++depth) {
      steps.edge = std::max(steps.edge, step_at(depth));
    }
    const int first_step = params_.outermost_px + params_.strip_px;
    const int last_step = params_.nearest_px - params_.strip_px;
    for (int depth = first_step; depth <= last_step; ++depth) steps.outside += step_at(depth);
    steps.outside /= last_step - first_step + 1;
    return steps;
  }

  /// Whether a step at the edge turns back what changes towards it outside, by more than that
  /// change varies: beside a thick object its shadow deepens up to the edge, and hides it from
  /// Steps.
  /// @param lab  of a step, the unit of its sums
  bool RisesFromShadow(std::size_t first, std::size_t end, double lab) const {
    if (counts_[end] - counts_[first] < params_.min_rise_mouth_px) return false;
    const int first_step = params_.outermost_px + params_.strip_px;
    const int last_step = params_.nearest_px - params_.strip_px;
    const int steps = last_step - first_step + 1;
    cv::Vec3d trend;
    for (int depth = first_step; depth <= last_step; ++depth) {
      trend += StepAt(depth, first, end) * (1 / (lab * steps));
    }
    double outside = 0;
    for (int depth = first_step; depth <= last_step; ++depth) {
      outside += SquaredNorm(StepAt(depth, first, end) * (1 / lab) - trend) / steps;
    }
    double edge = 0;
    for (int depth = params_.first_edge_px; depth <= params_.last_edge_px; ++depth) {
      const cv::Vec3d step = StepAt(depth, first, end) * (1 / lab);
      const double back = -step.dot(trend);
      if (back < params_.min_rise_lab * cv::norm(trend)) continue;
      edge = std::max(edge, SquaredNorm(step - trend));
    }
    return edge >
           Square(params_.min_rise_clarity) * std::max(outside, Square(params_.min_step_lab));
  }

  /// The median squared step of a depth's pieces, over places first .. end - 1, difference in Lab;
  /// the lower one of two: at the ends of a mouth there is blur. 0 where that is too little to say.
  double MedianOfPieces(int depth, std::size_t first, std::size_t end) const {
    const auto length = static_cast<std::size_t>(params_.piece_px);
    std::vector<double> steps;
    for (std::size_t begin = first; begin < end; begin += length) {
      const std::size_t last = std::min(begin + length, end);
      const auto asked = static_cast<double>(counts_[last] - counts_[begin]);
      if (2 * asked < params_.piece_px) continue;
      const double lab = kColourUnit * params_.strip_px * asked;
      steps.push_back(SquaredStep(depth, begin, last) / Square(lab));
    }
    if (steps.size() < 2) return 0;
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>((steps.size() - 1) / 2);
    std::ranges::nth_element(steps, middle);
    return *middle;
  }

  /// Squared difference between the strips on both sides of a depth, over places first .. end - 1.
  /// Integers below 2^53: exact.
  double SquaredStep(int depth, std::size_t first, std::size_t end) const {
    return SquaredNorm(StepAt(depth, first, end));
  }

  /// Difference of the strip inside a depth to the one outside, summed over places first .. end
  /// - 1.
  cv::Vec3d StepAt(int depth, std::size_t first, std::size_t end) const {
    const auto middle = static_cast<std::size_t>(depth - params_.outermost_px);
    cv::Vec3d step;
    for (std::size_t c = 0; c < 3; ++c) {
      std::int64_t difference = 0;
      const auto colour = [&](std::size_t row) {
        return sums_[row][end][c] - sums_[row][first][c];
      };
      for (std::size_t i = 1; i <= static_cast<std::size_t>(params_.strip_px); ++i) {
        difference += colour(middle + i) - colour(middle - i);
      }
      step[static_cast<int>(c)] = static_cast<double>(difference);
    }
    return step;
  }

  const ObjectEdgeParams& params_;
  int length_;
  std::vector<std::vector<std::array<std::int64_t, 3>>> sums_;  // per row, up to each place
  std::vector<std::int64_t> counts_;
};

/// Which places of a side lie deep enough in a wide gap's mouth to ask for an edge.
std::vector<bool> Asked(const std::vector<int>& depths, const ObjectEdgeParams& params) {
  std::vector<bool> asked(depths.size());
  int run = 0;  // deep places in a row
  for (std::size_t i = 0; i < depths.size(); ++i) {
    run = depths[i] >= MinDepth(params) ? run + 1 : 0;
    if (run > 2 * params.mouth_end_px)
      asked[i - static_cast<std::size_t>(params.mouth_end_px)] = true;
  }
  return asked;
}

/// A place of a side, and whether an edge shows there.
struct Told {
  std::size_t along = 0;
  bool edge = false;
};

/// Between two places where the edge shows it goes on, unless the gap could be as wide as that.
void Bridge(std::vector<Told>& told, const ObjectEdgeParams& params) {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (!told[i].edge) continue;
    if (last && told[i].along - told[*last].along <= static_cast<std::size_t>(params.bridged_px)) {
      for (std::size_t between = *last; between < i; ++between) told[between].edge = true;
    }
    last = i;
  }
}

/// What the told place nearest to one says.
bool Nearest(const std::vector<Told>& told, std::size_t along) {
  const auto next = std::ranges::lower_bound(told, along, {}, &Told::along);
  if (next == told.begin()) return next->edge;
  const auto before = next - 1;
  const bool earlier = next == told.end() || along - before->along < next->along - along;
  return earlier ? before->edge : next->edge;
}

/// The places of a side whose gap lies behind an edge; one that cannot be asked says what the
/// nearest of its mouth says. A long mouth that nowhere is deep enough to be asked is the blur of
/// an edge in dark print.
std::vector<bool> Behind(const std::vector<int>& depths, const SideColours& colours,
                         const std::vector<bool>& asked, const ObjectEdgeParams& params) {
  std::vector<bool> behind(depths.size());
  for (std::size_t first = 0; first < depths.size();) {
    std::size_t end = first;
    std::vector<Told> told;
    for (; end < depths.size() && depths[end] > 0; ++end) {
      if (!asked[end]) continue;
      const auto edge = colours.ShowsEdge(static_cast<int>(end));
      if (edge) told.push_back({end, *edge});
    }
    Bridge(told, params);
    const bool shallow =
        told.empty() && end - first >= static_cast<std::size_t>(params.long_shallow_px);
    for (std::size_t i = first; i < end; ++i) {
      behind[i] = told.empty() ? shallow : Nearest(told, i);
    }
    first = end + 1;
  }
  return behind;
}

}  // namespace

cv::Mat BehindVisibleEdge(const std::array<cv::Mat, 3>& lab, const cv::Mat& gap,
                          const ObjectEdgeParams& params) {
  cv::Mat wall(gap.size(), CV_8U, cv::Scalar(0)), whole;
  cv::morphologyEx(gap, whole, cv::MORPH_CLOSE, Disc(params.screen_px));
  for (const Side side : kSides) {
    const std::vector<int> depths = RunsFrom(side, whole, MinDepth(params));
    const std::vector<bool> asked = Asked(depths, params);
    const std::vector<bool> behind =
        Behind(depths, SideColours(side, lab, gap.size(), asked, params), asked, params);
    for (int along = 0; along < LengthOf(side, gap.size()); ++along) {
      if (!behind[static_cast<std::size_t>(along)]) continue;
      for (int deep = 0; deep < params.wall_px; ++deep) {
        wall.at<std::uint8_t>(At(side, along, deep, gap.size())) = 255;
      }
    }
  }
  return wall;
}

}  // namespace glint::photometric
