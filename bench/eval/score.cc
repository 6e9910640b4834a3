// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

using Corners = std::array<cv::Point2f, 4>;

Corners ToFloat(const Quadrilateral& corners) {
  Corners points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = {static_cast<float>(corners[i].x), static_cast<float>(corners[i].y)};
  }
  return points;
}

Corners CornersOf(Size size) {
  const auto w = static_cast<float>(size.width);
  const auto h = static_cast<float>(size.height);
  return {cv::Point2f(0, 0), {w, 0}, {w, h}, {0, h}};
}

double Distance(cv::Point2f a, cv::Point2f b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// The smallest mean distance over the four ways to call one corner the first.
double CornerErrorPercent(const Corners& found, const Corners& truth) {
  double best = std::numeric_limits<double>::max();
  for (std::size_t first = 0; first < 4; ++first) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += Distance(found[(i + first) % 4], truth[i]);
    best = std::min(best, sum / 4);
  }
  return 100 * best / Distance(truth[0], truth[2]);
}

/// The corners in a frame that stands on its head.
Corners Turned(const Corners& corners, Size frame) {
  Corners turned;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    turned[i] = {static_cast<float>(frame.width - 1) - corners[i].x,
                 static_cast<float>(frame.height - 1) - corners[i].y};
  }
  return turned;
}

/// Where the object truly lies in a frame.
struct TruePlace {
  Corners corners;
  double error_percent = 0;  ///< of the located corners
  bool turned = false;       ///< the labels stand on their heads
};

/// Takes the labels as they stand unless they miss and fit far better when turned.
TruePlace FindTruePlace(const ScanLabels& labels, const LocatedObject& object) {
  constexpr double kMissedPercent = 0.5;  // an outline that is found is within 0.2
  constexpr double kFarBetter = 4;
  const Corners found = ToFloat(object.corners);
  const Corners said = ToFloat(labels.corners[static_cast<std::size_t>(object.reference_frame)]);
  const TruePlace upright{.corners = said, .error_percent = CornerErrorPercent(found, said)};
  if (labels.display_size == Size{} || upright.error_percent < kMissedPercent) return upright;
  TruePlace turned{.corners = Turned(said, labels.display_size), .turned = true};
  turned.error_percent = CornerErrorPercent(found, turned.corners);
  return kFarBetter * turned.error_percent < upright.error_percent ? turned : upright;
}

/// Convex and not degenerate: only then does it say how a rectangle lies.
bool IsQuadrilateral(const Corners& corners) {
  return std::all_of(corners.begin(), corners.end(),
                     [](cv::Point2f p) { return std::isfinite(p.x) && std::isfinite(p.y); }) &&
         cv::isContourConvex(corners) && cv::contourArea(corners) > 1;
}

absl::Status CheckObject(const ScanLabels& labels, const LocatedObject& object) {
  if (object.reference_frame < 0 ||
      object.reference_frame >= static_cast<std::int64_t>(labels.corners.size())) {
    return Error(Reason::kInputUnreadable,
                 fmt::format("the report's reference frame is {}, but the labels of {} know frames "
                             "0 to {}; does the report belong to this scan?",
                             object.reference_frame, labels.name,
                             static_cast<std::int64_t>(labels.corners.size()) - 1));
  }
  if (!IsQuadrilateral(ToFloat(object.corners)) || object.size.width < 1 ||
      object.size.height < 1) {
    return Error(Reason::kInputUnreadable,
                 "the report's corners are no quadrilateral or its size is empty");
  }
  return absl::OkStatus();
}

/// Carries the mask from where the scan saw the object to where it truly is.
cv::Mat ToLabels(const ScanLabels& labels, const cv::Mat& mask, const LocatedObject& object,
                 const Corners& truth) {
  const cv::Mat frame_from_mask =
      cv::getPerspectiveTransform(CornersOf(object.size).data(), ToFloat(object.corners).data());
  const cv::Mat flat_from_frame =
      cv::getPerspectiveTransform(truth.data(), CornersOf(labels.flat_size).data());
  cv::Mat resized;
  cv::resize(mask, resized, {object.size.width, object.size.height}, 0, 0, cv::INTER_NEAREST);
  cv::Mat moved;
  cv::warpPerspective(resized, moved, flat_from_frame * frame_from_mask,
                      {labels.flat_size.width, labels.flat_size.height}, cv::INTER_NEAREST);
  return moved;
}

cv::Mat Near(const cv::Mat& marks) {
  constexpr int kSide = 2 * kScoreTolerance + 1;
  cv::Mat near;
  cv::dilate(marks, near, cv::getStructuringElement(cv::MORPH_ELLIPSE, {kSide, kSide}));
  return near;
}

/// What counts neither as truth nor as a mistake.
struct LeftOut {
  std::span<const std::string> types;
  std::span<const int> unasked;  ///< ids
};

/// Pixels of the defects that a rule chooses.
template <class Rule>
cv::Mat PixelsOf(const ScanLabels& labels, const Rule& chosen) {
  cv::Mat pixels = cv::Mat::zeros(labels.flat_size.height, labels.flat_size.width, CV_8UC1);
  for (const LabelledDefect& defect : labels.defects) {
    if (chosen(defect)) pixels |= AsMat(labels.ids) == defect.id;
  }
  return pixels;
}

double Share(int part, int whole) { return static_cast<double>(part) / std::max(1, whole); }

/// @param marks  0 and 255, the labels' size
ScanScore Compare(const ScanLabels& labels, const cv::Mat& marks, const LeftOut& left_out) {
  ScanScore score;
  score.marked = Share(cv::countNonZero(marks), static_cast<int>(marks.total()));
  const cv::Mat ids = AsMat(labels.ids);
  const cv::Mat ignored = PixelsOf(labels, [&](const LabelledDefect& defect) {
    return std::ranges::count(left_out.types, defect.type) > 0;
  });
  const cv::Mat unasked = PixelsOf(labels, [&](const LabelledDefect& defect) {
    return std::ranges::count(left_out.unasked, defect.id) > 0;
  });
  const cv::Mat truth = (ids > 0) & ~ignored & ~unasked;
  const int true_pixels = cv::countNonZero(truth);
  if (true_pixels == 0) return score;

  const cv::Mat near_marks = Near(marks);
  const cv::Mat near_truth = Near(truth);
  const cv::Mat counted = marks & ~ignored & ~(Near(unasked) & ~near_truth);
  const double precision = Share(cv::countNonZero(counted & near_truth), cv::countNonZero(counted));
  const double recall = Share(cv::countNonZero(truth & near_marks), true_pixels);
  score.agreement = {precision, recall,
                     2 * precision * recall / std::max(1e-9, precision + recall)};
  for (const LabelledDefect& defect : labels.defects) {
    const cv::Mat own = ids == defect.id;
    const int pixels = cv::countNonZero(own);
    if (pixels == 0) continue;
    const double covered = Share(cv::countNonZero(own & near_marks), pixels);
    score.defects.push_back(
        {defect.id, defect.type, covered, covered >= 0.5, VisibilityOf(defect)});
  }
  return score;
}

/// Marks in the labels' coordinates, and where those place the object; nothing: they are its own.
struct Carried {
  cv::Mat marks;
  std::optional<TruePlace> truth;
};

absl::StatusOr<Carried> Carry(const ScanLabels& labels, const Plane& marks,
                              const std::optional<LocatedObject>& located) {
  Carried carried;
  if (!located) {
    cv::resize(AsMat(marks), carried.marks, {labels.flat_size.width, labels.flat_size.height}, 0, 0,
               cv::INTER_NEAREST);
    return carried;
  }
  GLINT_RETURN_IF_ERROR(CheckObject(labels, *located));
  carried.truth = FindTruePlace(labels, *located);
  carried.marks = ToLabels(labels, AsMat(marks), *located, carried.truth->corners);
  return carried;
}

absl::StatusOr<ScanScore> Score(const ScanLabels& labels, const Plane& mask,
                                const std::optional<LocatedObject>& located,
                                const LeftOut& left_out) {
  GLINT_ASSIGN_OR_RETURN(const Carried carried, Carry(labels, mask, located));
  ScanScore score = Compare(labels, carried.marks > 0, left_out);
  if (!carried.truth) return score;
  score.corner_error_percent = carried.truth->error_percent;
  score.labels_turned = carried.truth->turned;
  return score;
}

/// The result of `act`; what OpenCV throws becomes a status.
template <class Act>
auto Guarded(const Act& act) -> decltype(act()) {
  try {
    return act();
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, "no memory to compare masks");
  } catch (const cv::Exception& e) {
    return e.code == cv::Error::StsNoMem
               ? Error(Reason::kOutOfMemory, "no memory to compare masks")
               : Error(Reason::kInternal, fmt::format("cannot compare masks: {}", e.what()));
  }
}

}  // namespace

absl::StatusOr<ScanScore> ScoreMask(const ScanLabels& labels, const Plane& mask,
                                    const std::optional<LocatedObject>& located,
                                    std::span<const std::string> leave_out,
                                    std::span<const int> unasked) {
  if (mask.empty() || mask.type() != PixelType::kU8 || !mask.device().is_host()) {
    return Error(Reason::kInternal,
                 fmt::format("a mask is kU8 on the host, not {}", Describe(mask)));
  }
  return Guarded([&] { return Score(labels, mask, located, {leave_out, unasked}); });
}

absl::StatusOr<Plane> ToLabels(const ScanLabels& labels, const Plane& marks,
                               const std::optional<LocatedObject>& located) {
  return Guarded([&]() -> absl::StatusOr<Plane> {
    GLINT_ASSIGN_OR_RETURN(const Carried carried, Carry(labels, marks, located));
    return AsPlane(carried.marks);
  });
}

}  // namespace glint
