// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/long_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/energy_normalisation.h"
#include "analyse/photometric/evenness.h"
#include "analyse/photometric/masks.h"
#include "base/mat.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr int kAngles = 48;
constexpr std::int64_t kAtATime = 256;

/// Steps of a direction from an angle, in units of 180 / kDirections degrees.
double TurnBetween(int direction, int angle) {
  const double turn = std::abs(direction - angle * static_cast<double>(kDirections) / kAngles);
  return std::min(turn, kDirections - turn);
}

/// One angle: where its pixels lie, and which directions belong to it.
struct Angle {
  int reach;                     // px from the middle of the longest line to its ends
  std::vector<cv::Point> along;  // from one end to the other
  cv::Point bend;                // to the pixels beside it
  std::vector<cv::Point> parallels;
  std::uint16_t counted = 0, marked = 0;  // bits of directions
  int print = 0;                          // direction of print
  bool horizontal = false, vertical = false;

  double normal_x = 0, normal_y = 0;

  /// The place so far along the line from its middle.
  cv::Point At(int t) const { return *(along.begin() + (t + reach)); }

  /// A place so far from the line.
  cv::Point Across(int away) const {
    return {static_cast<int>(std::lround(away * normal_x)),
            static_cast<int>(std::lround(away * normal_y))};
  }

  Angle(int angle, const LongLineParams& params)
      : reach(*std::ranges::max_element(params.half_lengths_px)) {
    const double theta = CV_PI * angle / kAngles;
    const double cosine = std::cos(theta), sine = std::sin(theta);
    const auto place = [](double x, double y) {
      return cv::Point(static_cast<int>(std::lround(x)), static_cast<int>(std::lround(y)));
    };
    for (int t = -reach; t <= reach; ++t) along.push_back(place(t * cosine, t * sine));
    normal_x = -sine;
    normal_y = cosine;
    bend = place(-params.bend_px * sine, params.bend_px * cosine);
    for (const int away : params.beside_px) {
      parallels.push_back(Across(away));
      parallels.push_back(-parallels.back());
    }
    for (int direction = 0; direction < kDirections; ++direction) {
      const double turn = TurnBetween(direction, angle);
      const auto bit = static_cast<std::uint16_t>(1 << direction);
      if (turn <= params.max_turn_steps) counted |= bit;
      if (turn <= params.max_mark_turn_steps) marked |= bit;
    }
    print = (angle * kDirections + kAngles / 2) / kAngles % kDirections;
    const double with_rim = params.max_rim_turn_steps * kAngles / kDirections;
    horizontal = std::min(angle, kAngles - angle) <= with_rim;
    vertical = std::abs(angle - kAngles / 2) <= with_rim;
  }
};

/// A line that was found.
struct FoundLine {
  cv::Point middle;
  int angle, half;
  std::int32_t margin;  // 1/256
};

class LongLineSearch {
 public:
  LongLineSearch(const Plane& energy, const Plane& directions, const Plane& ridges,
                 const PrintContours& print, const LongLineParams& params)
      : energy_(energy),
        directions_(directions),
        ridges_(ridges),
        print_(print),
        params_(params),
        most_(static_cast<std::int32_t>(params.max_evidence * kEnergyUnit)) {
    for (int angle = 0; angle < kAngles; ++angle) angles_.emplace_back(angle, params);
  }

  Plane Run(ThreadPool& pool) {
    std::vector<cv::Point> middles;
    for (int y = 0; y < ridges_.height(); ++y) {
      const auto* ridge = ridges_.Row<std::uint8_t>(y);
      for (int x = 0; x < ridges_.width(); ++x) {
        if (ridge[x] != 0) middles.emplace_back(x, y);
      }
    }
    const auto count = std::ssize(middles);
    std::vector<std::vector<FoundLine>> found(
        static_cast<std::size_t>((count + kAtATime - 1) / kAtATime));
    pool.ParallelFor(std::ssize(found), [&](std::int64_t part) {
      const std::int64_t end = std::min<std::int64_t>(count, (part + 1) * kAtATime);
      for (std::int64_t i = part * kAtATime; i < end; ++i) {
        FindThrough(middles[static_cast<std::size_t>(i)], found[static_cast<std::size_t>(part)]);
      }
    });
    Plane margins = Plane::Host(energy_.size(), PixelType::kS32);
    AsMat(margins).setTo(0);
    for (const auto& part : found) {
      for (const FoundLine& line : part) Mark(line, margins);
    }
    DropSmall(margins);
    return margins;
  }

 private:
  std::uint16_t DirectionBit(int x, int y) const {
    return static_cast<std::uint16_t>(1 << (directions_.Row<std::uint8_t>(y)[x] % kDirections));
  }

  bool IsInside(cv::Point at) const {
    return at.x >= 0 && at.y >= 0 && at.x < energy_.width() && at.y < energy_.height();
  }

  /// The evidence of a pixel for a line of this angle.
  std::int32_t Evidence(const Angle& angle, cv::Point at) const {
    if (!IsInside(at)) return 0;
    if ((DirectionBit(at.x, at.y) & angle.counted) == 0) return 0;
    const int rim = params_.rim_px;
    if (angle.horizontal && (at.y < rim || at.y >= energy_.height() - rim)) return 0;
    if (angle.vertical && (at.x < rim || at.x >= energy_.width() - rim)) return 0;
    return std::min(energy_.Row<std::int32_t>(at.y)[at.x], most_);
  }

  /// The same of it or of its neighbours across the line.
  std::int32_t BentEvidence(const Angle& angle, cv::Point at) const {
    return std::max(
        {Evidence(angle, at), Evidence(angle, at + angle.bend), Evidence(angle, at - angle.bend)});
  }

  /// Share of what the print has along a line.
  double ShareAlong(const DirectionMask& of, const Angle& angle, cv::Point middle, int half) const {
    int print = 0, inside = 0;
    for (int t = -half; t <= half; ++t) {
      const cv::Point at = middle + angle.At(t);
      if (!IsInside(at)) continue;
      ++inside;
      print += of.Has(at.x, at.y, angle.print) ? 1 : 0;
    }
    return static_cast<double>(print) / std::max(inside, 1);
  }

  /// The largest share of a line that one contour beside it runs with.
  double ParallelShare(const Angle& angle, cv::Point middle, int half) const {
    double most = 0;
    for (int away = -params_.parallel_px; away <= params_.parallel_px;
         away += params_.parallel_step_px) {
      most = std::max(most, ShareAlong(print_.contours, angle, middle + angle.Across(away), half));
    }
    return most;
  }

  /// How much of a line print explains, 0..1.
  double Doubt(const Angle& angle, cv::Point middle, int half) const {
    const double here = ShareAlong(print_.contours, angle, middle, half);
    double beside = 0;
    for (const cv::Point shift : angle.parallels) {
      beside += ShareAlong(print_.contours, angle, middle + shift, half);
    }
    beside /= static_cast<double>(angle.parallels.size());
    const double parallel = ParallelShare(angle, middle, half);
    return std::clamp(std::max({(here - beside - params_.beside_share) / params_.beside_range,
                                (here - params_.print_share) / params_.print_range,
                                (parallel - params_.parallel_share) / params_.parallel_range}),
                      0.0, 1.0);
  }

  /// The albedo at a place; the nearest where it lies outside. 1/64 grey.
  int Albedo(cv::Point at) const {
    const Plane& albedo = print_.albedo;
    return albedo.Row<std::int16_t>(
        std::clamp(at.y, 0, albedo.height() - 1))[std::clamp(at.x, 0, albedo.width() - 1)];
  }

  /// How even an edge or a stroke of the print is along a line: its mean over its deviation.
  double EvennessOf(const Angle& angle, cv::Point middle, int half) const {
    const cv::Point strip = angle.Across(params_.strip_px);
    Evenness step, stroke;
    for (int t = -half; t <= half; ++t) {
      const cv::Point at = middle + angle.At(t);
      const int left = Albedo(at - strip), right = Albedo(at + strip);
      step.Add(right - left);
      stroke.Add((left + right) / 2 - Albedo(at));
    }
    return std::max(step.Ratio(params_.print_noise_grey), stroke.Ratio(params_.print_noise_grey));
  }

  /// How much of what seems to be print runs with a line, 0..1.
  double PrintAlong(const Angle& angle, cv::Point middle, int half) const {
    const bool whole = IsInside(middle + angle.At(-half)) && IsInside(middle + angle.At(half));
    if (print_.albedo.empty() || !whole || half < params_.min_uneven_half_px) return 1;
    double most = 0;
    for (int away = -params_.parallel_px; away <= params_.parallel_px;
         away += params_.parallel_step_px) {
      most = std::max(most, EvennessOf(angle, middle + angle.Across(away), half));
    }
    return std::clamp((most - params_.uneven_print) / params_.uneven_range, 0.0, 1.0);
  }

  /// What is left of a line's mean evidence when the print's share is taken off.
  double WithoutPrint(double mean, const Angle& angle, cv::Point middle, int half) const {
    const double doubt = Doubt(angle, middle, half);
    if (doubt == 0) return mean;
    return mean / (1 + params_.print_cost * doubt * PrintAlong(angle, middle, half));
  }

  void FindThrough(cv::Point middle, std::vector<FoundLine>& found) const {
    const std::uint16_t own = DirectionBit(middle.x, middle.y);
    for (int i = 0; i < kAngles; ++i) {
      const Angle& angle = angles_[static_cast<std::size_t>(i)];
      if ((own & angle.counted) != 0) FindAlong(middle, i, angle, found);
    }
  }

  void FindAlong(cv::Point middle, int index, const Angle& angle,
                 std::vector<FoundLine>& found) const {
    const std::array<double, 3> needed = {params_.min_short_mean, params_.min_medium_mean,
                                          params_.min_long_mean};
    std::int64_t sum = BentEvidence(angle, middle);
    int reached = 0;
    for (std::size_t length = 0; length < needed.size(); ++length) {
      const int half = params_.half_lengths_px[length];
      for (int t = reached + 1; t <= half; ++t) {
        sum += BentEvidence(angle, middle + angle.At(t));
        sum += BentEvidence(angle, middle + angle.At(-t));
      }
      reached = half;
      const double mean = static_cast<double>(sum) / (2 * reached + 1) / kEnergyUnit;
      // Longer lines through here are found from their other pixels, too.
      if (mean < params_.min_hopeful_share * params_.min_long_mean) return;
      if (mean <= needed[length]) continue;
      const double left = WithoutPrint(mean, angle, middle, reached);
      if (left <= needed[length]) continue;
      found.push_back({middle, index, reached,
                       static_cast<std::int32_t>(std::lround(left / needed[length] * 256))});
    }
  }

  /// Marks the ridge pixels around the middle of a line.
  void Mark(const FoundLine& line, Plane& margins) const {
    const Angle& angle = angles_[static_cast<std::size_t>(line.angle)];
    const int half = static_cast<int>((2 * line.half + 1) * params_.support_share) / 2;
    for (int t = -half; t <= half; ++t) {
      const cv::Point along = line.middle + angle.At(t);
      for (int y = std::max(along.y - 1, 0); y <= std::min(along.y + 1, margins.height() - 1);
           ++y) {
        for (int x = std::max(along.x - 1, 0); x <= std::min(along.x + 1, margins.width() - 1);
             ++x) {
          if (ridges_.Row<std::uint8_t>(y)[x] == 0) continue;
          if ((DirectionBit(x, y) & angle.marked) == 0) continue;
          std::int32_t& margin = margins.Row<std::int32_t>(y)[x];
          margin = std::max(margin, line.margin);
        }
      }
    }
  }

  void DropSmall(Plane& margins) const {
    cv::Mat linked, labels, boxes, middles;
    cv::dilate(AsMat(margins) != 0, linked, Disc(params_.link_px));
    cv::connectedComponentsWithStats(linked, labels, boxes, middles, 8);
    for (int y = 0; y < margins.height(); ++y) {
      for (int x = 0; x < margins.width(); ++x) {
        const int label = labels.at<std::int32_t>(y, x);
        const int extent = std::max(boxes.at<std::int32_t>(label, cv::CC_STAT_WIDTH),
                                    boxes.at<std::int32_t>(label, cv::CC_STAT_HEIGHT));
        if (extent < params_.min_extent_px + 2 * params_.link_px)
          margins.Row<std::int32_t>(y)[x] = 0;
      }
    }
  }

  const Plane& energy_;
  const Plane& directions_;
  const Plane& ridges_;
  const PrintContours& print_;
  const LongLineParams& params_;
  std::int32_t most_;
  std::vector<Angle> angles_;
};

}  // namespace

Plane FindLongLines(const Plane& energy, const Plane& directions, const Plane& ridges,
                    const PrintContours& print, const LongLineParams& params, ThreadPool& pool) {
  return LongLineSearch(energy, directions, ridges, print, params).Run(pool);
}

}  // namespace glint::photometric
