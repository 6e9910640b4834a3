// SPDX-License-Identifier: Apache-2.0
#include "analyse/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyse/homography_fit.h"
#include "analyse/quadrilateral.h"
#include "analyse/rectify.h"
#include "base/host_call.h"
#include "base/median.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "glint/error.h"

namespace glint {
namespace {

/// The rectified reference and what is needed of it for every view.
struct Reference {
  Homography frame_from_object{};
  Size size;
  Plane rectified;              // on the device
  std::vector<cv::Point> grid;  // textured object pixels
};

absl::StatusOr<std::vector<cv::Point>> TexturedPoints(const Plane& rectified, StageSet& stages,
                                                      const RegistrationParams& params) {
  const int least = 625 * params.min_texture_variance;  // DetailMaps::variance
  GLINT_ASSIGN_OR_RETURN(auto detail, stages.detail->Run(rectified));
  GLINT_ASSIGN_OR_RETURN(auto variance, stages.backend->Download(detail.variance));
  const auto area = static_cast<double>(rectified.size().area());
  const int stride = std::max(1, static_cast<int>(std::sqrt(area / params.max_points)));
  std::vector<cv::Point> points;
  for (int y = stride / 2; y < variance.height(); y += stride) {
    for (int x = stride / 2; x < variance.width(); x += stride) {
      if (variance.Row<std::int32_t>(y)[x] >= least) points.emplace_back(x, y);
    }
  }
  return points;
}

absl::StatusOr<Reference> Prepare(const VideoFrame& frame, const LocatedObject& object,
                                  StageSet& stages, const RegistrationParams& params) {
  Reference reference;
  reference.size = object.size;
  reference.frame_from_object = FrameFromObject(object.corners, object.size);
  GLINT_ASSIGN_OR_RETURN(reference.rectified,
                         Rectify(frame.luma, reference.frame_from_object, object.size, stages));
  GLINT_ASSIGN_OR_RETURN(reference.grid, TexturedPoints(reference.rectified, stages, params));
  return reference;
}

/// Where the flow carries the reference's textured points in the rectified view, those inside it.
absl::StatusOr<std::vector<Correspondence>> FlowOf(const VideoFrame& view,
                                                   const Homography& frame_from_object,
                                                   const Reference& reference, StageSet& stages,
                                                   const RegistrationParams& params) {
  GLINT_ASSIGN_OR_RETURN(auto rectified,
                         Rectify(view.luma, frame_from_object, reference.size, stages));
  GLINT_ASSIGN_OR_RETURN(auto field, stages.flow->Field(reference.rectified, rectified));
  GLINT_ASSIGN_OR_RETURN(const auto flow, stages.backend->Download(field));
  const auto in_view = [&](int x, int y) {
    const Point p = Map(frame_from_object, Point{static_cast<double>(x), static_cast<double>(y)});
    return p.x >= 0 && p.y >= 0 && p.x <= view.luma.width() - 1 && p.y <= view.luma.height() - 1;
  };
  std::vector<Correspondence> points;
  for (const cv::Point at : reference.grid) {
    if (!in_view(at.x - params.rim_px, at.y - params.rim_px) ||
        !in_view(at.x + params.rim_px, at.y - params.rim_px) ||
        !in_view(at.x - params.rim_px, at.y + params.rim_px) ||
        !in_view(at.x + params.rim_px, at.y + params.rim_px))
      continue;
    const float* v = flow.Row<float>(at.y) + std::ptrdiff_t{2} * at.x;
    const Point from{static_cast<double>(at.x), static_cast<double>(at.y)};
    points.push_back({from, from + Point{v[0], v[1]}});
  }
  return points;
}

double MedianLength(std::span<const Correspondence> points) {
  std::vector<double> lengths;
  for (const Correspondence& c : points) lengths.push_back(Distance(c.from, c.to));
  return UpperMedian(lengths);
}

/// Mean distance by which a map moves the corners of the object.
double CornerShift(const Homography& h, Size size) {
  const double w = size.width;
  const double t = size.height;
  const Quadrilateral corners = {{{0, 0}, {w, 0}, {w, t}, {0, t}}};
  return CornerDistance(Map(h, corners), corners);
}

/// Corrects the view's homography by the flow and measures what is left.
absl::Status Refine(const VideoFrame& frame, const Reference& reference, StageSet& stages,
                    const RegistrationParams& params, RegisteredView& view) {
  for (int corrections = 0;; ++corrections) {
    GLINT_ASSIGN_OR_RETURN(const auto points,
                           FlowOf(frame, view.frame_from_object, reference, stages, params));
    if (points.size() < params.min_points) {
      view.why_dropped = "the object has too little texture to register it";
      return absl::OkStatus();
    }
    view.residual_px = MedianLength(points);
    if (corrections == params.max_corrections) break;
    const auto correction = FitHomography(points, 2 * params.inlier_px);
    if (!correction) break;
    if (CornerShift(*correction, reference.size) < params.settled_px) break;
    view.frame_from_object = Compose(view.frame_from_object, *correction);
  }
  if (!(view.residual_px <= params.max_residual_px)) {
    view.why_dropped = fmt::format("{:.2f} px of motion are left after registration, over {:.2f}",
                                   view.residual_px, params.max_residual_px);
  }
  return absl::OkStatus();
}

/// Where features place each frame's object, beside the one at `reference`.
std::vector<std::optional<Homography>> PlaceByFeatures(std::span<const Features> features,
                                                       std::size_t reference,
                                                       const LocatedObject& object,
                                                       ThreadPool& pool,
                                                       const MatchParams& params) {
  const Homography frame_from_object = FrameFromObject(object.corners, object.size);
  std::vector<std::optional<Homography>> places(features.size());
  pool.ParallelFor(std::ssize(features), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    if (at == reference) return;
    const auto matched =
        FitMatches(MatchFeatures(features[reference], features[at]), &object.corners, params);
    if (matched) places[at] = Compose(*matched, frame_from_object);
  });
  return places;
}

absl::StatusOr<RegisteredView> RegisterView(const VideoFrame& frame,
                                            const std::optional<Homography>& place,
                                            const Reference& reference, StageSet& stages,
                                            const RegistrationParams& params) {
  RegisteredView view;
  if (!place) {
    view.why_dropped = "too few features match the reference frame";
    return view;
  }
  view.frame_from_object = *place;
  CheckCoverage(frame.luma.size(), reference.size, params.min_coverage, view);
  if (view.registered) {
    GLINT_RETURN_IF_ERROR(Refine(frame, reference, stages, params, view));
    CheckCoverage(frame.luma.size(), reference.size, params.min_coverage, view);
  }
  return view;
}

absl::StatusOr<std::vector<RegisteredView>> RegisterAll(std::span<const VideoFrame> frames,
                                                        std::span<const Features> features,
                                                        const LocatedObject& object,
                                                        StageSet& stages, ThreadPool& pool,
                                                        const RegistrationParams& params) {
  const auto at = std::ranges::find(frames, object.reference_frame, &VideoFrame::index);
  if (at == frames.end()) {
    return absl::InvalidArgumentError(fmt::format(
        "reference frame {} is not among the frames to register", object.reference_frame));
  }
  const auto reference_at = static_cast<std::size_t>(at - frames.begin());
  GLINT_ASSIGN_OR_RETURN(auto reference, Prepare(*at, object, stages, params));
  const auto places = PlaceByFeatures(features, reference_at, object, pool, params.matches);
  std::vector<RegisteredView> views;
  views.reserve(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    RegisteredView view;
    if (i == reference_at) {
      view.registered = true;
      view.frame_from_object = reference.frame_from_object;
      view.coverage = Coverage(frames[i].luma.size(), view.frame_from_object, object.size);
    } else {
      GLINT_ASSIGN_OR_RETURN(view, RegisterView(frames[i], places[i], reference, stages, params));
    }
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace

void CheckCoverage(Size frame, Size object, double min_coverage, RegisteredView& view) {
  view.coverage = Coverage(frame, view.frame_from_object, object);
  if (view.why_dropped.empty() && view.coverage < min_coverage) {
    view.why_dropped = fmt::format("it shows {:.0f} % of the object, under {:.0f} %",
                                   100 * view.coverage, 100 * min_coverage);
  }
  view.registered = view.why_dropped.empty();
}

absl::StatusOr<std::vector<RegisteredView>> RegisterViews(std::span<const VideoFrame> frames,
                                                          const FrameFeatures& features,
                                                          const LocatedObject& object,
                                                          StageSet& stages, ThreadPool& pool,
                                                          const RegistrationParams& params) {
  if (features->size() != frames.size()) {
    return absl::InvalidArgumentError("every frame to register needs its features");
  }
  absl::StatusOr<std::vector<RegisteredView>> views;
  GLINT_RETURN_IF_ERROR(HostCall(
      "register", [&] { views = RegisterAll(frames, *features, object, stages, pool, params); }));
  return views;
}

}  // namespace glint
