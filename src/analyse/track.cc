// SPDX-License-Identifier: Apache-2.0
#include "analyse/track.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <vector>

#include "analyse/frame_selection.h"
#include "analyse/quadrilateral.h"
#include "analyse/rectify.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/status_macros.h"

namespace glint {
namespace {

using Motion = AlignmentMotion;

/// Sizes at which a view is laid onto the reference: the coarsest is an eighth of the whole.
constexpr std::size_t kLevels = 4;

/// Steps per level, from the finest to the coarsest: coarse ones may be far off, and see little.
const std::array<std::vector<Motion>, kLevels> kSteps = {{
    {Motion::kHomography, Motion::kHomography, Motion::kHomography},
    {Motion::kHomography},
    {Motion::kAffine, Motion::kHomography},
    {Motion::kTranslation, Motion::kTranslation, Motion::kAffine},
}};

/// The frame at full, half, quarter and eighth size; pixel i of each is pixel 2i of the one before.
std::vector<Plane> Pyramid(const Plane& luma, std::size_t levels) {
  std::vector<Plane> pyramid = {luma};
  while (pyramid.size() < levels) {
    cv::Mat half;
    cv::pyrDown(AsMat(pyramid.back()), half);
    pyramid.push_back(AsPlane(half));
  }
  return pyramid;
}

/// The map between planes that are 2^level times smaller.
Homography AtLevel(const Homography& h, std::size_t level) {
  const double s = static_cast<double>(1 << level);
  return {h[0], h[1], h[2] / s, h[3], h[4], h[5] / s, h[6] * s, h[7] * s, h[8]};
}

Homography FromLevel(const Homography& h, std::size_t level) {
  const double s = static_cast<double>(1 << level);
  return {h[0], h[1], h[2] * s, h[3], h[4], h[5] * s, h[6] / s, h[7] / s, h[8]};
}

/// Where the object is believed to lie in a frame.
struct Believed {
  Quadrilateral corners{};
  bool seen = false;    ///< in that very frame
  double moved_px = 0;  ///< else between the two searched frames around it
};

/// In a searched frame, as it was seen there; between two of them, in between.
/// @param outlines  in order of time
std::optional<Believed> WhereBelieved(const std::vector<ViewOutline>& outlines,
                                      std::int64_t frame) {
  const auto after = std::ranges::lower_bound(outlines, frame, {}, &ViewOutline::frame);
  if (after == outlines.end()) return std::nullopt;
  if (after->frame == frame) return Believed{.corners = after->corners, .seen = true};
  if (after == outlines.begin()) return std::nullopt;
  const ViewOutline& from = *std::prev(after);
  const double share =
      static_cast<double>(frame - from.frame) / static_cast<double>(after->frame - from.frame);
  Believed between{.moved_px = CornerDistance(from.corners, after->corners)};
  for (std::size_t i = 0; i < 4; ++i) {
    between.corners[i] = from.corners[i] + (after->corners[i] - from.corners[i]) * share;
  }
  return between;
}

class Tracker {
 public:
  Tracker(const VideoFrame& reference, const LocatedObject& object, StageSet& stages,
          ThreadPool& pool, const TrackingParams& params, const KnownMotion& known)
      : reference_(reference),
        object_(object),
        frame_from_object_(FrameFromObject(object.corners, object.size)),
        stages_(stages),
        pool_(pool),
        params_(params),
        known_(known) {}

  absl::Status Prepare() {
    const std::vector<Plane> pyramid = Pyramid(reference_.luma, kLevels);
    for (std::size_t level = 0; level < kLevels; ++level) {
      const Size size = SizeAt(level);
      if (level > 0 && std::min(size.width, size.height) < params_.fit.min_side_px) break;
      GLINT_ASSIGN_OR_RETURN(auto rectified, RectifyAt(pyramid[level], frame_from_object_, level));
      targets_.emplace_back(rectified, params_.fit.alignment);
    }
    return absl::OkStatus();
  }

  /// The place of one view; `guess` becomes that of the next one.
  absl::StatusOr<RegisteredView> Find(const VideoFrame& frame, Homography& guess) {
    RegisteredView view;
    if (frame.index == reference_.index) {
      view.frame_from_object = frame_from_object_;
      view.registered = true;
      view.coverage = Coverage(frame.luma.size(), frame_from_object_, object_.size);
      return view;
    }
    const std::vector<Plane> pyramid = Pyramid(frame.luma, targets_.size());
    GLINT_ASSIGN_OR_RETURN(auto found, Follow(pyramid, guess, targets_.size()));
    if (!found) {
      GLINT_ASSIGN_OR_RETURN(found, FindAgain(frame, pyramid, view.why_dropped));
    }
    if (!found) return view;
    view = *found;
    CheckCoverage(frame.luma.size(), object_.size, params_.min_coverage, view);
    if (view.registered) guess = view.frame_from_object;
    return view;
  }

  const Homography& frame_from_object() const { return frame_from_object_; }

 private:
  /// A view that its neighbour in time did not lead to. @param why_dropped  set when it is lost
  absl::StatusOr<std::optional<RegisteredView>> FindAgain(const VideoFrame& frame,
                                                          const std::vector<Plane>& pyramid,
                                                          std::string& why_dropped) {
    std::optional<RegisteredView> found;
    const auto start = ByFeatures(frame);
    if (start) {
      GLINT_ASSIGN_OR_RETURN(found, Follow(pyramid, *start, params_.levels_after_features));
    }
    if (found) return found;
    why_dropped = start ? "it does not look like the reference frame"
                        : "too few features match the reference frame";
    const auto believed = WhereBelieved(known_.outlines, frame.index);
    if (!believed) return found;
    if (believed->seen) {
      GLINT_ASSIGN_OR_RETURN(
          found,
          Follow(pyramid, FrameFromObject(believed->corners, object_.size), targets_.size()));
    }
    if (!found && known_.plain) found = BySides(frame, *believed);
    return found;
  }

  /// A view of an object without print, by its four sides alone.
  std::optional<RegisteredView> BySides(const VideoFrame& frame, const Believed& about) const {
    const double reach = params_.sides_reach_px + params_.between_share * about.moved_px;
    const RefinedOutline sides =
        RefineOutline(frame.picture->ToRgb(), about.corners, reach, params_.sides);
    if (*std::ranges::min_element(sides.support) < params_.min_side_support) return std::nullopt;
    // The object's corners lie where pixel (0, 0) does, half a pixel inside its edges.
    const Homography from_edges = FrameFromObject(sides.corners, object_.size);
    return RegisteredView{.frame_from_object =
                              Compose(from_edges, {1, 0, 0.5, 0, 1, 0.5, 0, 0, 1})};
  }

  Size SizeAt(std::size_t level) const {
    return {std::max(object_.size.width >> level, 1), std::max(object_.size.height >> level, 1)};
  }

  absl::StatusOr<Plane> RectifyAt(const Plane& luma, const Homography& frame_from_object,
                                  std::size_t level) {
    GLINT_ASSIGN_OR_RETURN(const Plane rectified, Rectify(luma, AtLevel(frame_from_object, level),
                                                          SizeAt(level), stages_));
    return stages_.backend->Download(rectified);
  }

  /// Mean distance by which a map moves the corners of the object.
  double CornerShift(const Homography& h) const {
    const double w = object_.size.width;
    const double t = object_.size.height;
    const Quadrilateral corners = {{{0, 0}, {w, 0}, {w, t}, {0, t}}};
    return CornerDistance(Map(h, corners), corners);
  }

  /// Aligns the view from the coarsest of so many levels on; nothing when it cannot be recognised.
  absl::StatusOr<std::optional<RegisteredView>> Follow(const std::vector<Plane>& pyramid,
                                                       const Homography& start,
                                                       std::size_t levels) {
    RegisteredView view{.frame_from_object = start};
    for (std::size_t level = std::min(levels, targets_.size()); level-- > 0;) {
      for (const Motion motion : kSteps[level]) {
        GLINT_ASSIGN_OR_RETURN(const auto rectified,
                               RectifyAt(pyramid[level], view.frame_from_object, level));
        const auto aligned =
            targets_[level].Align(rectified, AtLevel(view.frame_from_object, level),
                                  pyramid[level].size(), motion, pool_);
        if (!aligned) return std::nullopt;
        const Homography correction = FromLevel(aligned->correction, level);
        view.frame_from_object = Compose(view.frame_from_object, correction);
        view.residual_px = aligned->residual_px;
        if (level > 0) continue;
        if (aligned->agreeing < params_.fit.min_recognised) return std::nullopt;
        if (CornerShift(correction) < params_.fit.settled_px) break;
      }
    }
    if (!(view.residual_px <= params_.fit.max_residual_px)) return std::nullopt;
    return view;
  }

  std::optional<Homography> ByFeatures(const VideoFrame& frame) {
    if (!features_) features_ = FindFeatures(reference_.luma, params_.fit.features);
    const Features features = FindFeatures(frame.luma, params_.fit.features);
    const auto matched =
        FitMatches(MatchFeatures(*features_, features), &object_.corners, params_.fit.matches);
    if (!matched) return std::nullopt;
    return Compose(*matched, frame_from_object_);
  }

  const VideoFrame& reference_;
  const LocatedObject& object_;
  Homography frame_from_object_;
  StageSet& stages_;
  ThreadPool& pool_;
  const TrackingParams& params_;
  const KnownMotion& known_;
  std::vector<AlignmentTarget> targets_;  // from the finest level on
  std::optional<Features> features_;
};

absl::Status TrackAll(std::span<const VideoFrame> views, Tracker& tracker, std::int64_t reference,
                      const CancelToken& cancel, const ViewSink& take) {
  absl::Status status = tracker.Prepare();
  const auto first_after = std::ranges::lower_bound(views, reference, {}, &VideoFrame::index);
  const auto middle = static_cast<std::size_t>(first_after - views.begin());
  Homography guess = tracker.frame_from_object();
  const auto track = [&](std::size_t index) {
    if (status = cancel.Check(); !status.ok()) return;
    VideoFrame frame = views[index];
    RestoreLuma(frame);
    const auto view = tracker.Find(frame, guess);
    status = view.ok() ? take(index, frame, *view) : view.status();
  };
  for (std::size_t i = middle; i < views.size() && status.ok(); ++i) track(i);
  guess = tracker.frame_from_object();
  for (std::size_t i = middle; i-- > 0 && status.ok();) track(i);
  return status;
}

}  // namespace

absl::Status TrackViews(std::span<const VideoFrame> views, const VideoFrame& reference,
                        const LocatedObject& object, StageSet& stages, ThreadPool& pool,
                        const CancelToken& cancel, const ViewSink& take,
                        const TrackingParams& params, const KnownMotion& known) {
  absl::Status status;
  const absl::Status called = HostCall("register", [&] {
    Tracker tracker(reference, object, stages, pool, params, known);
    status = TrackAll(views, tracker, reference.index, cancel, take);
  });
  return called.ok() ? status : called;
}

}  // namespace glint
