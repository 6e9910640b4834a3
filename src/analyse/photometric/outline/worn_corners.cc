// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/worn_corners.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "analyse/photometric/outline/background.h"
#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/pixels/masks.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/median.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/shared/check_plane.h"

namespace glint::photometric {
namespace {

/// Colour of most of the rim.
struct RimColour {
  std::array<double, 3> middle{};
  double spread = 0;  ///< largest of the three channels
};

std::optional<RimColour> ReferenceColour(const std::array<std::vector<int>, 3>& values,
                                         const WornCornerParams& params) {
  if (std::ssize(values[0]) < params.min_reference_pixels) return std::nullopt;
  RimColour reference;
  for (std::size_t c = 0; c < 3; ++c) {
    reference.middle[c] = Median(values[c]);
    std::vector<int> doubled;  // medians of 8-bit values are halves
    for (const int value : values[c]) {
      doubled.push_back(static_cast<int>(std::abs(2 * value - 2 * reference.middle[c])));
    }
    reference.spread =
        std::max(reference.spread, kDeviationsPerMad * Median(std::move(doubled)) / 2);
  }
  if (reference.spread > params.max_spread_lab) return std::nullopt;
  return reference;
}

bool IsPale(const cv::Vec3b& lab, const RimColour& reference, const WornCornerParams& params) {
  double square = 0;
  for (int c = 0; c < 3; ++c) {
    const double off = lab[c] - reference.middle[static_cast<std::size_t>(c)];
    square += off * off;
  }
  const double limit =
      std::max(params.min_difference_lab, params.min_difference_spreads * reference.spread);
  return lab[0] > reference.middle[0] && square > limit * limit;
}

/// How far a corner's rim is looked at: along both sides, and inwards from the outline.
struct RimReach {
  int side_px = 0;
  float depth_px = 0;
};

/// The rim of an object near one of its corners.
class CornerRim {
 public:
  CornerRim(const cv::Mat& lab, const cv::Mat& depth, double scale, const WornCornerParams& params)
      : params_(params),
        lab_(lab),
        depth_(depth),
        corner_(ReachOf(params.corner_px * scale, params.rim_depth_px * scale)),
        followed_(ReachOf(corner_.side_px * params.followed, corner_.depth_px * params.followed)),
        compared_(std::min({static_cast<int>(params.compared_px * scale), lab.cols, lab.rows})) {}

  /// Marks what is pale at the corner. @param followed  marks that, and where it goes on
  void Mark(bool right, bool bottom, cv::Mat& mask, cv::Mat& followed) const {
    std::array<std::vector<int>, 3> values;
    Visit(right, bottom, [&](cv::Point at, cv::Point from_corner) {
      const float depth = depth_.at<float>(at);
      if (depth < params_.reference_start_px || depth > corner_.depth_px) return;
      if (Within(from_corner, corner_)) return;
      const auto& pixel = lab_.at<cv::Vec3b>(at);
      for (int c = 0; c < 3; ++c) values[static_cast<std::size_t>(c)].push_back(pixel[c]);
    });
    const auto reference = ReferenceColour(values, params_);
    if (!reference) return;
    Visit(right, bottom, [&](cv::Point at, cv::Point from_corner) {
      if (depth_.at<float>(at) > followed_.depth_px || !Within(from_corner, followed_)) return;
      if (!IsPale(lab_.at<cv::Vec3b>(at), *reference, params_)) return;
      followed.at<std::uint8_t>(at) = 255;
      if (depth_.at<float>(at) > corner_.depth_px || !Within(from_corner, corner_)) return;
      mask.at<std::uint8_t>(at) = 255;
    });
  }

 private:
  static RimReach ReachOf(double side_px, double depth_px) {
    return {.side_px = static_cast<int>(side_px),
            .depth_px = static_cast<float>(static_cast<int>(depth_px))};
  }

  static bool Within(cv::Point from_corner, const RimReach& reach) {
    return from_corner.x < reach.side_px && from_corner.y < reach.side_px;
  }

  /// @param work  of a pixel, and how far it lies from the corner along either side
  template <class Work>
  void Visit(bool right, bool bottom, Work work) const {
    for (int y = 0; y < compared_; ++y) {
      for (int x = 0; x < compared_; ++x) {
        const cv::Point at(right ? lab_.cols - 1 - x : x, bottom ? lab_.rows - 1 - y : y);
        if (depth_.at<float>(at) >= params_.rim_start_px) work(at, {x, y});
      }
    }
  }

  const WornCornerParams& params_;
  const cv::Mat& lab_;
  const cv::Mat& depth_;
  RimReach corner_, followed_;
  int compared_;
};

/// What does not go on beyond the corners. @param followed  all that is pale, and where it goes on
cv::Mat EndsAtCorner(const cv::Mat& pale, const cv::Mat& followed, const WornCornerParams& params) {
  const Components all = FindComponents(followed, 8);
  const std::vector<int> whole = all.CountIn(followed);
  const std::vector<int> at_corner = all.CountIn(pale);
  std::vector<bool> ends(whole.size());
  for (std::size_t i = 1; i < whole.size(); ++i) {
    ends[i] = at_corner[i] >= params.min_corner_share * whole[i];
  }
  return pale & all.Select(ends);
}

/// Whether a part of the object looks like the table nearest to it: a corner that is cut round.
/// @param lab  CV_8UC3 with surroundings; @param part  CV_8U, of the object
bool IsTable(const cv::Mat& lab, const cv::Mat& part, const WornCornerParams& params) {
  const cv::Rect object = ObjectIn(lab.size());
  const cv::Rect box = cv::boundingRect(part) + object.tl();
  const int reach = kBackgroundMargin;
  const cv::Rect near =
      cv::Rect(box.x - reach, box.y - reach, box.width + 2 * reach, box.height + 2 * reach) &
      cv::Rect({0, 0}, lab.size());
  cv::Mat outside(lab.size(), CV_8U, cv::Scalar(0));
  outside(near).setTo(255);
  const int beside = params.table_px;
  outside(cv::Rect(object.x - beside, object.y - beside, object.width + 2 * beside,
                   object.height + 2 * beside))
      .setTo(0);
  if (cv::countNonZero(outside) == 0) return false;
  cv::Scalar step = cv::mean(lab(object), part) - cv::mean(lab, outside);
  step[0] = std::max(step[0], 0.0);  // the object's shadow darkens the table
  return cv::norm(step) < params.min_table_step_lab;
}

/// The parts of what is pale that are worn corners.
cv::Mat WornAmong(const cv::Mat& pale, const cv::Mat& lab, const WornCornerParams& params) {
  const Components components = FindComponents(pale, 8);
  std::vector<bool> worn;
  for (const int pixels : components.CountIn(pale)) {
    const int part = static_cast<int>(worn.size());
    worn.push_back(pixels >= params.min_worn_pixels &&
                   !IsTable(lab, components.labels == part, params));
  }
  return components.Select(worn);
}

cv::Mat Find(const cv::Mat& colour, const cv::Mat& shape, const WornCornerParams& params) {
  cv::Mat lab, framed, depth;
  cv::cvtColor(colour, lab, cv::COLOR_RGB2Lab);
  const cv::Mat object = lab(ObjectIn(lab.size()));
  cv::copyMakeBorder(shape == 0, framed, 1, 1, 1, 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  cv::distanceTransform(framed, depth, cv::DIST_L2, 5);
  depth = depth(cv::Rect(1, 1, shape.cols, shape.rows));
  cv::Mat mask(shape.size(), CV_8U, cv::Scalar(0)), followed = mask.clone();
  const CornerRim rim(object, depth, ObjectScale({shape.cols, shape.rows}), params);
  for (const bool bottom : {false, true}) {
    for (const bool right : {false, true}) rim.Mark(right, bottom, mask, followed);
  }
  for (cv::Mat* pale : {&mask, &followed}) {
    cv::morphologyEx(*pale, *pale, cv::MORPH_OPEN, cv::Mat::ones(2, 2, CV_8U));
  }
  return WornAmong(EndsAtCorner(mask, followed, params), lab, params);
}

}  // namespace

absl::StatusOr<Plane> FindWornCorners(const Plane& colour, const Plane& shape,
                                      const WornCornerParams& params) {
  GLINT_RETURN_IF_ERROR(CheckPlane("worn corners: shape", shape, PixelType::kU8, {}));
  GLINT_RETURN_IF_ERROR(CheckPlane("worn corners: colour", colour, PixelType::kU8x3, {}));
  if (colour.width() != shape.width() + 2 * kBackgroundMargin ||
      colour.height() != shape.height() + 2 * kBackgroundMargin) {
    return Error(Reason::kInternal, "worn corners: the colour view has no surroundings");
  }
  Plane mask;
  GLINT_RETURN_IF_ERROR(
      HostCall("worn corners", [&] { mask = AsPlane(Find(AsMat(colour), AsMat(shape), params)); }));
  return mask;
}

}  // namespace glint::photometric
