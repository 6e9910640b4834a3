// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/long_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <span>
#include <vector>

#include "analyse/photometric/evidence/directed_evidence.h"
#include "analyse/photometric/evidence/energy_normalisation.h"
#include "analyse/photometric/pixels/masks.h"
#include "analyse/photometric/print/evenness.h"
#include "base/mat.h"
#include "base/rounding.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr int kAngles = 48;
constexpr std::int64_t kPartsPerThread = 2;  // each with memory of its own

/// Steps of a direction from an angle, in units of 180 / kDirections degrees.
double TurnBetween(int direction, int angle) {
  const double turn = std::abs(direction - angle * static_cast<double>(kDirections) / kAngles);
  return std::min(turn, kDirections - turn);
}

/// How a line bends.
struct Bow {
  double ends_px = 0;           ///< by which both ends lie to one side
  int reach = 0;                ///< from its middle to its ends, px
  std::vector<double> turns{};  ///< rad from its middle's direction, from one end to the other
};

Bow MakeBow(double ends_px, int reach) {
  Bow bow{.ends_px = ends_px, .reach = reach};
  bow.turns.reserve(2 * static_cast<std::size_t>(reach) + 1);
  for (int t = -reach; t <= reach; ++t) {
    bow.turns.push_back(std::atan(2 * ends_px * t / reach / reach));
  }
  return bow;
}

/// None first, then those that are tried.
std::vector<Bow> BowsOf(const LongLineParams& params) {
  const int reach = *std::ranges::max_element(params.half_lengths_px);
  std::vector<Bow> bows;
  bows.reserve(1 + 2 * params.bows_px.size());
  bows.push_back(MakeBow(0, reach));
  for (const double ends : params.bows_px) {
    bows.push_back(MakeBow(ends, reach));
    bows.push_back(MakeBow(-ends, reach));
  }
  return bows;
}

/// Where a line goes from its middle: straight on, or along a bow.
class Course {
 public:
  /// @param theta  rad, in its middle  @param bow  outlives this
  Course(double theta, const Bow& bow) : theta_(theta), bow_(&bow) {
    const double cosine = std::cos(theta), sine = std::sin(theta);
    along_.reserve(bow.turns.size());
    for (int t = -bow.reach; t <= bow.reach; ++t) {
      const double part = static_cast<double>(t) / bow.reach, across = bow.ends_px * part * part;
      along_.emplace_back(RoundToInt(t * cosine - across * sine),
                          RoundToInt(t * sine + across * cosine));
    }
  }

  /// From one end to the other.
  std::span<const cv::Point> along() const { return along_; }
  cv::Point At(int t) const { return *(along_.begin() + (t + bow_->reach)); }

  /// The direction of print that runs with it there.
  int PrintAt(int t) const {
    const double turn = *(bow_->turns.begin() + (t + bow_->reach));
    const int direction = RoundToInt((theta_ + turn) / CV_PI * kDirections);
    return (direction + kDirections) % kDirections;
  }

 private:
  double theta_;
  const Bow* bow_;
  std::vector<cv::Point> along_;
};

/// One angle: where its pixels lie, and which directions belong to it.
struct Angle {
  std::vector<Course> courses;  // the straight one first
  cv::Point bend;               // to the pixels beside it
  std::vector<cv::Point> parallels;
  std::uint16_t counted = 0, marked = 0;  // bits of directions
  bool horizontal = false, vertical = false;

  double normal_x = 0, normal_y = 0;

  /// A place so far from the line.
  cv::Point Across(int away) const {
    return {static_cast<int>(std::lround(away * normal_x)),
            static_cast<int>(std::lround(away * normal_y))};
  }

  /// @param bows  outlive this
  Angle(int angle, std::span<const Bow> bows, const LongLineParams& params) {
    const double theta = CV_PI * angle / kAngles;
    const double cosine = std::cos(theta), sine = std::sin(theta);
    const auto place = [](double x, double y) {
      return cv::Point(static_cast<int>(std::lround(x)), static_cast<int>(std::lround(y)));
    };
    for (const Bow& bow : bows) courses.emplace_back(theta, bow);
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
    const double with_rim = params.max_rim_turn_steps * kAngles / kDirections;
    horizontal = std::min(angle, kAngles - angle) <= with_rim;
    vertical = std::abs(angle - kAngles / 2) <= with_rim;
  }
};

/// The evidence along the lines of an angle.
class AngleWalk {
 public:
  /// @param reach  px from a line's middle to the farthest pixel that counts
  AngleWalk(Size size, int reach) : evidence_(size, reach) {}

  void Take(const Angle& angle, const EvidenceField& field, int rim_px) {
    evidence_.Fill(field, {.directions = angle.counted,
                           .rim_x = angle.vertical ? rim_px : 0,
                           .rim_y = angle.horizontal ? rim_px : 0});
    bend_ = evidence_.Offset(angle.bend.x, angle.bend.y);
    courses_.resize(angle.courses.size());
    for (std::size_t i = 0; i < courses_.size(); ++i) {
      courses_[i].clear();
      for (const cv::Point at : angle.courses[i].along()) {
        courses_[i].push_back(evidence_.Offset(at.x, at.y));
      }
    }
  }

  /// Sum over the pixels first .. last along a line, of each the most of its own evidence and of
  /// its neighbours' across the line.
  std::int64_t Bent(std::size_t course, cv::Point middle, int first, int last) const {
    const std::uint16_t* here = evidence_.At(middle.x, middle.y);
    const std::ptrdiff_t* along = courses_[course].data() + courses_[course].size() / 2;
    std::int64_t sum = 0;
    for (int t = first; t <= last; ++t) {
      const std::uint16_t* at = here + along[t];
      sum += std::max({at[0], at[bend_], at[-bend_]});
    }
    return sum;
  }

 private:
  DirectedEvidence evidence_;
  std::ptrdiff_t bend_ = 0;
  std::vector<std::vector<std::ptrdiff_t>> courses_;  // from one end to the other
};

/// Px from a line's middle to the farthest pixel that counts.
int ReachOf(const LongLineParams& params) {
  return *std::ranges::max_element(params.half_lengths_px) +
         static_cast<int>(std::ceil(params.bend_px + *std::ranges::max_element(params.bows_px))) +
         1;
}

/// A line that is looked at.
struct Candidate {
  const Angle* angle;
  const Course* course;
  cv::Point middle;
  int half;

  /// The place so far along it, and beside it.
  cv::Point At(int t, cv::Point beside = {}) const { return middle + course->At(t) + beside; }
};

/// A line that was found.
struct FoundLine {
  Candidate line;
  std::int32_t margin;  // 1/256
};

/// What lines mark: of each pixel the largest margin, and how many lines there are through it.
struct Marks {
  Plane margins;  // kS32
  cv::Mat lines;  // CV_32S

  explicit Marks(Size size)
      : margins(Plane::Host(size, PixelType::kS32)),
        lines(size.height, size.width, CV_32S, cv::Scalar(0)),
        last_(size.height, size.width, CV_32S, cv::Scalar(0)) {
    AsMat(margins).setTo(0);
  }

  /// What is added from now on is this line's.
  void StartLine(std::int32_t margin) {
    ++line_;
    margin_ = margin;
  }

  void Add(int x, int y) {
    std::int32_t& margin = margins.Row<std::int32_t>(y)[x];
    margin = std::max(margin, margin_);
    std::int32_t& last = last_.at<std::int32_t>(y, x);
    if (last == line_) return;
    last = line_;
    ++lines.at<std::int32_t>(y, x);
  }

 private:
  cv::Mat last_;  // CV_32S: the line that was added last, from 1 on
  std::int32_t line_ = 0, margin_ = 0;
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
        bows_(BowsOf(params)) {
    for (int angle = 0; angle < kAngles; ++angle) angles_.emplace_back(angle, bows_, params);
  }

  Plane Run(ThreadPool& pool) {
    std::vector<cv::Point> middles;
    for (int y = 0; y < ridges_.height(); ++y) {
      const auto* ridge = ridges_.Row<std::uint8_t>(y);
      for (int x = 0; x < ridges_.width(); ++x) {
        if (ridge[x] != 0) middles.emplace_back(x, y);
      }
    }
    const EvidenceField field(energy_, directions_,
                              static_cast<std::int32_t>(params_.max_evidence * kEnergyUnit));
    std::vector<std::vector<FoundLine>> found(
        static_cast<std::size_t>(kPartsPerThread * pool.threads()));
    pool.ParallelFor(std::ssize(found), [&](std::int64_t part) {
      AngleWalk walk(energy_.size(), ReachOf(params_));
      for (auto i = static_cast<std::size_t>(part); i < angles_.size(); i += found.size()) {
        walk.Take(angles_[i], field, params_.rim_px);
        FindAt(angles_[i], walk, middles, found[static_cast<std::size_t>(part)]);
      }
    });
    Marks marks(energy_.size());
    for (const auto& part : found) {
      for (const FoundLine& line : part) Mark(line, marks);
    }
    DropChance(marks);
    return marks.margins;
  }

 private:
  std::uint16_t DirectionBit(int x, int y) const {
    return static_cast<std::uint16_t>(1 << (directions_.Row<std::uint8_t>(y)[x] % kDirections));
  }

  bool IsInside(cv::Point at) const {
    return at.x >= 0 && at.y >= 0 && at.x < energy_.width() && at.y < energy_.height();
  }

  /// Share of what the print has along a line, or beside it.
  double ShareAlong(const DirectionMask& of, const Candidate& line, cv::Point beside = {}) const {
    int print = 0, inside = 0;
    for (int t = -line.half; t <= line.half; ++t) {
      const cv::Point at = line.At(t, beside);
      if (!IsInside(at)) continue;
      ++inside;
      print += of.Has(at.x, at.y, line.course->PrintAt(t)) ? 1 : 0;
    }
    return static_cast<double>(print) / std::max(inside, 1);
  }

  /// The largest share of a line that one contour beside it runs with.
  double ParallelShare(const Candidate& line) const {
    double most = 0;
    for (int away = -params_.parallel_px; away <= params_.parallel_px;
         away += params_.parallel_step_px) {
      most = std::max(most, ShareAlong(print_.contours, line, line.angle->Across(away)));
    }
    return most;
  }

  /// How much of a line print explains, 0..1.
  double Doubt(const Candidate& line) const {
    const double here = ShareAlong(print_.contours, line);
    double beside = 0;
    for (const cv::Point shift : line.angle->parallels) {
      beside += ShareAlong(print_.contours, line, shift);
    }
    beside /= static_cast<double>(line.angle->parallels.size());
    const double parallel = ParallelShare(line);
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

  /// How even an edge or a stroke of the print is along a line, or beside it: its mean over its
  /// deviation.
  double EvennessOf(const Candidate& line, cv::Point beside) const {
    const cv::Point strip = line.angle->Across(params_.strip_px);
    Evenness step, stroke;
    for (int t = -line.half; t <= line.half; ++t) {
      const cv::Point at = line.At(t, beside);
      const int left = Albedo(at - strip), right = Albedo(at + strip);
      step.Add(right - left);
      stroke.Add((left + right) / 2 - Albedo(at));
    }
    return std::max(step.Ratio(params_.print_noise_grey), stroke.Ratio(params_.print_noise_grey));
  }

  /// How much of what seems to be print runs with a line, 0..1.
  double PrintAlong(const Candidate& line) const {
    const bool whole = IsInside(line.At(-line.half)) && IsInside(line.At(line.half));
    if (print_.albedo.empty() || !whole || line.half < params_.min_uneven_half_px) return 1;
    double most = 0;
    for (int away = -params_.parallel_px; away <= params_.parallel_px;
         away += params_.parallel_step_px) {
      most = std::max(most, EvennessOf(line, line.angle->Across(away)));
    }
    return std::clamp((most - params_.uneven_print) / params_.uneven_range, 0.0, 1.0);
  }

  /// What is left of a line's mean evidence when the print's share is taken off.
  double WithoutPrint(double mean, const Candidate& line) const {
    const double doubt = Doubt(line);
    if (doubt == 0) return mean;
    return mean / (1 + params_.print_cost * doubt * PrintAlong(line));
  }

  void FindAt(const Angle& angle, const AngleWalk& walk, std::span<const cv::Point> middles,
              std::vector<FoundLine>& found) const {
    for (const cv::Point middle : middles) {
      if ((DirectionBit(middle.x, middle.y) & angle.counted) == 0) continue;
      const double short_mean = FindStraight({&angle, &angle.courses[0], middle, 0}, walk, found);
      if (short_mean >= params_.min_bow_short_mean) FindBowed(angle, middle, walk, found);
    }
  }

  /// Bows that are clearly better than the straight line.
  void FindBowed(const Angle& angle, cv::Point middle, const AngleWalk& walk,
                 std::vector<FoundLine>& found) const {
    const int half = *std::ranges::max_element(params_.half_lengths_px);
    const auto mean_of = [&](std::int64_t sum) {
      return static_cast<double>(sum) / (2 * half + 1) / kEnergyUnit;
    };
    const double straight = mean_of(walk.Bent(0, middle, -half, half));
    const double needed = std::max(params_.min_bow_mean, straight * params_.min_bow_gain);
    for (std::size_t i = 1; i < angle.courses.size(); ++i) {
      const Candidate line{&angle, &angle.courses[i], middle, half};
      const std::int64_t back = walk.Bent(i, middle, -half, -1);
      const std::int64_t on = walk.Bent(i, middle, 1, half);
      const double least = static_cast<double>(std::min(back, on)) / half / kEnergyUnit;
      if (least < params_.min_bow_half_share * needed) continue;
      Decide(line, mean_of(back + walk.Bent(i, middle, 0, 0) + on), needed, found);
    }
  }

  /// @return the mean evidence over a short line
  double FindStraight(Candidate line, const AngleWalk& walk, std::vector<FoundLine>& found) const {
    const std::array<double, 3> needed = {params_.min_short_mean, params_.min_medium_mean,
                                          params_.min_long_mean};
    std::int64_t sum = walk.Bent(0, line.middle, 0, 0);
    double short_mean = 0;
    for (std::size_t length = 0; length < needed.size(); ++length) {
      const int reached = line.half;
      line.half = params_.half_lengths_px[length];
      sum += walk.Bent(0, line.middle, reached + 1, line.half) +
             walk.Bent(0, line.middle, -line.half, -reached - 1);
      const double mean = static_cast<double>(sum) / (2 * line.half + 1) / kEnergyUnit;
      if (length == 0) short_mean = mean;
      // Longer lines through here are found from their other pixels, too.
      if (mean < params_.min_hopeful_share * params_.min_long_mean) break;
      Decide(line, mean, needed[length], found);
    }
    return short_mean;
  }

  void Decide(const Candidate& line, double mean, double needed,
              std::vector<FoundLine>& found) const {
    if (mean <= needed) return;
    const double left = WithoutPrint(mean, line);
    if (left <= needed) return;
    found.push_back({line, static_cast<std::int32_t>(std::lround(left / needed * 256))});
  }

  /// Marks the ridge pixels around the middle of a line.
  void Mark(const FoundLine& found, Marks& marks) const {
    const Candidate& line = found.line;
    const int half = static_cast<int>((2 * line.half + 1) * params_.support_share) / 2;
    marks.StartLine(found.margin);
    for (int t = -half; t <= half; ++t) {
      const cv::Point along = line.At(t);
      for (int y = std::max(along.y - 1, 0); y <= std::min(along.y + 1, energy_.height() - 1);
           ++y) {
        for (int x = std::max(along.x - 1, 0); x <= std::min(along.x + 1, energy_.width() - 1);
             ++x) {
          if (ridges_.Row<std::uint8_t>(y)[x] == 0) continue;
          if ((DirectionBit(x, y) & line.angle->marked) == 0) continue;
          marks.Add(x, y);
        }
      }
    }
  }

  /// Drops pieces that are small, or through which hardly a line runs.
  void DropChance(Marks& marks) const {
    cv::Mat linked, labels, boxes, middles;
    cv::dilate(AsMat(marks.margins) != 0, linked, Disc(params_.link_px));
    const int count = cv::connectedComponentsWithStats(linked, labels, boxes, middles, 8);
    std::vector<int> most(static_cast<std::size_t>(count));  // lines through a pixel of a piece
    ForEachPixel([&](int x, int y) {
      int& lines = most[static_cast<std::size_t>(labels.at<std::int32_t>(y, x))];
      lines = std::max(lines, marks.lines.at<std::int32_t>(y, x));
    });
    ForEachPixel([&](int x, int y) {
      const int label = labels.at<std::int32_t>(y, x);
      const int extent = std::max(boxes.at<std::int32_t>(label, cv::CC_STAT_WIDTH),
                                  boxes.at<std::int32_t>(label, cv::CC_STAT_HEIGHT));
      if (extent < params_.min_extent_px + 2 * params_.link_px ||
          most[static_cast<std::size_t>(label)] < params_.min_lines) {
        marks.margins.Row<std::int32_t>(y)[x] = 0;
      }
    });
  }

  template <class Do>
  void ForEachPixel(Do&& what) const {
    for (int y = 0; y < energy_.height(); ++y) {
      for (int x = 0; x < energy_.width(); ++x) what(x, y);
    }
  }

  const Plane& energy_;
  const Plane& directions_;
  const Plane& ridges_;
  const PrintContours& print_;
  const LongLineParams& params_;
  std::vector<Bow> bows_;
  std::vector<Angle> angles_;
};

}  // namespace

Plane FindLongLines(const Plane& energy, const Plane& directions, const Plane& ridges,
                    const PrintContours& print, const LongLineParams& params, ThreadPool& pool) {
  return LongLineSearch(energy, directions, ridges, print, params).Run(pool);
}

}  // namespace glint::photometric
