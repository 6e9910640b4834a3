// SPDX-License-Identifier: Apache-2.0
#include "analyse/view_stack.h"

#include <algorithm>

#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/outline/view_coherence.h"
#include "analyse/photometric/pixels/median_colour.h"
#include "analyse/photometric/scene/occluders.h"
#include "analyse/quadrilateral.h"
#include "analyse/rectify.h"
#include "base/host_call.h"
#include "base/status_macros.h"

namespace glint {
namespace {

/// Whether every pixel of the object lies inside the frame.
bool ShowsAll(Size frame, const Homography& frame_from_object, Size object) {
  const double right = object.width - 1, bottom = object.height - 1;
  return std::ranges::all_of(
      Map(frame_from_object, Quadrilateral{{{0, 0}, {right, 0}, {right, bottom}, {0, bottom}}}),
      [&](Point p) {
        return p.x >= 0 && p.y >= 0 && p.x <= frame.width - 1 && p.y <= frame.height - 1;
      });
}

}  // namespace

ViewStackBuilder::ViewStackBuilder(Size object, std::size_t frames, StageSet& stages,
                                   ThreadPool& pool, const RegistrationParams& params)
    : object_(object),
      rectification_(params.rectification),
      colour_step_(
          std::max<std::size_t>(1, frames / static_cast<std::size_t>(params.colour_views))),
      stages_(stages),
      pool_(pool) {}

absl::StatusOr<Plane> ViewStackBuilder::SeenIn(Size frame, const Homography& frame_from_object) {
  if (!ShowsAll(frame, frame_from_object, object_)) {
    return Validity(frame, frame_from_object, object_, stages_, rectification_);
  }
  if (all_seen_.empty()) {
    GLINT_ASSIGN_OR_RETURN(all_seen_,
                           Validity(frame, frame_from_object, object_, stages_, rectification_));
  }
  return all_seen_;
}

absl::Status ViewStackBuilder::AddColours(const VideoFrame& frame,
                                          const Homography& frame_from_object, bool large,
                                          View& view) {
  const Plane rgb = frame.picture->ToRgb();
  const auto resample = [&](const Homography& object_from_output,
                            Size size) -> absl::StatusOr<Plane> {
    GLINT_ASSIGN_OR_RETURN(
        const Plane colour,
        Rectify(rgb, Compose(frame_from_object, object_from_output), size, stages_));
    return stages_.backend->Download(colour);
  };
  constexpr double kStep = photometric::kThumbnailStep;
  const Homography middles = {kStep, 0, (kStep - 1) / 2, 0, kStep, (kStep - 1) / 2, 0, 0, 1};
  GLINT_ASSIGN_OR_RETURN(view.thumbnail,
                         resample(middles, {object_.width / photometric::kThumbnailStep,
                                            object_.height / photometric::kThumbnailStep}));
  if (!large) return absl::OkStatus();
  constexpr int kMargin = photometric::kBackgroundMargin;
  const Homography inside = {1, 0, -1.0 * kMargin, 0, 1, -1.0 * kMargin, 0, 0, 1};
  GLINT_ASSIGN_OR_RETURN(const Plane colour, resample(inside, {object_.width + 2 * kMargin,
                                                               object_.height + 2 * kMargin}));
  return HostCall("colours", [&] { view.colour = StoredPlane(colour); });
}

absl::Status ViewStackBuilder::Add(std::size_t index, const VideoFrame& frame,
                                   const Homography& frame_from_object) {
  View view;
  GLINT_ASSIGN_OR_RETURN(view.grey, Rectify(frame.luma, frame_from_object, object_, stages_));
  GLINT_ASSIGN_OR_RETURN(view.valid, SeenIn(frame.luma.size(), frame_from_object));
  view.source = {frame.index, frame.picture, frame_from_object};
  // One at least: those that were to give their colour may all have been dropped.
  const bool large = index % colour_step_ == 0 || views_.empty();
  GLINT_RETURN_IF_ERROR(AddColours(frame, frame_from_object, large, view));
  views_[index] = std::move(view);
  return absl::OkStatus();
}

absl::StatusOr<ViewStack> ViewStackBuilder::Finish(const photometric::ViewCoherenceParams& params) {
  ViewStack stack;
  std::vector<StoredPlane> colours;
  for (auto& [index, view] : views_) {
    stack.greys.push_back(std::move(view.grey));
    stack.valid.push_back(std::move(view.valid));
    stack.thumbnails.push_back(std::move(view.thumbnail));
    stack.sources.push_back(std::move(view.source));
    if (!view.colour.empty()) colours.push_back(std::move(view.colour));
  }
  views_.clear();
  GLINT_RETURN_IF_ERROR(HostCall("surroundings", [&] {
    stack.surroundings = photometric::CoherenceOfSurroundings(colours, params, pool_);
  }));
  GLINT_ASSIGN_OR_RETURN(stack.colour, photometric::MedianColour(colours, pool_));
  return stack;
}

}  // namespace glint
