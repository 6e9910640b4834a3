// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/outline_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "analyse/location/outline_group.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/location/weak_side.h"
#include "analyse/quadrilateral.h"
#include "base/median.h"

namespace glint {
namespace {

/// What a track says as a whole.
struct TrackFacts {
  double score = 0;  // how well it looks like the outline of an object, 0..1
  double own = 0;    // how surely it moves by itself, 0..1
  double again = 0;  // factor for being proposed again, or moving by itself
  double plane = 1;  // factor for an inside that stays the same
  double views = 0;  // factor for being seen in many frames
  double area = 0;   // share of the picture
  double rank = 0;
};

double MedianOf(const OutlineTrack& track, const std::function<double(const TrackedOutline&)>& of) {
  std::vector<double> values;
  for (const auto& [at, outline] : track) values.push_back(of(outline));
  return UpperMedian(values);
}

/// How far the outline moved unlike the rest, where it did so most: the mean of the upper half.
double MeanApart(const OutlineTrack& track) {
  std::vector<double> apart;
  for (const auto& [at, outline] : track) {
    if (outline.apart) apart.push_back(*outline.apart);
  }
  if (apart.empty()) return 0;
  std::ranges::sort(apart, std::greater<>());
  const std::size_t half = (apart.size() + 1) / 2;
  return std::accumulate(apart.begin(), apart.begin() + static_cast<std::ptrdiff_t>(half), 0.0) /
         static_cast<double>(half);
}

double PlaneFactor(const OutlineTrack& track, const ChoiceParams& params) {
  std::vector<double> alike;
  for (const auto& [at, outline] : track) {
    if (outline.likeness) alike.push_back(*outline.likeness);
  }
  if (alike.empty()) return 1;
  return std::clamp(params.likeness_base + UpperMedian(alike), params.min_likeness_factor, 1.0);
}

/// @param proposed  share of the frames that propose the outline by themselves
/// @param own       TrackFacts::own
double AgainFactor(double proposed, double own, const ChoiceParams& params) {
  const double enough = std::min(1.0, proposed / params.full_proposed_share);
  return 1 - params.unproposed_loss * (1 - std::max(enough, params.own_motion_proposes * own));
}

/// @param frames  that show the outline @param searched  of all frames
double ViewsFactor(std::size_t frames, std::size_t searched, const ObjectSearchParams& params) {
  const double weight = params.choice.views_weight;
  const auto enough = static_cast<double>(params.EnoughViews(searched));
  return std::min(1.0, 1 - weight + weight * static_cast<double>(frames) / enough);
}

TrackFacts Describe(const SearchedClip& clip, const OutlineTrack& track,
                    const ObjectSearchParams& params) {
  using T = const TrackedOutline&;
  const ChoiceParams& limits = params.choice;
  const auto frames = static_cast<double>(track.size());
  const auto proposed = static_cast<double>(
      std::ranges::count_if(track, [](const auto& entry) { return entry.second.proposed; }));
  TrackFacts facts;
  facts.own =
      std::clamp((MeanApart(track) - limits.min_apart_share) / limits.sure_apart_share, 0.0, 1.0);
  facts.again = AgainFactor(proposed / frames, facts.own, limits);
  facts.plane = PlaneFactor(track, limits);
  facts.views = ViewsFactor(track.size(), clip.size(), params);
  facts.area = MedianOf(track, [](T o) { return Area(o.corners); }) /
               static_cast<double>(clip.picture().area());
  const double least = MedianOf(track, [](T o) { return o.judged.LeastSupport(); });
  const double form = MedianOf(track, [](T o) { return o.judged.MeanSupport(); }) *
                      std::min(1.0, params.weakest_side_base + least) *
                      (1 - params.judging.extension_weight *
                               MedianOf(track, [](T o) { return o.judged.extension; }));
  const double contrast = MedianOf(track, [](T o) { return o.judged.MeanContrast(); });
  facts.score = form * facts.again * (1 - std::exp(-contrast / params.judging.plain_step)) *
                facts.plane * facts.views;
  return facts;
}

/// Whether two tracks lie at the same place in most of the frames that they share.
bool SharePlace(const OutlineTrack& a, const OutlineTrack& b, const ChoiceParams& params) {
  std::vector<double> shared;
  for (const auto& [at, outline] : a) {
    if (const auto other = b.find(at); other != b.end()) {
      shared.push_back(SharedOfBoth(outline.corners, other->second.corners));
    }
  }
  return shared.size() >= params.same_place_frames &&
         UpperMedian(shared) > params.same_place_shared;
}

/// The tracks that are compared, by rank: the best ones, and some at other places. What is printed
/// on an object can have many good outlines at one place, and crowd the object's own out.
std::vector<std::size_t> ComparedTracks(const std::vector<OutlineTrack>& tracks,
                                        const std::vector<TrackFacts>& facts,
                                        const ChoiceParams& params) {
  std::vector<std::size_t> order(tracks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return facts[i].rank; });
  std::vector<std::size_t> compared;
  for (const std::size_t i : order) {
    if (compared.size() >= params.max_compared + params.max_elsewhere) break;
    const bool elsewhere = std::ranges::none_of(
        compared, [&](std::size_t other) { return SharePlace(tracks[i], tracks[other], params); });
    if (compared.size() < params.max_compared || elsewhere) compared.push_back(i);
  }
  return compared;
}

double RankFactor(const TrackFacts& facts, const ChoiceParams& params) {
  return (1 + params.own_motion_gain * facts.own) *
         std::pow(std::max(facts.area, 1e-4), params.area_exponent);
}

/// Facts of all tracks; the own motion is that of the best-looking track at the same place.
std::vector<TrackFacts> DescribeAll(const SearchedClip& clip,
                                    const std::vector<OutlineTrack>& tracks,
                                    const ObjectSearchParams& params) {
  std::vector<TrackFacts> facts;
  facts.reserve(tracks.size());
  for (const OutlineTrack& track : tracks) facts.push_back(Describe(clip, track, params));
  const std::vector<TrackFacts> by_itself = facts;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    double best = by_itself[i].score;
    for (std::size_t k = 0; k < tracks.size(); ++k) {
      if (by_itself[k].score <= best || !SharePlace(tracks[i], tracks[k], params.choice)) continue;
      best = by_itself[k].score;
      facts[i].own = by_itself[k].own;
    }
    facts[i].rank = facts[i].score * RankFactor(facts[i], params.choice);
  }
  return facts;
}

/// A track with the outline that its motion carries best.
struct Compared {
  OutlineGroup group;
  TrackFacts facts;
  double confidence = 0;
  double rank = 0;
};

/// The outlines that ride on a track's motion; where a side of the best one is weak, on that of the
/// print inside, if that carries a better one. @param track  replaced by that
std::optional<OutlineGroup> GroupOf(const SearchedClip& clip, const ObjectSearchParams& params,
                                    OutlineTrack& track) {
  FindLostFrames(clip, params, track);
  auto group = FindOutermost(clip, track, params);
  if (!group || !HasWeakSide(group->best.support, params.weak_side)) return group;
  OutlineTrack related = RelateByPrint(clip, params, track);
  const double least = params.weak_side.min_related_share * static_cast<double>(track.size());
  if (static_cast<double>(related.size()) < least) return group;
  auto by_print = FindOutermost(clip, related, params);
  if (!by_print || by_print->best.form <= group->best.form) return group;
  track = std::move(related);
  return by_print;
}

std::optional<Compared> Compare(const SearchedClip& clip, OutlineTrack track, TrackFacts facts,
                                const ObjectSearchParams& params) {
  auto group = GroupOf(clip, params, track);
  if (!group) return std::nullopt;
  const auto frames = static_cast<double>(track.size());
  const double votes = static_cast<double>(group->best.votes) / frames;
  facts.again = std::max(facts.again, AgainFactor(votes, facts.own, params.choice));
  facts.views = ViewsFactor(track.size(), clip.size(), params);
  facts.area = Area(group->best.corners) / static_cast<double>(clip.picture().area());
  Compared compared{.group = *std::move(group), .facts = facts};
  compared.confidence = compared.group.best.form * facts.again * facts.plane * facts.views;
  compared.rank = compared.confidence * RankFactor(facts, params.choice);
  return compared;
}

/// The best, or one around it that is nearly as good.
const Compared* BestOf(const std::vector<Compared>& all, const SearchedClip& clip,
                       const ObjectSearchParams& params) {
  const Compared* best = nullptr;
  std::vector<const Compared*> rising;
  rising.reserve(all.size());
  for (const Compared& one : all) rising.push_back(&one);
  std::ranges::stable_sort(rising, {}, &Compared::rank);
  if (!rising.empty()) best = rising.back();
  for (const Compared* one : rising) {
    const double needed = params.outermost.much_wider_form * best->confidence;
    if (one == best || one->confidence < needed) continue;
    if (IsAround(clip, one->group, best->group, params)) best = one;
  }
  return best;
}

/// The shorter side by the longer one.
double AspectOf(const Quadrilateral& q) {
  const double a = Distance(q[0], q[1]) + Distance(q[2], q[3]);
  const double b = Distance(q[1], q[2]) + Distance(q[3], q[0]);
  return std::min(a, b) / std::max(a, b);
}

/// The confidence, less where the inside does not move as one plane, the outline is a small part
/// of a still scene or a slender strip, more where it moves by itself.
double FinalConfidence(const Compared& chosen, const ChoiceParams& params) {
  const double own = chosen.facts.own;
  const double rigid =
      chosen.group.plain ? 1 : std::min(1.0, chosen.group.rigid / params.full_rigid_share);
  const double full_area =
      std::max(1e-4, params.full_area_share - params.own_motion_area_share * own);
  const double small = std::min(1.0, std::sqrt(chosen.facts.area / full_area));
  const double slender =
      std::min(1.0, params.max_slenderness * AspectOf(chosen.group.best.corners));
  return std::min(1.0, chosen.confidence * (1 - params.unrigid_loss + params.unrigid_loss * rigid) *
                           small * slender * (1 + params.own_motion_confidence * own));
}

}  // namespace

std::optional<ObjectTrack> ChooseObject(const SearchedClip& clip, std::vector<OutlineTrack> tracks,
                                        ThreadPool& pool, const ObjectSearchParams& params) {
  const std::vector<TrackFacts> facts = DescribeAll(clip, tracks, params);
  const std::vector<std::size_t> order = ComparedTracks(tracks, facts, params.choice);
  std::vector<std::optional<Compared>> each(order.size());
  pool.ParallelFor(std::ssize(order), [&](std::int64_t i) {
    const std::size_t at = order[static_cast<std::size_t>(i)];
    each[static_cast<std::size_t>(i)] = Compare(clip, tracks[at], facts[at], params);
  });
  std::vector<Compared> compared;
  for (auto& one : each) {
    if (one) compared.push_back(*std::move(one));
  }
  const Compared* chosen = BestOf(compared, clip, params);
  if (chosen == nullptr) return std::nullopt;
  OutlineGroup group = chosen->group;
  std::vector<const OutlineGroup*> others;
  others.reserve(compared.size());
  for (const Compared& one : compared) {
    if (&one != chosen) others.push_back(&one.group);
  }
  LeaveOutSurroundings(clip, others, params, group);
  AddEvenBorder(clip, params.border, group);
  AddPrintedStrips(clip, params.strip, group);
  ObjectTrack object = ShowObject(clip, group, params);
  object.confidence = FinalConfidence(*chosen, params.choice);
  return object;
}

}  // namespace glint
