// SPDX-License-Identifier: Apache-2.0
#include "analyse/reference/changed_areas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/pixels/masks.h"
#include "base/median.h"

namespace glint::reference {
namespace {

using photometric::Disc;

int Scaled(double radius, double scale) {
  return std::max(1, static_cast<int>(std::lround(radius * scale)));
}

/// What speaks for an area.
struct Outline {
  int pixels = 0;
  int measured = 0;  // pixels at which both sides are seen well enough
  int stepped = 0;   // of those, with a step
  int free = 0;      // off the print's contours
  double usual = 0;  // share of the pixels around the outline that are off them
  int beside = 0;    // beside what is not compared
  double step = 0;   // the median one
};

/// One piece with its surroundings.
class Candidate {
 public:
  Candidate(const cv::Mat& piece, const cv::Rect& box, const ColourChange& change,
            const PrintMatch& match, int side, const ChangedAreaParams& params, ThreadPool& pool)
      : piece_(piece), box_(box), change_(change), side_(side), params_(params), pool_(pool) {
    flat_ = Field(match.flat(box)).clone();
    compared_ = match.compared(box);
  }

  Outline Measure() const {
    const Field steps = Steps();
    const Field flat = BoxMean(flat_, 1, pool_);
    cv::Mat inner, other;
    cv::erode(piece_, inner, cv::Mat::ones(3, 3, CV_8U), {-1, -1}, 1, cv::BORDER_CONSTANT, 0);
    cv::dilate(compared_ == 0, other, Disc(side_));
    cv::Mat around, deep;
    cv::dilate(piece_, around, Disc(side_));
    cv::erode(piece_, deep, Disc(side_), {-1, -1}, 1, cv::BORDER_CONSTANT, 0);
    Outline outline;
    outline.usual = cv::mean(flat > params_.free_weight, around & ~deep)[0] / 255;
    std::vector<float> measured;
    for (int y = 0; y < piece_.rows; ++y) {
      for (int x = 0; x < piece_.cols; ++x) {
        if (piece_.at<std::uint8_t>(y, x) == 0 || inner.at<std::uint8_t>(y, x) != 0) continue;
        ++outline.pixels;
        outline.free += flat[y][x] > params_.free_weight ? 1 : 0;
        outline.beside += other.at<std::uint8_t>(y, x) != 0 ? 1 : 0;
        if (steps[y][x] < 0) continue;
        outline.stepped += steps[y][x] >= params_.min_step ? 1 : 0;
        measured.push_back(steps[y][x]);
      }
    }
    outline.measured = static_cast<int>(measured.size());
    if (!measured.empty()) outline.step = UpperMedian(measured);
    return outline;
  }

 private:
  /// The difference between the means inside and outside of the piece around each pixel; -1 where
  /// too little of either is seen.
  Field Steps() const {
    cv::Mat wider;
    cv::dilate(piece_, wider, Disc(params_.outline_margin_px));
    const auto make = [&](const auto& value) { return FieldOf(piece_.size(), pool_, value); };
    const Field in =
        make([&](int y, int x) { return piece_.at<std::uint8_t>(y, x) != 0 ? flat_[y][x] : 0.0F; });
    const Field out =
        make([&](int y, int x) { return wider.at<std::uint8_t>(y, x) == 0 ? flat_[y][x] : 0.0F; });
    const Field weight_in = BoxSum(in, side_, pool_), weight_out = BoxSum(out, side_, pool_);
    Field square(piece_.size(), 0.0F);
    for (std::size_t k = 0; k < kChannels; ++k) {
      const Field level = Field(change_.level[k](box_));
      const Field sum_in = BoxSum(Product(level, in, pool_), side_, pool_);
      const Field sum_out = BoxSum(Product(level, out, pool_), side_, pool_);
      square = make([&](int y, int x) {
        const double step = (sum_in[y][x] / (weight_in[y][x] + 1e-3F) -
                             sum_out[y][x] / (weight_out[y][x] + 1e-3F)) /
                            change_.deviation[k];
        return square[y][x] + step * step;
      });
    }
    const float least = params_.min_weight * static_cast<float>(side_ * side_);
    return make([&](int y, int x) {
      const bool seen = weight_in[y][x] > least && weight_out[y][x] > least;
      return seen ? std::sqrt(square[y][x] / 3) : -1.0F;
    });
  }

  const cv::Mat& piece_;
  cv::Rect box_;
  const ColourChange& change_;
  int side_;
  const ChangedAreaParams& params_;
  ThreadPool& pool_;
  Field flat_;
  cv::Mat compared_;
};

/// Where ink hides whether the colour changed.
cv::Mat HiddenByInk(const PrintMatch& match, double scale, const ChangedAreaParams& params,
                    ThreadPool& pool) {
  const cv::Mat seen = BoxMean(match.flat, Scaled(params.seen_radius_px, scale), pool);
  return (seen < params.min_seen) & match.compared;
}

/// What ink cut apart, put together: closed, but only over ink.
cv::Mat Bridged(const cv::Mat& mask, const cv::Mat& ink, double radius, double scale) {
  cv::Mat closed;
  cv::morphologyEx(mask, closed, cv::MORPH_CLOSE, Disc(Scaled(radius, scale)));
  return mask | (closed & ink);
}

/// With what ink hides of it: bays, and holes in which there is nothing but ink.
cv::Mat FilledOverInk(const cv::Mat& mask, const cv::Mat& ink, double radius, double scale) {
  cv::Mat filled = Bridged(mask, ink, radius, scale);
  cv::Mat labels;
  const int count = cv::connectedComponents(filled == 0, labels, 4, CV_32S);
  std::vector<bool> hole(static_cast<std::size_t>(count), true);
  for (int y = 0; y < filled.rows; ++y) {
    for (int x = 0; x < filled.cols; ++x) {
      const bool border = y == 0 || x == 0 || y + 1 == filled.rows || x + 1 == filled.cols;
      if (!border && ink.at<std::uint8_t>(y, x) != 0) continue;
      hole[static_cast<std::size_t>(labels.at<int>(y, x))] = false;
    }
  }
  for (int y = 0; y < filled.rows; ++y) {
    for (int x = 0; x < filled.cols; ++x) {
      const int id = labels.at<int>(y, x);
      if (id != 0 && hole[static_cast<std::size_t>(id)]) filled.at<std::uint8_t>(y, x) = 255;
    }
  }
  return photometric::ComponentsTouching(filled, mask, 8);
}

bool IsChange(const Outline& outline, double area, const ChangedAreaParams& params) {
  const double pixels = outline.pixels;
  if (outline.measured <= params.min_measured * pixels ||
      outline.free < params.min_free_share * outline.usual * pixels)
    return false;
  if (outline.stepped < params.min_step_share * outline.measured) return false;
  if (outline.beside > params.max_beside_other * pixels && area < params.min_area_beside_other_px)
    return false;
  return outline.step * std::sqrt(std::sqrt(area / params.evidence_area_px)) >= params.min_evidence;
}

/// Connected components of where the change is strong.
struct AreaParts {
  cv::Mat labels;                ///< CV_32S, from 1; 0: none
  std::vector<cv::Rect> boxes;   ///< per label
  std::vector<float> strengths;  ///< per label: that nine tenths of its pixels do not exceed
};

AreaParts FindParts(const cv::Mat& mask, const Field& strength) {
  AreaParts parts;
  cv::Mat stats, middles;
  const int count = cv::connectedComponentsWithStats(mask, parts.labels, stats, middles, 8, CV_32S);
  std::vector<std::vector<float>> values(static_cast<std::size_t>(count));
  for (int y = 0; y < mask.rows; ++y) {
    const int* ids = parts.labels.ptr<int>(y);
    for (int x = 0; x < mask.cols; ++x) {
      if (ids[x] != 0) values[static_cast<std::size_t>(ids[x])].push_back(strength[y][x]);
    }
  }
  parts.boxes.reserve(static_cast<std::size_t>(count));
  parts.strengths.reserve(static_cast<std::size_t>(count));
  parts.boxes.emplace_back();
  parts.strengths.push_back(0);
  for (int id = 1; id < count; ++id) {
    parts.boxes.emplace_back(
        stats.at<int>(id, cv::CC_STAT_LEFT), stats.at<int>(id, cv::CC_STAT_TOP),
        stats.at<int>(id, cv::CC_STAT_WIDTH), stats.at<int>(id, cv::CC_STAT_HEIGHT));
    auto& of = values[static_cast<std::size_t>(id)];
    parts.strengths.push_back(NthSmallest(of, of.size() * 9 / 10));
  }
  return parts;
}

/// Parts that lie on both sides of ink and are about as strong as each other, so that one area may
/// have caused all of them. Each part is in one group.
std::vector<std::vector<int>> GroupParts(const AreaParts& parts, const cv::Mat& bridged,
                                         float alike_factor) {
  cv::Mat joined;
  const int count = cv::connectedComponents(bridged, joined, 8, CV_32S);
  std::vector<std::vector<int>> near(static_cast<std::size_t>(count));
  for (int id = 1; id < std::ssize(parts.boxes); ++id) {
    const cv::Rect& box = parts.boxes[static_cast<std::size_t>(id)];
    const int* row = parts.labels.ptr<int>(box.y);
    int x = box.x;
    while (row[x] != id) ++x;
    near[static_cast<std::size_t>(joined.at<int>(box.y, x))].push_back(id);
  }
  std::vector<std::vector<int>> groups;
  for (std::vector<int>& ids : near) {
    const auto strength = [&](int id) { return parts.strengths[static_cast<std::size_t>(id)]; };
    std::ranges::stable_sort(ids, std::ranges::greater(), strength);
    float strongest = 0;  // of the group
    for (const int id : ids) {
      if (strongest == 0 || strength(id) * alike_factor < strongest) {
        groups.emplace_back();
        strongest = strength(id);
      }
      groups.back().push_back(id);
    }
  }
  return groups;
}

/// Marks the areas of which the whole is changed by `least` deviations.
void MarkAreas(const ColourChange& change, const PrintMatch& match, const cv::Mat& ink, float least,
               double scale, const ChangedAreaParams& params, ThreadPool& pool, cv::Mat& changed) {
  cv::Mat strong = change.strength > least;
  strong.setTo(0, changed);
  cv::morphologyEx(strong, strong, cv::MORPH_OPEN, Disc(Scaled(params.opening_radius_px, scale)));
  const AreaParts parts = FindParts(strong, change.strength);
  const int side = Scaled(params.side_radius_px, scale),
            margin = 2 * side + Scaled(params.bridge_radius_px, scale);
  for (const std::vector<int>& group : GroupParts(
           parts, Bridged(strong, ink, params.bridge_radius_px, scale), params.alike_factor)) {
    cv::Rect tight = parts.boxes[static_cast<std::size_t>(group.front())];
    for (const int id : group) tight |= parts.boxes[static_cast<std::size_t>(id)];
    const cv::Rect wide(tight.x - margin, tight.y - margin, tight.width + 2 * margin,
                        tight.height + 2 * margin);
    const cv::Rect box = wide & cv::Rect({0, 0}, strong.size());
    cv::Mat piece = cv::Mat::zeros(box.size(), CV_8U);
    for (const int id : group) piece |= parts.labels(box) == id;
    piece = Bridged(piece, ink(box), params.bridge_radius_px, scale);
    const double area = cv::countNonZero(piece) / (scale * scale);
    if (area < params.min_area_px) continue;
    const Outline outline = Candidate(piece, box, change, match, side, params, pool).Measure();
    const double least_step = least > params.min_strength ? least : params.min_step;
    if (outline.step < least_step || !IsChange(outline, area, params)) continue;
    const double cover = std::clamp(params.cover_share * std::sqrt(area), params.bridge_radius_px,
                                    params.max_cover_px);
    changed(box).setTo(255, FilledOverInk(piece, ink(box), cover, scale));
  }
}

}  // namespace

cv::Mat FindChangedAreas(const ColourChange& change, const PrintMatch& match, double scale,
                         ThreadPool& pool, const ChangedAreaParams& params) {
  const cv::Mat ink = HiddenByInk(match, scale, params, pool);
  cv::Mat changed = cv::Mat::zeros(ink.size(), CV_8U);
  for (const float least : {params.min_strength, params.part_strength, params.inner_strength}) {
    MarkAreas(change, match, ink, least, scale, params, pool, changed);
  }
  return changed;
}

}  // namespace glint::reference
