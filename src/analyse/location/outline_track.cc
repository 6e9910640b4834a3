// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/outline_track.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"
#include "base/median.h"
#include "base/thread_pool.h"

namespace glint {
namespace {

/// What lies inside an outline, without its slow changes.
cv::Mat Patch(const cv::Mat& grey, const Quadrilateral& outline, const FollowingParams& params) {
  const int side = params.patch_px;
  const Homography from_patch = FrameFromObject(outline, {side, side});
  cv::Mat patch(side, side, CV_32F);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const Point p = Map(from_patch, Point{x + 0.5, y + 0.5});
      const int column = std::clamp(cvRound(p.x), 0, grey.cols - 1);
      const int row = std::clamp(cvRound(p.y), 0, grey.rows - 1);
      patch.at<float>(y, x) = grey.at<std::uint8_t>(row, column);
    }
  }
  cv::Mat slow;
  cv::blur(patch, patch, {3, 3});
  cv::blur(patch, slow, {params.patch_light_px, params.patch_light_px});
  return patch - slow;
}

/// Correlation of two patches; nothing where one of them is plain.
std::optional<double> Likeness(const cv::Mat& a, const cv::Mat& b, const FollowingParams& params) {
  double aa = 0, bb = 0, ab = 0, sum_a = 0, sum_b = 0;
  const int begin = params.patch_border_px;
  const int end = params.patch_px - begin;
  const int n = (end - begin) * (end - begin);
  for (int y = begin; y < end; ++y) {
    for (int x = begin; x < end; ++x) {
      const double u = a.at<float>(y, x);
      const double v = b.at<float>(y, x);
      sum_a += u, sum_b += v, aa += u * u, bb += v * v, ab += u * v;
    }
  }
  const double var_a = aa / n - sum_a * sum_a / n / n;
  const double var_b = bb / n - sum_b * sum_b / n / n;
  const double least = params.min_patch_deviation_grey;
  if (std::min(var_a, var_b) < least * least) return std::nullopt;
  return (ab / n - sum_a * sum_b / n / n) / std::sqrt(var_a * var_b);
}

/// The matches from inside the outline, or from outside.
std::vector<Correspondence> Part(const std::vector<Correspondence>& matches,
                                 const Quadrilateral& outline, bool inside) {
  std::vector<Correspondence> part;
  for (const Correspondence& match : matches) {
    if (Contains(outline, match.from) == inside) part.push_back(match);
  }
  return part;
}

bool IsLikelyMove(const Quadrilateral& from, const Quadrilateral& to,
                  const FollowingParams& params) {
  if (!IsConvex(to)) return false;
  const double growth = Area(to) / Area(from);
  return growth > params.min_growth && growth < params.max_growth;
}

/// Where an outline lies in another frame.
struct Step {
  Quadrilateral corners{};
  std::optional<double> apart;
  bool by_print = false;
};

/// The proposal of a frame that an outline without print may have become.
std::optional<Quadrilateral> NearestProposal(const SearchedView& view, const Quadrilateral& outline,
                                             const FollowingParams& params) {
  std::optional<Quadrilateral> nearest;
  double least = params.max_step_share * Diagonal(outline);
  for (const JudgedOutline& proposal : view.proposals) {
    const double growth = Area(proposal.corners) / Area(outline);
    if (std::min(growth, 1 / growth) < params.min_step_growth) continue;
    const Quadrilateral turned = TurnedTowards(proposal.corners, outline);
    const double distance = CornerDistance(turned, outline);
    if (distance >= least) continue;
    least = distance;
    nearest = turned;
  }
  return nearest;
}

/// How what lies around an outline moves, where enough of it moves as one.
std::optional<Homography> Surroundings(const std::vector<Correspondence>& links,
                                       const Quadrilateral& outline,
                                       const ObjectSearchParams& params) {
  const FollowingParams& limits = params.following;
  const auto outside = Part(links, Grown(outline, limits.outside_sizes), false);
  if (outside.size() < limits.min_outside_matches) return std::nullopt;
  const auto rest = FitMatches(outside, nullptr, params.matches);
  if (!rest) return std::nullopt;
  const auto agree = std::ranges::count_if(outside, [&](const Correspondence& match) {
    return Distance(Map(*rest, match.from), match.to) <= params.matches.ransac_px;
  });
  const auto all = static_cast<double>(outside.size());
  const double many =
      std::max(limits.min_agreeing_share * all, static_cast<double>(limits.min_agreeing_matches));
  return static_cast<double>(agree) > std::min(all / 2, many) ? rest : std::nullopt;
}

/// How far the print inside moved unlike the rest. Corners are extrapolated from it: where features
/// cover a small part of the outline, theirs is no motion of its own.
double PrintApart(const std::vector<Correspondence>& inside, const Homography& moved,
                  const Homography& rest, double inlier_px) {
  std::vector<double> apart;
  for (const Correspondence& match : inside) {
    const Point to = Map(moved, match.from);
    if (Distance(to, match.to) <= inlier_px) apart.push_back(Distance(to, Map(rest, match.from)));
  }
  return apart.empty() ? 0 : UpperMedian(apart);
}

std::optional<Step> StepTo(const SearchedClip& clip, std::size_t from, std::size_t to,
                           const Quadrilateral& outline, const ObjectSearchParams& params) {
  const std::vector<Correspondence> links = clip.Links(from, to);
  const auto inside = Part(links, Grown(outline, params.following.inside_sizes), true);
  if (const auto moved = FitMatches(inside, nullptr, params.matches)) {
    Step step{.corners = Map(*moved, outline), .by_print = true};
    if (!IsLikelyMove(outline, step.corners, params.following)) return std::nullopt;
    if (const auto rest = Surroundings(links, outline, params)) {
      const Quadrilateral with_rest = Map(*rest, outline);
      const double by_print = params.following.print_apart_gain *
                              PrintApart(inside, *moved, *rest, params.matches.ransac_px);
      const double apart =
          std::min(CornerDistance(with_rest, step.corners), by_print) / Diagonal(outline);
      // What rests while something else moves past it does not move by itself.
      const bool rests = CornerDistance(step.corners, outline) < CornerDistance(with_rest, outline);
      step.apart = rests ? 0 : std::min(apart, params.following.max_apart_share);
    }
    return step;
  }
  if (inside.size() >= params.following.print_matches) return std::nullopt;
  const auto proposal = NearestProposal(clip[to], outline, params.following);
  if (!proposal) return std::nullopt;
  return Step{.corners = *proposal};
}

bool IsLost(const OutlineJudgement& judged, const FollowingParams& params) {
  return judged.MeanSupport() < params.min_support || judged.MeanSeen() < params.min_seen;
}

/// Follows one outline.
class Follower {
 public:
  Follower(const SearchedClip& clip, std::size_t first, const Quadrilateral& outline,
           const ObjectSearchParams& params)
      : clip_(clip),
        params_(params),
        first_(first),
        limits_(params.following),
        patch_(Patch(clip[first].grey, outline, limits_)),
        smallest_(limits_.min_area_share * static_cast<double>(clip.picture().area())) {
    Note(first, {.corners = outline});
  }

  /// Goes on from the first frame in one direction until the outline is lost.
  void Go(int direction) {
    std::size_t at = first_;
    int weak = 0;
    while (const auto next = Next(at, direction)) {
      at = *next;
      weak = IsLost(track_.at(at).judged, limits_) ? weak + 1 : 0;
      if (weak < limits_.lost_frames) continue;
      track_.erase(at);
      break;
    }
  }

  OutlineTrack Take() {
    std::erase_if(track_, [this](const auto& entry) {
      return entry.first != first_ && IsLost(entry.second.judged, limits_);
    });
    return std::move(track_);
  }

 private:
  /// The next frame that shows the outline, at most kLinked ahead.
  std::optional<std::size_t> Next(std::size_t at, int direction) {
    const Quadrilateral here = track_.at(at).corners;
    for (std::size_t ahead = 1; ahead <= SearchedClip::kLinked; ++ahead) {
      if (direction < 0 ? at < ahead : at + ahead >= clip_.size()) return std::nullopt;
      const std::size_t to = direction < 0 ? at - ahead : at + ahead;
      const auto step = StepTo(clip_, at, to, here, params_);
      if (step && Note(to, *step)) return to;
    }
    return std::nullopt;
  }

  /// Records the outline where its sides are. @return whether it is still one
  bool Note(std::size_t at, const Step& step) {
    const EdgeMap& edges = clip_[at].edges;
    const int refit_reach = step.by_print ? limits_.print_reach_px : limits_.proposal_reach_px;
    const Quadrilateral fitted = RefitOutline(edges, step.corners, refit_reach);
    if (Area(fitted) < smallest_) return false;
    const auto moved = JudgeOutline(edges, step.corners, limits_.judging_reach_px);
    const auto refitted = JudgeOutline(edges, fitted, limits_.judging_reach_px);
    const bool better = refitted.MeanSupport() >= moved.MeanSupport() + limits_.min_refit_gain;
    TrackedOutline outline{.corners = better ? fitted : step.corners,
                           .judged = better ? refitted : moved,
                           .apart = step.apart};
    const double same = limits_.proposed_share * Diagonal(outline.corners) + limits_.proposed_px;
    outline.proposed = std::ranges::any_of(clip_[at].proposals, [&](const JudgedOutline& other) {
      return TurnedCornerDistance(outline.corners, other.corners) < same;
    });
    if (at != first_) {
      outline.likeness = Likeness(patch_, Patch(clip_[at].grey, outline.corners, limits_), limits_);
    }
    track_.insert_or_assign(at, outline);
    return true;
  }

  const SearchedClip& clip_;
  const ObjectSearchParams& params_;
  std::size_t first_;
  const FollowingParams& limits_;
  cv::Mat patch_;
  double smallest_;
  OutlineTrack track_;
};

/// The frame of a track with the most support.
std::size_t BestFrame(const OutlineTrack& track) {
  std::size_t best = track.begin()->first;
  for (const auto& [at, outline] : track) {
    if (outline.judged.MeanSupport() > track.at(best).judged.MeanSupport()) best = at;
  }
  return best;
}

/// What is printed inside a track's outline, by its best frame.
class PrintOf {
 public:
  PrintOf(const SearchedClip& clip, const ObjectSearchParams& params, const OutlineTrack& track)
      : clip_(clip),
        params_(params),
        best_(BestFrame(track)),
        outline_(track.at(best_).corners),
        patch_(Patch(clip[best_].grey, outline_, params.following)) {}

  std::size_t best() const { return best_; }

  /// Where the print lies in another frame, its matches with the best one say.
  std::optional<Quadrilateral> In(std::size_t at) const {
    const auto inside =
        Part(MatchFeatures(clip_[best_].features, clip_[at].features), outline_, true);
    const auto moved = FitMatches(inside, nullptr, params_.matches);
    if (!moved) return std::nullopt;
    const Quadrilateral here = Map(*moved, outline_);
    return IsLikelyMove(outline_, here, params_.following) ? std::optional(here) : std::nullopt;
  }

  /// The outline in a frame; nothing where its inside is another one.
  std::optional<TrackedOutline> Note(std::size_t at, const Quadrilateral& here) const {
    const FollowingParams& limits = params_.following;
    TrackedOutline found{.corners = here,
                         .judged = JudgeOutline(clip_[at].edges, here, limits.judging_reach_px),
                         .likeness = Likeness(patch_, Patch(clip_[at].grey, here, limits), limits)};
    if (!found.likeness || *found.likeness < limits.min_likeness) return std::nullopt;
    return found;
  }

 private:
  const SearchedClip& clip_;
  const ObjectSearchParams& params_;
  std::size_t best_;
  Quadrilateral outline_;
  cv::Mat patch_;
};

}  // namespace

SearchedClip::SearchedClip(std::vector<SearchedView> views, ThreadPool& pool)
    : views_(std::move(views)), links_(views_.size() * kLinked) {
  pool.ParallelFor(std::ssize(links_), [&](std::int64_t i) {
    const auto from = static_cast<std::size_t>(i) / kLinked;
    const std::size_t to = from + static_cast<std::size_t>(i) % kLinked + 1;
    if (to >= views_.size()) return;
    links_[static_cast<std::size_t>(i)] = MatchFeatures(views_[from].features, views_[to].features);
  });
}

void SearchedClip::AddForegrounds(ThreadPool& pool, const ObjectSearchParams& params) {
  pool.ParallelFor(std::ssize(views_), [&](std::int64_t i) {
    SearchedView& view = views_[static_cast<std::size_t>(i)];
    const cv::Mat foreground = FindForeground(view.edges.smooth(), params.foreground);
    view.edges.SetForeground(foreground);
    const auto proposal = ProposeForeground(view.edges, foreground, params);
    if (proposal) view.proposals.insert(view.proposals.begin(), *proposal);
  });
}

std::vector<Correspondence> SearchedClip::Links(std::size_t from, std::size_t to) const {
  if (from < to) return links_[from * kLinked + (to - from - 1)];
  std::vector<Correspondence> turned = links_[to * kLinked + (from - to - 1)];
  for (Correspondence& match : turned) std::swap(match.from, match.to);
  return turned;
}

OutlineTrack FollowOutline(const SearchedClip& clip, std::size_t first,
                           const Quadrilateral& outline, const ObjectSearchParams& params) {
  Follower follower(clip, first, outline, params);
  follower.Go(1);
  follower.Go(-1);
  return follower.Take();
}

void FindLostFrames(const SearchedClip& clip, const ObjectSearchParams& params,
                    OutlineTrack& track) {
  const FollowingParams& limits = params.following;
  const PrintOf print(clip, params, track);
  for (std::size_t at = 0; at < clip.size(); ++at) {
    if (track.contains(at)) continue;
    const auto moved = print.In(at);
    if (!moved) continue;
    const auto found = print.Note(at, RefitOutline(clip[at].edges, *moved, limits.lost_reach_px));
    if (found && !IsLost(found->judged, limits)) track.emplace(at, *found);
  }
}

OutlineTrack RelateByPrint(const SearchedClip& clip, const ObjectSearchParams& params,
                           const OutlineTrack& track) {
  const PrintOf print(clip, params, track);
  OutlineTrack related = {{print.best(), track.at(print.best())}};
  for (std::size_t at = 0; at < clip.size(); ++at) {
    if (at == print.best()) continue;
    const auto moved = print.In(at);
    if (!moved) continue;
    if (const auto found = print.Note(at, *moved)) related.emplace(at, *found);
  }
  return related;
}

}  // namespace glint
