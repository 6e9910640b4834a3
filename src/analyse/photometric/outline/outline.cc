// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/outline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/outline/background.h"
#include "analyse/photometric/outline/covered_rim.h"
#include "analyse/photometric/outline/gap_chroma.h"
#include "analyse/photometric/outline/gap_edges.h"
#include "analyse/photometric/outline/object_edge.h"
#include "analyse/photometric/outline/rounded_corners.h"
#include "analyse/photometric/outline/tears.h"
#include "analyse/photometric/outline/torn_paper.h"
#include "analyse/photometric/pixels/masks.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/median.h"
#include "base/status_macros.h"
#include "stages/shared/check_plane.h"

namespace glint::photometric {
namespace {

constexpr int kMinSide = 16;  // px of an object

cv::Mat Outside(const cv::Mat& mask) { return mask == 0; }

/// What looks like the surroundings: within their spreads, or, in the blur of a narrow gap, by far
/// less different than the object on both sides of it.
cv::Mat LikeBackground(const cv::Mat& distance, const cv::Rect& object, double scale,
                       const OutlineParams& params) {
  constexpr double kUnit = 64;  // integers, so that sums are exact
  const int side = 2 * static_cast<int>(params.object_reach_px * std::max(scale, 1.0)) + 1;
  cv::Mat limited, around;
  // Of the object alone: at its outline, too, the surroundings say nothing about it.
  cv::Mat(cv::min(distance(object), params.max_distance)).convertTo(limited, CV_16U, kUnit);
  cv::boxFilter(limited, around, CV_32S, {side, side}, {-1, -1}, false);
  around.convertTo(around, CV_32F, params.gap_object_share / (kUnit * side * side));
  cv::Mat limit(distance.size(), CV_32F, cv::Scalar(params.gap_distance));
  cv::Mat(cv::max(around, params.gap_distance)).copyTo(limit(object));
  return distance < limit;
}

/// Where the quadrilateral lies outside the object along whole sides: a robust straight line per
/// side (the median depth of background at its two halves), one pixel more where there is any.
cv::Mat Misfit(const cv::Mat& gap) {
  cv::Mat band(gap.size(), CV_8U, cv::Scalar(0));
  for (const Side side : kSides) {
    const int inward = DepthOf(side, gap.size());
    const std::vector<int> depths = RunsFrom(side, gap, inward);
    const auto half = depths.begin() + static_cast<std::ptrdiff_t>(depths.size() / 2);
    const double first = Median<int>({depths.begin(), half});
    const double second = Median<int>({half, depths.end()});
    const auto length = static_cast<double>(depths.size());
    for (int along = 0; along < static_cast<int>(depths.size()); ++along) {
      const double line = first + (second - first) * (along / length - 0.25) / 0.5;
      if (line <= 0.5) continue;
      for (int deep = 0; deep < inward && deep < line + 1.5; ++deep) {
        band.at<std::uint8_t>(At(side, along, deep, gap.size())) = 255;
      }
    }
  }
  return band;
}

/// How far the quadrilateral lies outside the object near one end of a side, where its corner is.
int MisfitNear(Side side, bool far_end, const cv::Mat& misfit, int length) {
  const std::vector<int> depths = RunsFrom(side, misfit, DepthOf(side, misfit.size()) / 2);
  return Median<int>(far_end ? std::vector<int>(depths.end() - length, depths.end())
                             : std::vector<int>(depths.begin(), depths.begin() + length));
}

/// The four corners of an object, each turned so that the corner is at the top left.
struct Corners {
  std::array<cv::Rect, 4> boxes;  // TL, TR, BR, BL
  static constexpr std::array<bool, 4> kFlipX = {false, true, true, false};
  static constexpr std::array<bool, 4> kFlipY = {false, false, true, true};

  /// Where the object's sides meet: each within the misfit that it has there, as a sheet that curls
  /// has another at either end of a side.
  Corners(const cv::Mat& misfit, int size) {
    for (std::size_t i = 0; i < 4; ++i) {
      const int x = MisfitNear(kFlipX[i] ? Side::kRight : Side::kLeft, kFlipY[i], misfit, size);
      const int y = MisfitNear(kFlipY[i] ? Side::kBottom : Side::kTop, kFlipX[i], misfit, size);
      boxes[i] = {kFlipX[i] ? misfit.cols - size - x : x, kFlipY[i] ? misfit.rows - size - y : y,
                  size, size};
    }
  }

  /// Turns corner i to the top left, or back.
  static cv::Mat Turn(const cv::Mat& corner, std::size_t i) {
    cv::Mat turned = corner.clone();
    if (kFlipX[i]) cv::flip(turned, turned, 1);
    if (kFlipY[i]) cv::flip(turned, turned, 0);
    return turned;
  }
};

/// The object's own corners: background that at least three of the four mirrored corners share, and
/// what it lacks where it was cut to round ones.
cv::Mat CommonCorners(const cv::Mat& gap, double scale, const OutlineParams& params) {
  cv::Mat shape(gap.size(), CV_8U, cv::Scalar(0));
  // With the misfit, which is at most half of the object, it stays within the picture.
  const int size =
      std::min({static_cast<int>(params.corner_px * scale), gap.cols / 2, gap.rows / 2});
  if (size < 1) return shape;
  const Corners corners(Misfit(gap), size);
  std::array<cv::Mat, 4> gaps;
  cv::Mat votes(size, size, CV_8U, cv::Scalar(0));
  for (std::size_t i = 0; i < 4; ++i) {
    gaps.at(i) = Corners::Turn(gap(corners.boxes[i]), i);
    cv::add(votes, 1, votes, gaps.at(i));
  }
  cv::Mat common = votes >= 3;
  const cv::Mat round = OutsideRoundedCorner(
      common.size(), RadiusOfRoundedCorners(gaps, scale, params.rounded_corners));
  if (cv::countNonZero(common & round) <
      params.rounded_corners.min_common_share * cv::countNonZero(round)) {
    common |= round;
  }
  if (cv::countNonZero(common) < params.min_corner_pixels) return shape;
  cv::dilate(common, common, Disc(params.corner_margin_px));
  for (std::size_t i = 0; i < 4; ++i) Corners::Turn(common, i).copyTo(shape(corners.boxes[i]));
  return shape;
}

/// The outermost pixels of the object: those behind what the quadrilateral has too much.
cv::Mat OutermostPixels(const cv::Mat& misfit) {
  cv::Mat edge(misfit.size(), CV_8U, cv::Scalar(0));
  for (const Side side : kSides) {
    const int inward = DepthOf(side, misfit.size());
    const std::vector<int> depths = RunsFrom(side, misfit, inward);
    for (int along = 0; along < static_cast<int>(depths.size()); ++along) {
      const int deep = depths[static_cast<std::size_t>(along)];
      if (deep < inward) edge.at<std::uint8_t>(At(side, along, deep, misfit.size())) = 255;
    }
  }
  return edge;
}

/// Box around a mask's pixels, one pixel larger where there is room.
cv::Rect BoxAround(const cv::Mat& mask) {
  const cv::Rect tight = cv::boundingRect(mask);
  return cv::Rect(tight.x - 1, tight.y - 1, tight.width + 2, tight.height + 2) &
         cv::Rect({0, 0}, mask.size());
}

/// The outermost pixels from which a mask reaches `depth` straight inwards.
cv::Mat DeepMouths(const cv::Mat& mask, const cv::Mat& misfit, int depth) {
  cv::Mat mouths(mask.size(), CV_8U, cv::Scalar(0));
  for (const Side side : kSides) {
    const int inward = DepthOf(side, mask.size());
    const std::vector<int> before = RunsFrom(side, misfit, inward);
    const std::vector<int> until = RunsFrom(side, mask | misfit, inward);
    for (std::size_t along = 0; along < until.size(); ++along) {
      if (until[along] - before[along] < depth) continue;
      mouths.at<std::uint8_t>(At(side, static_cast<int>(along), before[along], mask.size())) = 255;
    }
  }
  return mouths;
}

/// Cuts off what is wider than the gap's opening at the outline: artwork of the surroundings'
/// colour behind a tear, or behind a thin dark line along the outline. A tear or a missing piece is
/// widest at the outline.
cv::Mat WithinMouth(const cv::Mat& seed, const cv::Mat& misfit, double widening, int mouth_depth) {
  cv::Mat kept(seed.size(), CV_8U, cv::Scalar(0));
  const Components components = FindComponents(seed, 8);
  const cv::Mat edge = OutermostPixels(misfit);
  const cv::Mat mouths = DeepMouths(seed, misfit, mouth_depth);
  for (int i = 1; i < components.count; ++i) {
    const cv::Mat whole = components.labels == i;
    const cv::Rect box = BoxAround(whole);
    cv::Mat part = whole(box).clone();
    const double mouth = cv::countNonZero(part & mouths(box));
    const double radius = mouth / 2 + 1 + widening;
    const cv::Mat core = InnerDistance(part) > radius;
    if (cv::countNonZero(core) > 0) {
      cv::Mat from_core;
      cv::distanceTransform(Outside(core), from_core, cv::DIST_L2, 5);
      part &= from_core > radius + 2;
      part = ComponentsTouching(part, edge(box), 8);
    }
    kept(box) |= part;
  }
  return kept;
}

/// Gaps that go around a part of the object, together with its sides: what is cut off would have
/// fallen out. They are contours, printed in the surroundings' colour.
cv::Mat ContoursAmong(const cv::Mat& gaps, const OutlineParams& params) {
  const Components components = FindComponents(gaps, 8);
  std::vector<bool> around(static_cast<std::size_t>(components.count));
  for (int i = 1; i < components.count; ++i) {
    const cv::Mat gap = components.labels == i;
    const std::vector<int> parts = FindComponents(Outside(gap), 4).CountIn(Outside(gap));
    const int all = std::accumulate(parts.begin(), parts.end(), 0);
    const int cut_off = all - *std::ranges::max_element(parts);
    around[static_cast<std::size_t>(i)] =
        cut_off > params.max_cut_off_share * cv::countNonZero(gap);
  }
  return components.Select(around);
}

/// Gaps that reach deep enough to be damage, not blur.
cv::Mat DeepGaps(const cv::Mat& gap, const cv::Mat& misfit, const OutlineParams& params) {
  cv::Mat deep;
  cv::erode(Outside(misfit), deep, Square(params.seed_depth_px), {-1, -1}, 1, cv::BORDER_CONSTANT,
            cv::Scalar(0));
  const Components components = FindComponents(gap, 8);
  std::vector<bool> enough;
  for (const int pixels : components.CountIn(deep))
    enough.push_back(pixels >= params.min_seed_pixels);
  return components.Select(enough);
}

/// Gaps that are damage for certain.
cv::Mat Seeds(const cv::Mat& gap, const cv::Mat& misfit, double scale,
              const OutlineParams& params) {
  const cv::Mat within = WithinMouth(DeepGaps(gap, misfit, params), misfit,
                                     params.mouth_widening_px * scale, params.mouth_depth_px);
  return DeepGaps(within, misfit, params);
}

/// Gaps with what lies between them and the sides of the quadrilateral: they begin there.
cv::Mat FromSides(const cv::Mat& gaps, const cv::Mat& misfit) {
  cv::Mat whole = gaps.clone();
  for (const Side side : kSides) {
    const int inward = DepthOf(side, gaps.size());
    const std::vector<int> before = RunsFrom(side, misfit, inward);
    for (int along = 0; along < static_cast<int>(before.size()); ++along) {
      const int begin = before[static_cast<std::size_t>(along)];
      if (begin >= inward || gaps.at<std::uint8_t>(At(side, along, begin, gaps.size())) == 0) {
        continue;
      }
      for (int deep = 0; deep < begin; ++deep) {
        whole.at<std::uint8_t>(At(side, along, deep, gaps.size())) = 255;
      }
    }
  }
  return whole;
}

/// Grows gaps through what looks less exactly like the surroundings: the laxest growth that does
/// not leak into the artwork.
cv::Mat Grow(const cv::Mat& seed, const cv::Mat& distance, const cv::Mat& shape,
             const cv::Mat& misfit, double scale, const OutlineParams& params) {
  cv::Mat damage = seed.clone();
  if (cv::countNonZero(seed) == 0) return damage;
  const cv::Mat seed_depth = InnerDistance(seed);
  const cv::Mat edge = OutermostPixels(misfit);
  const double widening = params.max_widening_px * scale;
  for (const float limit :
       {params.tight_growth_distance, params.growth_distance, params.lax_growth_distance}) {
    const cv::Mat like = ((distance < limit) | seed) & Outside(shape);
    const Components components = FindComponents(like, 8);
    const std::vector<int> seeds = components.CountIn(seed);
    const std::vector<float> grown = components.MaxOf(InnerDistance(like));
    const std::vector<float> before = components.MaxOf(seed_depth);
    const std::vector<int> mouths = components.CountIn(edge);
    const std::vector<int> mouths_before = components.CountIn(edge & seed);
    const std::vector<int> pixels = components.CountIn(like);
    std::vector<bool> keep(seeds.size());
    for (std::size_t i = 1; i < seeds.size(); ++i) {
      keep[i] = seeds[i] > 0 && grown[i] <= before[i] + widening &&
                pixels[i] <= params.max_growth * seeds[i] &&
                mouths[i] <= mouths_before[i] + params.max_mouth_growth_px * scale;
    }
    damage |= components.Select(keep);
  }
  return damage;
}

/// Cuts off thin branches that run along a side, behind a part of the object that is there, and do
/// not come out: the blur of a printed border, which has the surroundings' colour. What goes deeper
/// than a gap's body is its tip.
cv::Mat WithoutBranches(const cv::Mat& damage, const cv::Mat& misfit, const OutlineParams& params) {
  cv::Mat kept(damage.size(), CV_8U, cv::Scalar(0));
  const Components components = FindComponents(damage, 8);
  if (components.count < 2) return kept;
  cv::Mat deep;
  cv::distanceTransform(Outside(OutermostPixels(misfit)), deep, cv::DIST_L2, 5);
  for (int i = 1; i < components.count; ++i) {
    const cv::Mat all = components.labels == i;
    const cv::Rect box = BoxAround(all);
    const cv::Mat whole = all(box);
    const cv::Mat inner = InnerDistance(whole);
    double radius = 0;  // half the width
    cv::minMaxLoc(inner, nullptr, &radius);
    const double thin = params.branch_width_share * radius;
    const cv::Mat body = inner > thin;
    cv::Mat from_body;
    cv::distanceTransform(Outside(body), from_body, cv::DIST_L2, 5);
    double deepest = 0;
    cv::minMaxLoc(deep(box), nullptr, &deepest, nullptr, nullptr, body);
    const Components branches = FindComponents(whole & (from_body > thin + 1), 8);
    const std::vector<float> depths = branches.MaxOf(deep(box));
    const std::vector<float> reaches = branches.MaxOf(from_body);
    // As near to the outline as that a branch comes out.
    const std::vector<int> outside = branches.CountIn(deep(box) <= params.mouth_depth_px);
    std::vector<bool> cut(depths.size());
    for (std::size_t k = 1; k < cut.size(); ++k) {
      cut[k] = reaches[k] > radius && depths[k] <= deepest && outside[k] == 0;
    }
    kept(box) |= whole & Outside(branches.Select(cut));
  }
  return kept;
}

/// The gaps that begin at the object's rim: what was behind a branch that is cut off is print.
cv::Mat FromOutside(const cv::Mat& gaps, const cv::Mat& misfit, const cv::Mat& shape) {
  cv::Mat rim;
  cv::dilate(shape, rim, Square(1));
  return ComponentsTouching(gaps, rim | OutermostPixels(misfit), 8);
}

/// The gaps that are damage by their hue and shape, as large as they are.
cv::Mat GrownGaps(const cv::Mat& gap, const Background& around, const cv::Mat& shape,
                  const cv::Mat& misfit, double scale, const OutlineParams& params) {
  cv::Mat seed = Seeds(gap & Outside(shape), misfit, scale, params);
  seed &= Outside(GapsOfOtherHue(seed, around, scale, params.gap_chroma));
  const cv::Mat distance = around.distance(ObjectIn(around.distance.size()));
  cv::Mat grown = Grow(seed, distance, shape, misfit, scale, params);
  grown = FromSides(WithoutBranches(grown, misfit, params), misfit);
  grown = FromOutside(grown, misfit, shape);
  // A small seed has no middle that tells its hue.
  grown &= Outside(GapsOfOtherHue(grown, around, scale, params.gap_chroma));
  grown &= Outside(PrintedLinesAmong(grown, params.tears));
  return grown & Outside(ContoursAmong(grown, params));
}

std::array<cv::Mat, 3> InObject(const std::array<cv::Mat, 3>& channels, const cv::Rect& object) {
  return {channels[0](object), channels[1](object), channels[2](object)};
}

Outline Find(const cv::Mat& colour, const OutlineParams& params) {
  const cv::Rect object = ObjectIn(colour.size());
  const double scale = ObjectScale({object.width, object.height});
  const Background around = CompareWithBackground(colour, scale, params.background);
  cv::Mat like = LikeBackground(around.distance, object, scale, params);
  cv::morphologyEx(like, like, cv::MORPH_OPEN, cv::Mat());
  like |= around.ring;
  cv::Mat gap = ComponentsTouching(like, around.ring, 4)(object);
  like(object).setTo(0, BehindVisibleEdge(around.lab, gap, params.edge));
  gap = ComponentsTouching(like, around.ring, 4)(object);
  const cv::Mat corners = CommonCorners(gap, scale, params);
  const cv::Mat misfit = Misfit(gap & Outside(corners));
  const cv::Mat shape = corners | misfit;
  cv::Mat damage = GrownGaps(gap, around, shape, misfit, scale, params);
  cv::Mat torn = FindTornPaper(colour(object), scale, params.torn_paper) & Outside(shape);
  damage |= torn;
  // Where a tear goes on, its torn edges count as gap, and print lies beside them.
  damage &= Outside(
      GapsWithoutEdge(damage & Outside(misfit), InObject(around.lab, object), params.gap_edges));
  damage |= ContinueTears(colour(object), damage, scale, params.tears) & Outside(shape);
  damage &= Outside(misfit);
  const cv::Mat body = Outside(damage | shape);
  cv::Mat covered = FindCoveredRim(around, scale, params.covered);
  damage &= Outside(ComponentsTouching(damage, covered, 8));
  cv::dilate(damage, damage, Disc(params.dilation_px));
  if (cv::countNonZero(covered) > 0) {
    cv::dilate(covered, covered, Disc(static_cast<int>(params.covered.margin_px * scale)));
  }
  torn &= damage;
  return {.damage = AsPlane(damage),
          .torn = AsPlane(torn),
          .covered = AsPlane(covered),
          .body = AsPlane(body),
          .shape = AsPlane(shape)};
}

}  // namespace

double ObjectScale(Size size) { return std::sqrt(static_cast<double>(size.area())) / 782; }

absl::StatusOr<Outline> FindOutline(const Plane& colour, const OutlineParams& params) {
  GLINT_RETURN_IF_ERROR(CheckPlane("outline: colour", colour, PixelType::kU8x3, {},
                                   kMinSide + 2 * kBackgroundMargin));
  Outline outline;
  GLINT_RETURN_IF_ERROR(HostCall("outline", [&] { outline = Find(AsMat(colour), params); }));
  return outline;
}

}  // namespace glint::photometric
