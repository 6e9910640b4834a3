// SPDX-License-Identifier: Apache-2.0
#include "analyse/locate.h"

#include <absl/status/status.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analyse/quadrilateral.h"
#include "base/host_call.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"

namespace glint {
namespace {

/// A frame with everything that is looked for in it.
struct SearchedFrame {
  const VideoFrame* frame = nullptr;
  const Features* features = nullptr;
  Plane rgb;
  int factor = 1;                       // frame pixels per small pixel
  std::vector<Correspondence> matches;  // of the first frame's features
  ProposingFrame proposing;
};

SearchedFrame SearchFrame(const VideoFrame& frame, const Features& features,
                          const LocationParams& params) {
  SearchedFrame searched;
  searched.frame = &frame;
  searched.features = &features;
  searched.rgb = frame.picture->ToRgb();
  const SmallPicture small = Shrink(searched.rgb, params.edges);
  searched.factor = small.factor;
  searched.proposing.size = searched.rgb.size();
  for (const OutlineCandidate& candidate : FindOutlines(small, params.max_proposals, params.edges,
                                                        params.lines, params.quadrilaterals)) {
    Quadrilateral corners = Ordered(candidate.corners);
    for (Point& corner : corners) corner = small.ToFrame(corner);
    searched.proposing.proposals.push_back({corners, candidate.support});
  }
  return searched;
}

/// Searches the reference and, if there are many frames, some of the others.
std::vector<SearchedFrame> SearchFrames(std::span<const VideoFrame> frames,
                                        std::span<const Features> features, ThreadPool& pool,
                                        const LocationParams& params) {
  std::vector<SearchedFrame> searched(std::min(frames.size(), params.max_frames));
  pool.ParallelFor(std::ssize(searched), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    const std::size_t at = i * frames.size() / searched.size();  // spread evenly over what there is
    searched[i] = SearchFrame(frames[at], features[at], params);
  });
  return searched;
}

/// Relates every frame to the first; by the features inside `outline` only, where one is given:
/// what lies behind the object moves differently.
void Relate(std::vector<SearchedFrame>& searched, const Quadrilateral* outline, ThreadPool& pool,
            const LocationParams& params) {
  searched.front().proposing.from_reference = Homography{1, 0, 0, 0, 1, 0, 0, 0, 1};
  pool.ParallelFor(std::ssize(searched) - 1, [&](std::int64_t i) {
    SearchedFrame& frame = searched[static_cast<std::size_t>(i) + 1];
    if (!outline) frame.matches = MatchFeatures(*searched.front().features, *frame.features);
    const auto fitted = FitMatches(frame.matches, outline, params.matches);
    if (fitted || !outline) frame.proposing.from_reference = fitted;
  });
}

std::optional<ConsensusOutline> FindConsensus(const std::vector<SearchedFrame>& searched,
                                              const LocationParams& params) {
  std::vector<ProposingFrame> frames;
  frames.reserve(searched.size());
  for (const SearchedFrame& frame : searched) frames.push_back(frame.proposing);
  auto agreed = FindConsensusOutline(frames, params.consensus);
  if (agreed && agreed->support < params.min_support) agreed.reset();
  return agreed;
}

/// The outline fitted in a frame that is related to the first, as it lies in the first.
std::optional<FittedOutline> FitIn(const SearchedFrame& frame, const Quadrilateral& outline,
                                   const LocationParams& params) {
  if (!frame.proposing.from_reference) return std::nullopt;
  const auto to_reference = Inverse(*frame.proposing.from_reference);
  const Quadrilateral here = Map(*frame.proposing.from_reference, outline);
  if (!to_reference || !IsConvex(here)) return std::nullopt;
  const RefinedOutline refined =
      RefineOutline(frame.rgb, here, params.reach_px * frame.factor, params.refinement);
  const Quadrilateral mapped = Map(*to_reference, refined.corners);
  if (!IsConvex(mapped)) return std::nullopt;
  return FittedOutline{mapped, refined.support};
}

std::vector<FittedOutline> FitEverywhere(const std::vector<SearchedFrame>& searched,
                                         const Quadrilateral& outline, ThreadPool& pool,
                                         const LocationParams& params) {
  std::vector<std::optional<FittedOutline>> fitted(searched.size());
  pool.ParallelFor(std::ssize(searched), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    fitted[at] = FitIn(searched[at], outline, params);
  });
  std::vector<FittedOutline> fits;
  for (const auto& fit : fitted) {
    if (fit) fits.push_back(*fit);
  }
  return fits;
}

/// Mean support of the sides, halved when no other frame confirms the outline.
double Confidence(const Quadrilateral& outline, std::span<const FittedOutline> fits,
                  const LocationParams& params) {
  double support = 0;
  for (std::size_t side = 0; side < 4; ++side) {
    double most = 0;
    for (const FittedOutline& fit : fits) most = std::max(most, fit.support[side]);
    support += most / 4;
  }
  const auto agreeing = std::ranges::count_if(fits, [&](const FittedOutline& fit) {
    return CornerDistance(fit.corners, outline) <= params.agreeing_share * Diagonal(outline);
  });
  const auto others = static_cast<double>(fits.size()) - 1;
  const double agreement =
      others > 0 ? std::clamp((static_cast<double>(agreeing) - 1) / others, 0.0, 1.0) : 0.0;
  return support * (1 - params.unconfirmed_loss + params.unconfirmed_loss * agreement);
}

/// The object inside an outline of its edges: see the remark on corners at Locate.
LocatedObject Describe(std::int64_t frame, const Quadrilateral& outline, std::string method,
                       double confidence, const LocationParams& params) {
  LocatedObject object;
  object.reference_frame = frame;
  object.size = RectifiedSize(outline, params.max_side_px, params.min_side_px);
  const Homography frame_from_edges = FrameFromObject(outline, object.size);
  const double w = object.size.width;
  const double h = object.size.height;
  object.corners =
      Map(frame_from_edges,
          Quadrilateral{{{0.5, 0.5}, {w + 0.5, 0.5}, {w + 0.5, h + 0.5}, {0.5, h + 0.5}}});
  object.method = std::move(method);
  object.confidence = confidence;
  return object;
}

std::optional<LocatedObject> ByOutline(std::vector<SearchedFrame>& searched, ThreadPool& pool,
                                       const LocationParams& params) {
  Relate(searched, nullptr, pool, params);
  auto agreed = FindConsensus(searched, params);
  if (!agreed) return std::nullopt;
  Relate(searched, &agreed->corners, pool, params);
  if (const auto better = FindConsensus(searched, params)) agreed = better;
  const std::vector<FittedOutline> fits = FitEverywhere(searched, agreed->corners, pool, params);
  if (fits.empty()) return std::nullopt;
  const Quadrilateral outline = Ordered(JoinFits(agreed->corners, fits, params.consensus));
  return Describe(searched.front().frame->index, outline, std::string(kFoundByOutline),
                  Confidence(outline, fits, params), params);
}

absl::StatusOr<LocatedObject> LocateIn(std::span<const VideoFrame> frames,
                                       std::span<const Features> features, StageSet& stages,
                                       ThreadPool& pool, const LocationParams& params) {
  std::vector<SearchedFrame> searched = SearchFrames(frames, features, pool, params);
  for (std::size_t turns = 0; turns < searched.size(); ++turns) {
    if (auto object = ByOutline(searched, pool, params)) return *std::move(object);
    std::rotate(searched.begin(), searched.begin() + 1, searched.end());
  }
  const VideoFrame& reference = frames.front();
  if (frames.size() > 1) {
    GLINT_ASSIGN_OR_RETURN(const auto region, FindMovingRegion(reference.luma, frames[1].luma,
                                                               stages, params.moving_region));
    if (region) {
      return Describe(reference.index, Ordered(*region), "moving region",
                      params.moving_region_confidence, params);
    }
  }
  const double right = reference.luma.width() - 0.5;
  const double bottom = reference.luma.height() - 0.5;
  return Describe(reference.index, {{{-0.5, -0.5}, {right, -0.5}, {right, bottom}, {-0.5, bottom}}},
                  "full frame", 0.0, params);
}

/// A frame as SearchFrame leaves it, without proposals.
SearchedFrame KnownFrame(const VideoFrame& frame, const Features& features,
                         const LocationParams& params) {
  SearchedFrame known{.frame = &frame, .features = &features, .rgb = frame.picture->ToRgb()};
  known.factor = FactorOf(known.rgb.size(), params.edges);
  known.proposing.size = known.rgb.size();
  return known;
}

LocatedObject FitKnown(std::span<const VideoFrame> frames, std::span<const Features> features,
                       const Quadrilateral& outline, double confidence, ThreadPool& pool,
                       const LocationParams& params) {
  std::vector<SearchedFrame> known(std::min(frames.size(), params.max_frames));
  pool.ParallelFor(std::ssize(known), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    known[at] = KnownFrame(frames[at], features[at], params);
    if (at > 0) known[at].matches = MatchFeatures(features.front(), features[at]);
  });
  Relate(known, &outline, pool, params);
  const std::vector<FittedOutline> fits = FitEverywhere(known, outline, pool, params);
  const Quadrilateral joined =
      fits.empty() ? outline : Ordered(JoinFits(outline, fits, params.consensus));
  return Describe(frames.front().index, Ordered(joined), std::string(kFoundByOutline), confidence,
                  params);
}

}  // namespace

absl::StatusOr<LocatedObject> LocateAt(std::span<const VideoFrame> frames,
                                       const FrameFeatures& features, const Quadrilateral& outline,
                                       double confidence, ThreadPool& pool,
                                       const LocationParams& params) {
  if (frames.empty()) return absl::InvalidArgumentError("there is no frame to locate an object in");
  if (features->size() != frames.size()) {
    return absl::InvalidArgumentError("every frame to locate an object in needs its features");
  }
  LocatedObject object;
  GLINT_RETURN_IF_ERROR(HostCall(
      "locate", [&] { object = FitKnown(frames, *features, outline, confidence, pool, params); }));
  return object;
}

absl::StatusOr<LocatedObject> Locate(std::span<const VideoFrame> frames,
                                     const FrameFeatures& features, StageSet& stages,
                                     ThreadPool& pool, const LocationParams& params) {
  if (frames.empty()) return absl::InvalidArgumentError("there is no frame to locate an object in");
  if (features->size() != frames.size()) {
    return absl::InvalidArgumentError("every frame to locate an object in needs its features");
  }
  absl::StatusOr<LocatedObject> object;
  GLINT_RETURN_IF_ERROR(
      HostCall("locate", [&] { object = LocateIn(frames, *features, stages, pool, params); }));
  return object;
}

}  // namespace glint
