// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/object_search.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <algorithm>
#include <functional>
#include <map>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "analyse/location/outline_choice.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/outline_lines.h"
#include "analyse/quadrilateral.h"
#include "base/host_call.h"
#include "base/mat.h"
#include "base/median.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"

namespace glint {
namespace {

SearchedView SearchView(const SmallPicture& small, const ObjectSearchParams& params) {
  const ColourGradient gradient = GradientOf(small.rgb);
  EdgeMap edges(small.rgb, gradient, params.judging);
  cv::Mat grey;
  cv::cvtColor(small.rgb, grey, cv::COLOR_RGB2GRAY);
  Features features = FindFeatures(AsPlane(grey), params.features);
  std::vector<JudgedOutline> proposals = ProposeOutlines(edges, gradient, params);
  return {std::move(edges), std::move(grey), std::move(features), std::move(proposals)};
}

/// Where the features inside an outline went, roughly: their median shift.
std::optional<Point> MedianShift(const std::vector<Correspondence>& matches,
                                 const Quadrilateral& outline, std::size_t min_matches) {
  std::vector<double> x;
  std::vector<double> y;
  for (const Correspondence& match : matches) {
    if (!Contains(outline, match.from)) continue;
    x.push_back(match.to.x - match.from.x);
    y.push_back(match.to.y - match.from.y);
  }
  if (x.size() < min_matches) return std::nullopt;
  return Point{UpperMedian(x), UpperMedian(y)};
}

/// Share of the neighbours in time that propose the outline, too.
double ProposedBeside(const SearchedClip& clip, std::size_t at, const Quadrilateral& outline,
                      const FollowingParams& params) {
  int again = 0;
  int asked = 0;
  for (const int side : {-1, 1}) {
    if (side < 0 ? at == 0 : at + 1 >= clip.size()) continue;
    ++asked;
    const std::size_t other = side < 0 ? at - 1 : at + 1;
    const Point shift =
        MedianShift(clip.Links(at, other), outline, params.min_shift_matches).value_or(Point{});
    Quadrilateral moved = outline;
    for (Point& corner : moved) corner = corner + shift;
    const double same = params.again_share * Diagonal(outline) + params.again_px;
    again += std::ranges::any_of(clip[other].proposals,
                                 [&](const JudgedOutline& proposal) {
                                   return TurnedCornerDistance(proposal.corners, moved) < same;
                                 })
                 ? 1
                 : 0;
  }
  return asked > 0 ? static_cast<double>(again) / asked : 0;
}

/// A proposal and where it comes from.
struct Seed {
  double score;
  std::size_t at;
  Quadrilateral corners;
};

std::vector<Seed> Seeds(const SearchedClip& clip, const FollowingParams& params) {
  std::vector<Seed> seeds;
  for (std::size_t at = 0; at < clip.size(); ++at) {
    for (const JudgedOutline& proposal : clip[at].proposals) {
      const double again = ProposedBeside(clip, at, proposal.corners, params);
      seeds.push_back({proposal.score * (1 + params.again_gain * again), at, proposal.corners});
    }
  }
  std::ranges::stable_sort(seeds, std::greater<>(), &Seed::score);
  return seeds;
}

bool IsOn(const OutlineTrack& track, const Seed& seed, const FollowingParams& params) {
  const auto here = track.find(seed.at);
  if (here == track.end()) return false;
  return TurnedCornerDistance(here->second.corners, seed.corners) <
         params.on_track_share * Diagonal(seed.corners) + params.on_track_px;
}

/// Follows the best seeds, a few at a time; one that lies on a track is that track's.
std::vector<OutlineTrack> FollowSeeds(const SearchedClip& clip, ThreadPool& pool,
                                      const ObjectSearchParams& params) {
  const FollowingParams& limits = params.following;
  std::vector<Seed> seeds = Seeds(clip, limits);
  std::vector<OutlineTrack> tracks;
  const auto is_known = [&](const Seed& seed) {
    return std::ranges::any_of(
        tracks, [&](const OutlineTrack& track) { return IsOn(track, seed, limits); });
  };
  while (!seeds.empty() && tracks.size() < limits.max_tracks) {
    const std::size_t count =
        std::min({limits.at_once, seeds.size(), limits.max_tracks - tracks.size()});
    std::vector<OutlineTrack> followed(count);
    pool.ParallelFor(static_cast<std::int64_t>(count), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      followed[at] = FollowOutline(clip, seeds[at].at, seeds[at].corners, params);
    });
    for (std::size_t i = 0; i < count; ++i) {
      if (!followed[i].empty() && !is_known(seeds[i])) tracks.push_back(std::move(followed[i]));
    }
    seeds.erase(seeds.begin(), seeds.begin() + static_cast<std::ptrdiff_t>(count));
    std::erase_if(seeds, is_known);
  }
  return tracks;
}

/// What counts most of what the clip lacks for a verdict.
std::optional<NotJudgedCause> CauseOf(const ObjectOverClip& object, std::size_t searched,
                                      const ObjectSearchParams& params) {
  if (object.frames.empty() || object.confidence < params.min_confidence) {
    return NotJudgedCause::kNoObject;
  }
  if (object.frames[object.best].coverage < params.min_coverage) {
    return NotJudgedCause::kObjectOutside;
  }
  const auto views = std::ranges::count_if(object.frames, [&](const ObjectInFrame& in) {
    return in.coverage >= params.counted_coverage;
  });
  if (static_cast<std::size_t>(views) < params.EnoughViews(searched)) {
    return NotJudgedCause::kFewViews;
  }
  return std::nullopt;
}

/// The frames made small, and what each proposes. @param scale  set to that of the small pictures
SearchedClip MakeClip(std::span<const VideoFrame> frames, const std::optional<KnownOutline>& known,
                      ThreadPool& pool, const ObjectSearchParams& params, SmallPicture& scale) {
  std::vector<std::optional<SearchedView>> made(frames.size());
  pool.ParallelFor(std::ssize(frames), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const SmallPicture small = Shrink(frames[at].picture->ToRgb(), params.edges);
    if (at == 0) scale.factor = small.factor;  // of all: they have one size
    made[at] = SearchView(small, params);
  });
  std::vector<SearchedView> views;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    views.push_back(*std::move(made[i]));
    if (!known || known->frame != frames[i].index) continue;
    JudgedOutline outline{.corners = known->corners, .score = 1};
    for (Point& corner : outline.corners) corner = scale.FromFrame(corner);
    views.back().proposals.insert(views.back().proposals.begin(), outline);
  }
  return {std::move(views), pool};
}

/// The object that the clip's proposals lead to, and whether it can be judged.
ObjectOverClip Choose(const SearchedClip& clip, std::span<const VideoFrame> frames,
                      const std::optional<KnownOutline>& known, const SmallPicture& scale,
                      ThreadPool& pool, const ObjectSearchParams& params) {
  ObjectOverClip over;
  std::size_t shown = frames.size() / 2;
  if (const auto object = ChooseObject(clip, FollowSeeds(clip, pool, params), pool, params)) {
    over.confidence = object->confidence;
    over.plain = object->plain;
    over.widened = object->widened;
    shown = object->best;
    for (const auto& [at, outline] : object->outlines) {
      if (at == object->best) over.best = over.frames.size();
      Quadrilateral corners = outline;
      for (Point& corner : corners) corner = scale.ToFrame(corner);
      over.frames.push_back(
          {frames[at].index, corners, object->coverage.at(at), object->shows.at(at)});
    }
  }
  if (known && known->confidence >= params.sure_confidence && Confirms(over, *known, params)) {
    over.confidence = std::max(over.confidence, known->confidence);
  }
  if (const auto cause = CauseOf(over, frames.size(), params)) {
    over.not_judged = NotJudged{*cause, frames[shown].timestamp_us};
  }
  return over;
}

ObjectOverClip Search(std::span<const VideoFrame> frames, const std::optional<KnownOutline>& known,
                      ThreadPool& pool, const ObjectSearchParams& params) {
  SmallPicture scale;
  SearchedClip clip = MakeClip(frames, known, pool, params, scale);
  ObjectOverClip by_edges = Choose(clip, frames, known, scale, pool, params);
  const bool none = by_edges.not_judged && by_edges.not_judged->cause == NotJudgedCause::kNoObject;
  if (!none && (by_edges.not_judged || by_edges.confidence >= params.min_edge_confidence)) {
    return by_edges;
  }
  clip.AddForegrounds(pool, params);
  ObjectOverClip by_colours = Choose(clip, frames, known, scale, pool, params);
  return by_colours.confidence > by_edges.confidence ? by_colours : by_edges;
}

}  // namespace

const ObjectInFrame* InFrame(const ObjectOverClip& over, std::int64_t frame) {
  const auto seen = std::ranges::find(over.frames, frame, &ObjectInFrame::frame);
  return seen == over.frames.end() ? nullptr : &*seen;
}

bool Confirms(const ObjectOverClip& over, const KnownOutline& known,
              const ObjectSearchParams& params) {
  const ObjectInFrame* seen = InFrame(over, known.frame);
  if (seen == nullptr) return false;
  return seen->coverage >= params.min_of_best_coverage * over.frames[over.best].coverage &&
         TurnedCornerDistance(seen->corners, known.corners) <=
             params.agreeing_share * Diagonal(known.corners);
}

absl::StatusOr<ObjectOverClip> SearchObject(std::span<const VideoFrame> frames,
                                            const std::optional<KnownOutline>& known,
                                            ThreadPool& pool, const ObjectSearchParams& params) {
  if (frames.empty()) return absl::InvalidArgumentError("there is no frame to search");
  ObjectOverClip over;
  GLINT_RETURN_IF_ERROR(HostCall("locate", [&] { over = Search(frames, known, pool, params); }));
  return over;
}

}  // namespace glint
