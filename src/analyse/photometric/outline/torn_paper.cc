// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/torn_paper.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/photometric/pixels/masks.h"
#include "base/median.h"

namespace glint::photometric {
namespace {

/// The gap between two edges of paper, at one depth.
struct Opening {
  int deep = 0;
  int first = 0, last = 0;  ///< along the side

  int Width() const { return last - first + 1; }
};

/// How many pixels two openings share along the side, ends that are one pixel apart included.
int Shared(const Opening& a, const Opening& b) {
  return std::min(a.last, b.last) - std::max(a.first, b.first) + 2;
}

/// The object's lightness, and where it is as light and colourless as its paper.
struct Sheet {
  cv::Mat lightness;  // CV_8U, L of Lab
  cv::Mat paper;      // CV_8U, 0 and 255
  int paper_lightness = 0;
};

/// What lies on both sides of a tear, and how dark it is between them, as lightnesses.
struct Lips {
  cv::Mat edges;     // CV_8U, 0 and 255: what an opening ends at
  double least = 0;  // of an edge
  double darkest = 0, median = 0;
};

/// The white of the paper's inside, all along the tear.
Lips PaperLips(const Sheet& sheet, const TornPaperParams& params) {
  return {.edges = sheet.paper,
          .least = params.min_edge_lightness * sheet.paper_lightness,
          .darkest = params.max_gap_lightness * sheet.paper_lightness,
          .median = params.max_median_lightness * sheet.paper_lightness};
}

/// Whatever is not as dark as a shadow.
Lips AnyLips(const Sheet& sheet, const TornMarginParams& params) {
  const double least = params.max_lightness * sheet.paper_lightness;
  return {.edges = sheet.lightness > least,
          .least = least,
          .darkest = params.max_darkest_lightness * sheet.paper_lightness,
          .median = params.max_median_lightness * sheet.paper_lightness};
}

/// The lightness that this share of the pixels does not exceed.
int Quantile(const cv::Mat& lightness, double share) {
  std::array<std::int64_t, 256> counts{};
  for (int y = 0; y < lightness.rows; ++y) {
    const auto* row = lightness.ptr<std::uint8_t>(y);
    for (int x = 0; x < lightness.cols; ++x) ++counts[row[x]];
  }
  const double most = share * static_cast<double>(lightness.total());
  std::int64_t below = 0;
  for (std::size_t value = 0; value < counts.size(); ++value) {
    below += counts[value];
    if (static_cast<double>(below) >= most) return static_cast<int>(value);
  }
  return 255;
}

Sheet SheetOf(const cv::Mat& colour, const TornPaperParams& params) {
  cv::Mat lab;
  cv::cvtColor(colour, lab, cv::COLOR_RGB2Lab);
  std::array<cv::Mat, 3> channels;
  cv::split(lab, channels.data());
  Sheet sheet{.lightness = channels[0], .paper = cv::Mat(lab.size(), CV_8U, cv::Scalar(0))};
  sheet.paper_lightness = Quantile(channels[0], params.paper_quantile);
  std::array<std::vector<int>, 2> chroma;
  for (int y = 0; y < lab.rows; ++y) {
    for (int x = 0; x < lab.cols; ++x) {
      const auto& pixel = lab.at<cv::Vec3b>(y, x);
      if (pixel[0] < sheet.paper_lightness) continue;
      chroma[0].push_back(pixel[1]);
      chroma[1].push_back(pixel[2]);
    }
  }
  const int a = UpperMedian(chroma[0]), b = UpperMedian(chroma[1]);
  const double least = params.min_edge_lightness * sheet.paper_lightness;
  const double most = params.max_edge_chroma_lab * params.max_edge_chroma_lab;
  for (int y = 0; y < lab.rows; ++y) {
    for (int x = 0; x < lab.cols; ++x) {
      const auto& pixel = lab.at<cv::Vec3b>(y, x);
      const int off_a = pixel[1] - a, off_b = pixel[2] - b;
      const bool paper = pixel[0] >= least && off_a * off_a + off_b * off_b <= most;
      sheet.paper.at<std::uint8_t>(y, x) = paper ? 255 : 0;
    }
  }
  return sheet;
}

/// Looks for tears that begin at one side.
class TearsOfSide {
 public:
  /// @param sheet  for as long as this lives
  TearsOfSide(const Sheet& sheet, Lips lips, Side side, double scale, const TornPaperParams& params)
      : sheet_(sheet),
        lips_(std::move(lips)),
        side_(side),
        scale_(scale),
        params_(params),
        size_(sheet.paper.size()) {
    const int depths = static_cast<int>(params.max_depth_share * DepthOf(side, size_));
    for (int deep = 0; deep < depths; ++deep) openings_.push_back(OpeningsAt(deep));
  }

  /// Adds the gaps of its tears to a mask.
  /// @param is_tear  bool(const std::vector<Opening>&): whether one is such a tear
  template <class IsTear>
  void AddTo(cv::Mat& gaps, IsTear is_tear) {
    const auto last_mouth = static_cast<std::size_t>(params_.mouth_px * scale_);
    for (std::size_t deep = 0; deep < openings_.size() && deep <= last_mouth; ++deep) {
      for (const Opening& mouth : openings_[deep]) {
        if (mouth.Width() < params_.min_width_px || gaps.at<std::uint8_t>(Middle(mouth)) != 0) {
          continue;
        }
        const auto tear = Follow(mouth);
        if (tear && is_tear(*tear)) Draw(*tear, gaps);
      }
    }
  }

 private:
  cv::Point Middle(const Opening& at) const {
    return At(side_, (at.first + at.last) / 2, at.deep, size_);
  }

  int Lightness(const Opening& at, int along) const {
    return sheet_.lightness.at<std::uint8_t>(At(side_, along, at.deep, size_));
  }

  int Darkest(const Opening& at) const {
    int darkest = 255;
    for (int along = at.first; along <= at.last; ++along) {
      darkest = std::min(darkest, Lightness(at, along));
    }
    return darkest;
  }

  std::vector<Opening> OpeningsAt(int deep) const {
    std::vector<Opening> openings;
    const int length = LengthOf(side_, size_);
    std::optional<int> edge;  // the last one
    for (int along = 0; along < length; ++along) {
      if (lips_.edges.at<std::uint8_t>(At(side_, along, deep, size_)) == 0) continue;
      const Opening between{.deep = deep, .first = edge.value_or(along) + 1, .last = along - 1};
      if (between.Width() >= 1 && between.Width() <= params_.max_width_px * scale_ &&
          Darkest(between) <= lips_.darkest) {
        openings.push_back(between);
      }
      edge = along;
    }
    return openings;
  }

  /// The opening at a depth that goes on from another.
  std::optional<Opening> Next(const Opening& from, std::size_t deep) const {
    std::optional<Opening> next;
    for (const Opening& one : openings_[deep]) {
      if (Shared(one, from) < 1 || one.Width() > from.Width() + params_.max_widening_px) continue;
      if (!next || Shared(one, from) > Shared(*next, from)) next = one;
    }
    return next;
  }

  std::optional<std::vector<Opening>> Follow(const Opening& mouth) const {
    std::vector<Opening> tear{mouth};
    int missed = 0;
    std::size_t deep = static_cast<std::size_t>(mouth.deep) + 1;
    for (; deep < openings_.size() && missed <= params_.max_missed_px; ++deep) {
      const auto next = Next(tear.back(), deep);
      missed = next ? 0 : missed + 1;
      if (next) tear.push_back(*next);
    }
    if (deep >= openings_.size() || !ClosesInwards(tear) || !IsDark(tear)) return std::nullopt;
    return tear;
  }

  /// How wide an opening is, in fractions of a pixel: whole pixels do not tell whether a tear that
  /// is three of them wide closes inwards.
  double ExactWidth(const Opening& at) const {
    const auto beyond = [&](int along, int step) {
      const double inner = Lightness(at, along), outer = Lightness(at, along + step);
      return std::clamp((lips_.least - inner) / std::max(1.0, outer - inner), 0.0, 1.0);
    };
    return at.Width() - 1 + beyond(at.first, -1) + beyond(at.last, 1);
  }

  bool ClosesInwards(const std::vector<Opening>& tear) const {
    const int depth = tear.back().deep - tear.front().deep + 1;
    if (depth < params_.min_depth_px * scale_) return false;
    if (static_cast<double>(tear.size()) < params_.min_filled_share * depth) return false;
    std::vector<double> widths;
    widths.reserve(tear.size());
    for (const Opening& one : tear) widths.push_back(ExactWidth(one));
    const auto third = static_cast<std::ptrdiff_t>(std::max<std::size_t>(2, widths.size() / 3));
    const double mouth = Median<double>({widths.begin(), widths.begin() + third});
    const double tip = Median<double>({widths.end() - third, widths.end()});
    return mouth >= params_.min_width_px && tip <= params_.max_tip_share * mouth &&
           depth >= params_.min_slenderness * mouth;
  }

  bool IsDark(const std::vector<Opening>& tear) const {
    std::vector<int> values;
    for (const Opening& one : tear) {
      for (int along = one.first; along <= one.last; ++along) {
        values.push_back(Lightness(one, along));
      }
    }
    return UpperMedian(values) <= lips_.median;
  }

  /// With what lies between its mouth and the side. An opening ends where it is half as dark as in
  /// its middle: what is lighter is the blur of its edges.
  void Draw(const std::vector<Opening>& tear, cv::Mat& gaps) const {
    const auto draw = [&](const Opening& at, int deep) {
      const int half = (sheet_.paper_lightness + Darkest(at)) / 2;
      for (int along = at.first; along <= at.last; ++along) {
        if (Lightness(at, along) > half) continue;
        gaps.at<std::uint8_t>(At(side_, along, deep, size_)) = 255;
      }
    };
    for (int deep = 0; deep < tear.front().deep; ++deep) draw(tear.front(), deep);
    for (const Opening& one : tear) draw(one, one.deep);
  }

  const Sheet& sheet_;
  Lips lips_;
  Side side_;
  double scale_;
  const TornPaperParams& params_;
  cv::Size size_;
  std::vector<std::vector<Opening>> openings_;  // by depth
};

/// Whether a tear begins in a margin of bare paper: on either side of it most is as light and
/// colourless as paper. No print reaches the side of a sheet there.
bool CrossesMargin(const std::vector<Opening>& tear, const Sheet& sheet, Side side, double scale,
                   const TornMarginParams& params) {
  const cv::Size size = sheet.paper.size();
  const int length = LengthOf(side, size);
  const auto depth = static_cast<int>(params.depth_px * scale);
  for (const int sign : {-1, 1}) {
    int paper = 0, all = 0;
    for (const Opening& one : tear) {
      if (one.deep > tear.front().deep + depth) break;
      for (int beside = params.from_px; beside <= params.to_px; ++beside) {
        const int along = sign < 0 ? one.first - beside : one.last + beside;
        if (along < 0 || along >= length) continue;
        ++all;
        if (sheet.paper.at<std::uint8_t>(At(side, along, one.deep, size)) != 0) ++paper;
      }
    }
    if (all == 0 || paper < params.min_paper_share * all) return false;
  }
  return true;
}

}  // namespace

cv::Mat FindTornPaper(const cv::Mat& colour, double scale, const TornPaperParams& params) {
  const Sheet sheet = SheetOf(colour, params);
  cv::Mat gaps(colour.size(), CV_8U, cv::Scalar(0));
  for (const Side side : kSides) {
    TearsOfSide(sheet, PaperLips(sheet, params), side, scale, params)
        .AddTo(gaps, [](const std::vector<Opening>&) { return true; });
    TearsOfSide(sheet, AnyLips(sheet, params.margin), side, scale, params)
        .AddTo(gaps, [&](const std::vector<Opening>& tear) {
          return CrossesMargin(tear, sheet, side, scale, params.margin);
        });
  }
  return gaps;
}

}  // namespace glint::photometric
