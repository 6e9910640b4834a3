// SPDX-License-Identifier: Apache-2.0
#include "analyse/reference/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/photometric/pixels/masks.h"
#include "analyse/reference/changed_areas.h"
#include "analyse/reference/colour_model.h"
#include "analyse/reference/copy_registration.h"
#include "analyse/reference/fields.h"
#include "analyse/reference/highlights.h"
#include "analyse/reference/print_matching.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/shared/check_plane.h"

namespace glint {
namespace {

using reference::Field;

constexpr double kDefaultSide = 782;  // px of the object that lengths are given for
constexpr float kPerGrey = 64;        // of Comparison::paler

/// Values in 1/unit, rounded; those beyond the type saturate.
template <class T>
Plane Quantised(const Field& field, float unit, PixelType type, ThreadPool& pool) {
  Plane out = Plane::Host({field.cols, field.rows}, type);
  constexpr double kMax = std::is_same_v<T, std::int16_t> ? 32767 : 1 << 30;
  ForRows(pool, field.rows, [&](Rows rows) {
    for (int y = rows.begin; y < rows.end; ++y) {
      T* row = out.Row<T>(y);
      for (int x = 0; x < field.cols; ++x) {
        const double value = double{field[y][x]} * unit;
        row[x] = static_cast<T>(std::lround(std::clamp(value, -kMax, kMax)));
      }
    }
  });
  return out;
}

/// The changed areas of which less than half lies under a highlight of the copy, without that part.
cv::Mat WithoutGlare(const cv::Mat& changed, const cv::Mat& highlights) {
  const photometric::Components pieces = photometric::FindComponents(changed, 8);
  const std::vector<int> all = pieces.CountIn(changed), under = pieces.CountIn(highlights);
  std::vector<bool> keep;
  for (std::size_t i = 0; i < all.size(); ++i) keep.push_back(2 * under[i] < all[i]);
  return pieces.Select(keep) & ~highlights;
}

class Comparer {
 public:
  Comparer(const Plane& object, const Plane& where, const GoodCopy& copy, StageSet& stages,
           ThreadPool& pool, const ReferenceParams& params)
      : object_(object),
        where_(where),
        copy_(copy),
        stages_(stages),
        pool_(pool),
        params_(params),
        scale_(std::sqrt(static_cast<double>(object.size().area())) / kDefaultSide) {}

  absl::Status RegisterAndWarp() {
    GLINT_ASSIGN_OR_RETURN(auto registered, reference::RegisterCopy(object_, copy_.picture, stages_,
                                                                    pool_, params_.registration));
    if (!registered) return WrongObject();
    const Homography& map = registered->picture_from_object;
    GLINT_ASSIGN_OR_RETURN(const Plane warped,
                           Rectify(registered->picture, map, object_.size(), stages_));
    GLINT_ASSIGN_OR_RETURN(result_.picture, stages_.backend->Download(warped));
    GLINT_ASSIGN_OR_RETURN(
        const Plane shown,
        Validity(registered->picture.size(), map, object_.size(), stages_, params_.rectification));
    GLINT_ASSIGN_OR_RETURN(shown_, stages_.backend->Download(shown));
    if (copy_.damage.empty()) return absl::OkStatus();
    return WarpDamage(map, registered->picture.size());
  }

  absl::Status Compare() {
    Plane both = Plane::Host(object_.size(), PixelType::kU8);
    AsMat(both).setTo(0);
    cv::bitwise_and(AsMat(where_), AsMat(shown_), AsMat(both));
    const int rim = std::max(1, static_cast<int>(std::lround(params_.rim_px * scale_)));
    cv::Mat inside;
    cv::erode(AsMat(both), inside, photometric::Disc(rim), {-1, -1}, 1, cv::BORDER_CONSTANT,
              cv::Scalar(0));
    both = AsPlane(inside);
    const auto match =
        reference::MatchPrints(object_, result_.picture, both, scale_, pool_, params_.print);
    if (cv::countNonZero(match.compared) <
        params_.min_compared * static_cast<double>(both.size().area()))
      return WrongObject();
    const auto change = reference::FindColourChange(object_, result_.picture, match, scale_, pool_,
                                                    params_.colours);
    const cv::Mat highlights = reference::FindHighlights(object_, result_.picture, both, scale_,
                                                         pool_, params_.highlights);
    const cv::Mat changed =
        reference::FindChangedAreas(change, match, scale_, pool_, params_.areas);
    result_.changed = AsPlane(WithoutGlare(changed, highlights));
    result_.compared = AsPlane(match.compared & ~highlights);
    result_.strength =
        Quantised<std::int32_t>(change.strength, kStrengthUnit, PixelType::kS32, pool_);
    result_.paler = Quantised<std::int16_t>(change.paler, kPerGrey, PixelType::kS16, pool_);
    return absl::OkStatus();
  }

  Comparison Result() && { return std::move(result_); }

 private:
  static absl::Status WrongObject() {
    return Error(Reason::kInvalidOption,
                 "the reference does not show the object of this video: too little of the print is "
                 "found in it; give a picture of the same print, or leave --reference out");
  }

  /// What the earlier scan marked, in the object's coordinates.
  absl::Status WarpDamage(const Homography& map, Size warped) {
    // The picture may have been made smaller; what it shows is the same.
    const double sx = static_cast<double>(copy_.damage.width()) / warped.width;
    const double sy = static_cast<double>(copy_.damage.height()) / warped.height;
    Homography from_object = map;
    for (std::size_t i = 0; i < 3; ++i) {
      from_object[i] *= sx;
      from_object[i + 3] *= sy;
    }
    GLINT_ASSIGN_OR_RETURN(Plane damage, stages_.backend->Upload(copy_.damage));
    GLINT_ASSIGN_OR_RETURN(
        damage, stages_.warp->Run(damage, from_object, object_.size(), Interpolation::kNearest, 0));
    GLINT_ASSIGN_OR_RETURN(damage, stages_.backend->Download(damage));
    cv::Mat known;
    const int margin = std::max(1, static_cast<int>(std::lround(params_.known_margin_px * scale_)));
    cv::dilate(AsMat(damage), known, photometric::Disc(margin));
    result_.known = AsPlane(known);
    return absl::OkStatus();
  }

  const Plane& object_;
  const Plane& where_;
  const GoodCopy& copy_;
  StageSet& stages_;
  ThreadPool& pool_;
  const ReferenceParams& params_;
  double scale_;
  Plane shown_;  // where the copy shows the object
  Comparison result_;
};

absl::Status Check(const Plane& object, const Plane& where, const GoodCopy& copy) {
  absl::Status status = CheckPlane("reference: object", object, PixelType::kU8x3, {});
  status.Update(CheckPlane("reference: where", where, PixelType::kU8, {}));
  status.Update(CheckPlane("reference: picture", copy.picture, PixelType::kU8x3, {}));
  if (!copy.damage.empty()) {
    status.Update(CheckPlane("reference: damage", copy.damage, PixelType::kU8, {}));
  }
  if (!status.ok()) return status;
  const bool fit = object.size() == where.size() &&
                   (copy.damage.empty() || copy.damage.size() == copy.picture.size());
  return fit ? absl::OkStatus()
             : Error(Reason::kInternal, "reference: pictures of different sizes were given");
}

}  // namespace

absl::StatusOr<Comparison> CompareWithCopy(const Plane& object, const Plane& where,
                                           const GoodCopy& copy, StageSet& stages, ThreadPool& pool,
                                           const CancelToken& cancel,
                                           const ReferenceParams& params) {
  GLINT_RETURN_IF_ERROR(Check(object, where, copy));
  Comparer comparer(object, where, copy, stages, pool, params);
  for (const auto step : {&Comparer::RegisterAndWarp, &Comparer::Compare}) {
    GLINT_RETURN_IF_ERROR(cancel.Check());
    absl::Status status;
    GLINT_RETURN_IF_ERROR(HostCall("reference", [&] { status = (comparer.*step)(); }));
    GLINT_RETURN_IF_ERROR(status);
  }
  return std::move(comparer).Result();
}

}  // namespace glint
