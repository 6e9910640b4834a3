// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/outline_group.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "analyse/location/outline_choice.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/location/printed_border.h"
#include "analyse/location/printed_strip.h"
#include "analyse/location/weak_side.h"
#include "analyse/quadrilateral.h"
#include "base/median.h"

namespace glint {
namespace {

/// `count` of these, spread evenly; all where there are fewer.
std::vector<std::size_t> Spread(const std::vector<std::size_t>& all, std::size_t count) {
  if (all.size() <= count) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < count; ++i) {
    some.push_back(all[(i * (all.size() - 1) + (count - 1) / 2) / (count - 1)]);
  }
  return some;
}

/// Sums of what the frames say of one outline.
struct Sums {
  std::array<double, 4> support{}, weight{}, passed{};
  double extension = 0, corners = 0, seen = 0;
  std::vector<double> contrast;
  int frames = 0;

  void Add(const OutlineJudgement& judged, const OutermostParams& params, CarriedOutline& outline) {
    ++frames;
    extension += judged.extension;
    corners += judged.corners;
    seen += judged.MeanSeen();
    contrast.push_back(judged.MeanContrast());
    for (std::size_t i = 0; i < 4; ++i) {
      const double w = (judged.seen[i] > params.min_side_seen ? judged.seen[i] : 0) + 1e-6;
      support[i] += w * judged.support[i];
      weight[i] += w;
      passed[i] += judged.passed[i];
      for (std::size_t s = 0; s < kSideSamples; ++s) outline.found[i][s] += judged.found[i][s];
    }
  }

  double Form(const std::array<double, 4>& sides, const ObjectSearchParams& params) {
    const double mean = (sides[0] + sides[1] + sides[2] + sides[3]) / 4;
    const double least = *std::ranges::min_element(sides);
    const double step = 1 - std::exp(-UpperMedian(contrast) / params.judging.plain_step);
    const double unseen = params.outermost.unseen_weight;
    const double cornerless = params.outermost.corner_weight;
    const double at_corners = std::min(1.0, corners / frames / params.outermost.full_corner_share);
    return mean * std::min(1.0, params.weakest_side_base + least) *
           (1 - params.judging.extension_weight * extension / frames) *
           (1 - unseen + unseen * seen / frames) * (1 - cornerless + cornerless * at_corners) *
           step;
  }
};

/// Mean distance of a side's corners from which on it is another side.
double MovedSidePx(const Quadrilateral& outline, const OutermostParams& params) {
  return params.moved_side_share * Diagonal(outline) + params.moved_side_px;
}

/// Whether one of two sides is a part of the other.
bool LieTogether(const OutlineSide& a, const OutlineSide& b, double off_px) {
  const auto is_part = [off_px](const OutlineSide& part, const OutlineSide& whole) {
    return DistanceFromSide(whole, part.from) <= off_px &&
           DistanceFromSide(whole, part.to) <= off_px;
  };
  return is_part(a, b) || is_part(b, a);
}

/// Whether a side of an outline is one that is known to be print.
bool IsOnPrint(const OutlineGroup& group, const Quadrilateral& outline,
               const OutermostParams& params) {
  const double same = MovedSidePx(outline, params);
  for (std::size_t i = 0; i < 4; ++i) {
    const OutlineSide side{outline[i], outline[(i + 1) % 4]};
    if (std::ranges::any_of(group.printed, [&](const OutlineSide& printed) {
          return LieTogether(side, printed, same);
        })) {
      return true;
    }
  }
  return false;
}

/// Of a side's `passed`, from which on it is print: more than is chance.
double PrintFrom(const JudgingParams& limits) {
  return std::max(limits.print_passed_share, limits.min_passed_share + 1e-6);
}

/// Sets the form: less where a side is print, as the object goes on beyond it.
void SetForm(const OutlineGroup& group, const ObjectSearchParams& params, CarriedOutline& outline) {
  const JudgingParams& limits = params.judging;
  const double most = *std::ranges::max_element(outline.passed);
  const double chance = limits.min_passed_share;
  const double surely = IsOnPrint(group, outline.corners, params.outermost)
                            ? 1
                            : std::clamp((most - chance) / (PrintFrom(limits) - chance), 0.0, 1.0);
  outline.form = outline.plain_form * (1 - limits.passed_weight * surely);
}

/// Judges an outline of the reference frame in some frames of its group's motion.
void JudgeCarried(const SearchedClip& clip, const OutlineGroup& group,
                  const std::vector<std::size_t>& frames, const ObjectSearchParams& params,
                  CarriedOutline& outline) {
  const OutermostParams& limits = params.outermost;
  Sums sums;
  outline.found = {};
  outline.passed = {};
  outline.form = outline.plain_form = 0;
  for (const std::size_t at : frames) {
    const Quadrilateral here = Map(group.motion.at(at), outline.corners);
    if (!IsConvex(here) || Area(here) < limits.min_area_px2) continue;
    sums.Add(JudgeOutline(clip[at].edges, here, limits.reach_px), limits, outline);
  }
  if (sums.frames == 0) return;
  for (std::size_t i = 0; i < 4; ++i) {
    outline.support[i] = sums.support[i] / sums.weight[i];
    outline.passed[i] = sums.passed[i] / sums.frames;
    for (double& share : outline.found[i]) share /= sums.frames;
  }
  const double gain = limits.foreground_gain * static_cast<double>(outline.foregrounds) /
                      static_cast<double>(group.motion.size());
  outline.plain_form = std::min(1.0, sums.Form(outline.support, params) * (1 + gain));
  SetForm(group, params, outline);
}

/// Finds the sides that are print, from the best outline on to the first that has none, and sets
/// the forms anew: an outline with one of those sides is not the object's, whatever else it takes
/// in. @return the best form
double FindPrintedSides(const ObjectSearchParams& params, OutlineGroup& group,
                        std::vector<CarriedOutline>& outlines) {
  std::vector<CarriedOutline> falling = outlines;
  std::ranges::stable_sort(falling, std::greater<>(), &CarriedOutline::plain_form);
  for (const CarriedOutline& one : falling) {
    bool has_print = IsOnPrint(group, one.corners, params.outermost);
    for (std::size_t i = 0; i < 4; ++i) {
      if (one.passed[i] < PrintFrom(params.judging)) continue;
      group.printed.push_back({one.corners[i], one.corners[(i + 1) % 4]});
      has_print = true;
    }
    if (!has_print) break;
  }
  double best_form = 0;
  for (CarriedOutline& one : outlines) {
    SetForm(group, params, one);
    best_form = std::max(best_form, one.form);
  }
  return best_form;
}

double LeastSupport(const CarriedOutline& outline) {
  return *std::ranges::min_element(outline.support);
}

/// Least share of frames with an edge, over the sides, where an outline is not the inner one.
double SupportOfNewParts(const CarriedOutline& outer, const Quadrilateral& inner,
                         const ObjectSearchParams& params) {
  const double limit = params.outermost.new_part_share * Diagonal(inner);
  double least = 1;
  for (std::size_t i = 0; i < 4; ++i) {
    double sum = 0;
    int away = 0;
    const Point a = outer.corners[i];
    const Point b = outer.corners[(i + 1) % 4];
    for (std::size_t s = 0; s < kSideSamples; ++s) {
      if (DistanceFromSides(inner, a + (b - a) * SamplePosition(s, params.judging)) <= limit)
        continue;
      sum += outer.found[i][s];
      ++away;
    }
    if (away >= params.outermost.min_new_places) least = std::min(least, sum / away);
  }
  return least;
}

/// Mean colours on both sides of an outer side of an outline and inside of the inner one's.
struct StripColours {
  cv::Vec3f strip{};  ///< between the sides, nearer to the outer one
  cv::Vec3f outside{}, inside{};
  std::vector<cv::Vec3f> further;  ///< at some distances beyond the outer side
};

StripColours ColoursAlong(const EdgeMap& edges, const OutlineSide& outer, const OutlineSide& inner,
                          const OutermostParams& params) {
  const int places = params.colour_places;
  const double begin = params.colour_corner_share;
  const double side = Distance(outer.from, outer.to);
  StripColours colours;
  colours.further.resize(params.further_places);
  for (int i = 0; i < places; ++i) {
    const double t = begin + (1 - 2 * begin) * i / (places - 1);
    const Point o = outer.from + (outer.to - outer.from) * t;
    const Point n = inner.from + (inner.to - inner.from) * t;
    const double width = std::max(1.0, Distance(o, n));
    const Point out = (o - n) * (1 / width);
    const Point beyond = out * std::max(width, params.min_strip_px);
    for (std::size_t d = 0; d < params.colour_depths.size(); ++d) {
      colours.strip += edges.Colour(n + (o - n) * params.strip_depths[d]);
      colours.outside += edges.Colour(o + beyond * params.colour_depths[d]);
      colours.inside += edges.Colour(n - beyond * params.colour_depths[d]);
    }
    for (std::size_t k = 0; k < params.further_places; ++k) {
      const double share = params.further_share * static_cast<double>(k + 1) /
                           static_cast<double>(params.further_places);
      colours.further[k] += edges.Colour(o + out * (side * share));
    }
  }
  const auto mean = 1.0F / static_cast<float>(places);
  for (cv::Vec3f& colour : colours.further) colour *= mean;
  for (cv::Vec3f* colour : {&colours.strip, &colours.outside, &colours.inside}) {
    *colour *= mean / static_cast<float>(params.colour_depths.size());
  }
  return colours;
}

/// How unlike what lies beyond it the strip is (RGB). Where the table is now brighter, now darker,
/// as wood and cloth are, and the strip is as bright as some of it, only the hue counts.
double UnlikeOutside(const StripColours& colours, const OutermostParams& params) {
  const double plain = cv::norm(colours.strip - colours.outside);
  const auto brightness = [](const cv::Vec3f& colour) { return cv::norm(colour); };
  const auto [darkest, brightest] = std::ranges::minmax(colours.further, {}, brightness);
  const double here = brightness(colours.strip);
  if (here < brightness(darkest) - params.brightness_slack) return plain;
  if (here > brightness(brightest) + params.brightness_slack) return plain;
  const double scale = here / std::max(1.0, brightness(colours.outside));
  const cv::Vec3f shaded = colours.outside * static_cast<float>(scale);
  return std::min(plain, params.hue_weight * cv::norm(colours.strip - shaded));
}

/// Mean colours near one end of a side: right beside its inner position, and further on.
struct EndColours {
  cv::Vec3f strip{}, beyond_strip{};    ///< outside of the inner position; beyond the end
  cv::Vec3f inside{}, beyond_inside{};  ///< likewise inside of it
  cv::Vec3f beside{};                   ///< outside of the outer position
};

/// At the sides' `from`.
EndColours ColoursAtEnd(const EdgeMap& edges, const OutlineSide& outer, const OutlineSide& inner,
                        const OutermostParams& params) {
  const Point onwards = (outer.from - outer.to) * (1 / Distance(outer.from, outer.to));
  const Point across{-onwards.y, onwards.x};
  const double apart = Dot(outer.from - inner.from, across);
  const double width = std::max(1.0, std::abs(apart));
  const Point out = apart < 0 ? across * -1 : across;
  const double reach = params.min_strip_px;
  EndColours colours;
  for (std::size_t d = 0; d < params.strip_depths.size(); ++d) {
    const Point in_strip = out * (std::min(width, reach) * params.strip_depths[d]);
    const Point in_object = out * (-reach * params.strip_depths[d]);
    const Point end = outer.from - out * width;
    for (const double depth : params.colour_depths) {
      const Point beyond = onwards * (std::max(width, reach) * depth);
      colours.beyond_strip += edges.Colour(end + in_strip + beyond);
      colours.beyond_inside += edges.Colour(end + in_object + beyond);
    }
    for (int i = 1; i <= params.colour_places; ++i) {
      const double t = params.end_share * i / params.colour_places;
      const Point o = outer.from + (outer.to - outer.from) * t;
      const Point n = inner.from + (inner.to - inner.from) * t;
      colours.strip += edges.Colour(n + in_strip);
      colours.inside += edges.Colour(n + in_object);
      colours.beside += edges.Colour(o + out * (reach * params.strip_depths[d]));
    }
  }
  const auto depths = static_cast<float>(params.strip_depths.size());
  for (cv::Vec3f* colour : {&colours.strip, &colours.inside, &colours.beside}) {
    *colour *= 1 / (depths * static_cast<float>(params.colour_places));
  }
  for (cv::Vec3f* colour : {&colours.beyond_strip, &colours.beyond_inside}) {
    *colour *= 1 / (depths * static_cast<float>(params.colour_depths.size()));
  }
  return colours;
}

/// Whether the object ends at the inner position of a side, and the outer one is another thing's
/// that stands beside it: what shows right outside of the inner one goes on beyond an end of the
/// side, where the object ends, and is unlike what lies outside of the outer one.
/// @param inner  turned towards `outer`
bool IsGap(const SearchedClip& clip, const OutlineGroup& group, const Quadrilateral& outer,
           const Quadrilateral& inner, std::size_t side, const OutermostParams& params) {
  const std::size_t next = (side + 1) % 4;
  for (const auto& [from, to] : {std::pair(side, next), std::pair(next, side)}) {
    std::vector<double> onwards;
    std::vector<double> object;
    std::vector<double> beside;
    for (const std::size_t at : Spread(group.frames, params.colour_frames)) {
      const Quadrilateral o = Map(group.motion.at(at), outer);
      const Quadrilateral n = Map(group.motion.at(at), inner);
      const auto colours = ColoursAtEnd(clip[at].edges, {o[from], o[to]}, {n[from], n[to]}, params);
      onwards.push_back(cv::norm(colours.strip - colours.beyond_strip));
      object.push_back(cv::norm(colours.inside - colours.beyond_inside));
      beside.push_back(cv::norm(colours.strip - colours.beside));
    }
    const double step = UpperMedian(onwards);
    if (step < params.like_surroundings &&
        step < params.like_surroundings_share * UpperMedian(object) &&
        UpperMedian(beside) >= params.like_surroundings) {
      return true;
    }
  }
  return false;
}

/// Whether what lies between two positions of a side is of the colours of what lies around them:
/// the grain of a table has lines, too. @param inner  turned towards `outer`
bool IsTable(const SearchedClip& clip, const OutlineGroup& group, const Quadrilateral& outer,
             const Quadrilateral& inner, std::size_t side, const OutermostParams& params) {
  const std::size_t next = (side + 1) % 4;
  std::vector<double> to_outside;
  std::vector<double> to_inside;
  for (const std::size_t at : Spread(group.frames, params.colour_frames)) {
    const Quadrilateral o = Map(group.motion.at(at), outer);
    const Quadrilateral n = Map(group.motion.at(at), inner);
    const auto colours =
        ColoursAlong(clip[at].edges, {o[side], o[next]}, {n[side], n[next]}, params);
    to_outside.push_back(UnlikeOutside(colours, params));
    to_inside.push_back(cv::norm(colours.strip - colours.inside));
  }
  const double outside = UpperMedian(to_outside);
  return outside < params.like_surroundings &&
         outside < params.like_surroundings_share * UpperMedian(to_inside);
}

/// Whether some side takes in what is table, or a gap beside the object, between two outlines.
bool IsTable(const SearchedClip& clip, const OutlineGroup& group, const Quadrilateral& outer,
             const Quadrilateral& inner, const OutermostParams& params) {
  const Quadrilateral turned = TurnedTowards(inner, outer);
  const double moved = MovedSidePx(inner, params);
  for (std::size_t i = 0; i < 4; ++i) {
    if (std::abs(OutsideBy(outer, turned, i)) < moved) continue;  // the same line, or nearly
    if (IsTable(clip, group, outer, turned, i, params)) return true;
    if (IsGap(clip, group, outer, turned, i, params)) return true;
  }
  return false;
}

/// Whether an outline has one side on the table and leaves out, at another side, a part of the
/// object that the other outline has: a printed line and a joint of the table can be as good an
/// outline as the object's own.
bool IsShifted(const SearchedClip& clip, const OutlineGroup& group, const Quadrilateral& outline,
               const Quadrilateral& other, const OutermostParams& params) {
  const Quadrilateral turned = TurnedTowards(other, outline);
  const double moved = MovedSidePx(outline, params);
  bool on_table = false;
  bool leaves_out = false;
  for (std::size_t i = 0; i < 4; ++i) {
    const double out = OutsideBy(outline, turned, i);
    if (out > moved && IsTable(clip, group, outline, turned, i, params)) on_table = true;
    if (out < -moved) {
      if (IsTable(clip, group, turned, outline, i, params)) return false;
      leaves_out = true;
    }
  }
  return on_table && leaves_out;
}

/// Outlines that are nearly the same taken together, the best first.
std::vector<CarriedOutline> Together(std::vector<CarriedOutline> carried,
                                     const ObjectSearchParams& params) {
  std::ranges::stable_sort(carried, std::greater<>(), &CarriedOutline::proposed);
  std::vector<CarriedOutline> together;
  for (const CarriedOutline& one : carried) {
    const double same = params.SameOutlinePx(one.corners);
    const auto known = std::ranges::find_if(together, [&](const CarriedOutline& other) {
      return TurnedCornerDistance(one.corners, other.corners) < same;
    });
    if (known == together.end()) {
      together.push_back(one);
    } else {
      ++known->votes;
      known->foregrounds += one.foregrounds;
    }
  }
  return together;
}

/// Proposals of all frames in the reference frame, those that agree taken together.
std::vector<CarriedOutline> Gather(const SearchedClip& clip, const OutlineTrack& track,
                                   const OutlineGroup& group, const Quadrilateral& reference,
                                   const ObjectSearchParams& params) {
  const OutermostParams& limits = params.outermost;
  std::vector<CarriedOutline> carried = {{.corners = reference, .votes = 1, .proposed = 1}};
  for (const auto& [at, tracked] : track) {
    const auto back = Inverse(group.motion.at(at));
    if (!back) continue;
    for (const JudgedOutline& proposal : clip[at].proposals) {
      const Quadrilateral q = Map(*back, proposal.corners);
      if (!IsConvex(q)) continue;
      const double growth = Area(q) / Area(reference);
      if (growth < limits.min_growth || growth > limits.max_growth) continue;
      if (SharedOfSmaller(q, reference) < limits.min_shared) continue;
      carried.push_back({.corners = q,
                         .votes = 1,
                         .foregrounds = proposal.foreground ? 1U : 0U,
                         .proposed = proposal.score});
    }
  }
  std::vector<CarriedOutline> together = Together(std::move(carried), params);
  std::ranges::stable_sort(together, std::greater<>(), [&](const CarriedOutline& one) {
    const auto votes = static_cast<double>(std::min(one.votes, limits.max_votes));
    return one.proposed * (1 + limits.vote_gain * votes);
  });
  if (together.size() > limits.max_outlines) together.resize(limits.max_outlines);
  return together;
}

/// Adds the best outline with its weak side where it has more edges. @return the best form
double AddWithStrongerSides(const SearchedClip& clip, const OutlineGroup& group,
                            const ObjectSearchParams& params,
                            std::vector<CarriedOutline>& outlines) {
  const CarriedOutline best = *std::ranges::max_element(outlines, {}, &CarriedOutline::form);
  const std::vector<std::size_t> few = Spread(group.frames, params.weak_side.frames);
  double best_form = best.form;
  for (const Quadrilateral& corners :
       SearchWeakSide({clip, group.motion, few}, best.corners, best.support, params.weak_side)) {
    CarriedOutline moved = best;
    moved.corners = corners;
    JudgeCarried(clip, group, group.frames, params, moved);
    best_form = std::max(best_form, moved.form);
    outlines.push_back(moved);
  }
  return best_form;
}

/// The best of them that is not shifted against another one.
CarriedOutline BestUnshifted(const SearchedClip& clip, const OutlineGroup& group,
                             std::vector<CarriedOutline> good, const OutermostParams& params) {
  std::ranges::stable_sort(good, std::greater<>(), &CarriedOutline::form);
  CarriedOutline best = good.front();
  for (const CarriedOutline& one : good) {
    if (IsShifted(clip, group, best.corners, one.corners, params)) best = one;
  }
  return best;
}

/// The best of them, or a wider one that is nearly as good.
CarriedOutline Widest(const SearchedClip& clip, const OutlineGroup& group,
                      const std::vector<CarriedOutline>& outlines, double best_form,
                      const ObjectSearchParams& params) {
  const OutermostParams& limits = params.outermost;
  std::vector<CarriedOutline> good;
  for (const CarriedOutline& one : outlines) {
    if (one.form < limits.good_form * best_form) continue;
    if (LeastSupport(one) >= limits.min_side_support) good.push_back(one);
  }
  if (good.empty()) return *std::ranges::max_element(outlines, {}, &CarriedOutline::form);
  CarriedOutline widest = BestUnshifted(clip, group, good, limits);
  best_form = widest.form;
  std::ranges::stable_sort(good, {}, [](const CarriedOutline& one) { return Area(one.corners); });
  for (const CarriedOutline& one : good) {
    const double growth = Area(one.corners) / Area(widest.corners);
    if (growth <= limits.wider_growth) continue;
    if (SharedOfSmaller(one.corners, widest.corners) <= limits.min_enclosed) continue;
    const double needed =
        growth < limits.much_wider_growth ? limits.wider_form : limits.much_wider_form;
    if (one.form < needed * best_form) continue;
    const double votes = limits.min_votes_share * static_cast<double>(widest.votes);
    if (static_cast<double>(one.votes) < votes) continue;
    if (SupportOfNewParts(one, widest.corners, params) < limits.min_new_support) continue;
    if (!IsTable(clip, group, one.corners, widest.corners, limits)) widest = one;
  }
  return widest;
}

/// The widest outline around this one that has a printed border inside of it, as sure as this one;
/// or this one.
CarriedOutline WithBorder(const SearchedClip& clip, const OutlineGroup& group,
                          std::vector<CarriedOutline> outlines, const CarriedOutline& outline,
                          const ObjectSearchParams& params) {
  const OutermostParams& limits = params.outermost;
  const std::vector<std::size_t> frames = Spread(group.frames, params.border.frames);
  if (const auto rim = RimAroundPanel(clip, group.motion, frames, outline.corners, params.border)) {
    outlines.push_back(outline);
    outlines.back().corners = *rim;
    JudgeCarried(clip, group, group.frames, params, outlines.back());
  }
  CarriedOutline widest = outline;
  for (const CarriedOutline& one : outlines) {
    if (one.form < params.border.min_form * outline.form) continue;
    if (LeastSupport(one) < limits.min_side_support) continue;
    if (Area(one.corners) <= Area(widest.corners)) continue;
    if (SharedOfSmaller(one.corners, outline.corners) <= limits.min_enclosed) continue;
    if (SupportOfNewParts(one, outline.corners, params) < limits.min_new_support) continue;
    if (HasPrintedBorder(clip, group.motion, frames, one.corners, params.border)) widest = one;
  }
  // The border ties the rim to the panel, whose edges say how surely this is an object.
  widest.form = std::max(widest.form, outline.form);
  return widest;
}

/// A parallel of a side that other outlines use.
struct ParallelLine {
  OutlineSide side;
  double shift = 0;
  double turn = 0;
  std::size_t votes = 0;
};

/// On which side of a side.
enum class Beside { kOutside, kInside };

/// The lines of other outlines beside one side, those with most votes first.
std::vector<ParallelLine> ParallelLines(const CarriedOutline& outline, std::size_t side,
                                        Beside where, const std::vector<CarriedOutline>& others,
                                        double best_form, const OutermostParams& params) {
  const double diagonal = Diagonal(outline.corners);
  const Point a = outline.corners[side];
  const Point b = outline.corners[(side + 1) % 4];
  const Point along = (b - a) * (1 / Distance(a, b));
  const Point outwards = {along.y, -along.x};
  const double sign = where == Beside::kOutside ? 1 : -1;
  const double most = (where == Beside::kOutside ? 1 : 2) * params.max_side_shift_share * diagonal;
  std::vector<ParallelLine> lines;
  for (const CarriedOutline& other : others) {
    if (other.form < params.good_form * best_form) continue;
    const Quadrilateral turned = TurnedTowards(other.corners, outline.corners);
    const Point c = turned[side];
    const Point run = turned[(side + 1) % 4] - c;
    const double speed = Dot(run, along);
    if (speed <= 1e-9) continue;
    const auto out_at = [&](Point p) {
      return Dot(c + run * (Dot(p - c, along) / speed) - p, outwards);
    };
    const double x = out_at(a);
    const double y = out_at(b);
    if (sign * (x + y) / 2 <= params.min_side_shift_share * diagonal) continue;
    if (sign * (x + y) / 2 >= most) continue;
    if (std::abs(x - y) >= params.max_side_turn_share * diagonal) continue;
    const auto known = std::ranges::find_if(lines, [&](const ParallelLine& line) {
      return std::abs(line.shift - (x + y) / 2) + std::abs(line.turn - (x - y)) / 2 <
             params.same_line_share * diagonal;
    });
    if (known != lines.end()) {
      known->votes += other.votes;
    } else {
      lines.push_back({{a + outwards * x, b + outwards * y}, (x + y) / 2, x - y, other.votes});
    }
  }
  std::ranges::stable_sort(lines, std::greater<>(), &ParallelLine::votes);
  return lines;
}

/// All outlines with some sides moved out to other outlines' lines; the unmoved one first.
std::vector<CarriedOutline> MovedOutwards(const CarriedOutline& outline,
                                          const std::vector<CarriedOutline>& others,
                                          double best_form, const ObjectSearchParams& params) {
  const double min_corner_sine = params.judging.min_corner_sine;
  std::array<std::vector<OutlineSide>, 4> options;
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < 4; ++i) {
    options[i] = {{outline.corners[i], outline.corners[(i + 1) % 4]}};
    auto lines = ParallelLines(outline, i, Beside::kOutside, others, best_form, params.outermost);
    if (lines.size() > params.outermost.max_side_lines) {
      lines.resize(params.outermost.max_side_lines);
    }
    for (const ParallelLine& line : lines) options[i].push_back(line.side);
    combinations *= options[i].size();
  }
  std::vector<CarriedOutline> moved = {outline};
  for (std::size_t number = 1; number < combinations; ++number) {
    std::array<OutlineSide, 4> sides;
    for (std::size_t i = 0, rest = number; i < 4; rest /= options[i].size(), ++i) {
      sides[i] = options[i][rest % options[i].size()];
    }
    const auto corners = MeetSides(sides, min_corner_sine);
    if (!corners || !IsConvex(*corners)) continue;
    moved.push_back(outline);
    moved.back().corners = *corners;
  }
  return moved;
}

/// The outline with each side as far out as its evidence allows.
CarriedOutline Rimward(const SearchedClip& clip, const OutlineGroup& group,
                       const std::vector<CarriedOutline>& others, double best_form,
                       const ObjectSearchParams& params) {
  const OutermostParams& limits = params.outermost;
  std::vector<CarriedOutline> moved = MovedOutwards(group.best, others, best_form, params);
  if (moved.size() < 2) return group.best;
  const std::vector<std::size_t> few = Spread(group.frames, limits.moved_frames);
  double top = 0;
  for (CarriedOutline& one : moved) {
    JudgeCarried(clip, group, few, params, one);
    top = std::max(top, one.form);
  }
  const CarriedOutline* widest = nullptr;
  for (const CarriedOutline& one : moved) {
    if (one.form < limits.wider_form * top) continue;
    if (LeastSupport(one) < limits.min_side_support) continue;
    if (widest != nullptr && Area(one.corners) <= Area(widest->corners)) continue;
    const Quadrilateral& before = group.best.corners;
    const bool believed = &one == &moved.front() ||
                          (SupportOfNewParts(one, before, params) >= limits.min_new_support &&
                           !IsTable(clip, group, one.corners, before, limits));
    if (believed) widest = &one;
  }
  if (widest == nullptr || widest == &moved.front()) return group.best;
  CarriedOutline best = *widest;
  JudgeCarried(clip, group, group.frames, params, best);
  return best;
}

/// The outline with each side that is another thing's, or a line of the table, moved in to the
/// object's own: that may be the plainer one.
CarriedOutline WithoutSurroundings(const SearchedClip& clip, const OutlineGroup& group,
                                   const std::vector<CarriedOutline>& others,
                                   const ObjectSearchParams& params) {
  const OutermostParams& limits = params.outermost;
  CarriedOutline best = group.best;
  for (std::size_t i = 0; i < 4; ++i) {
    auto lines = ParallelLines(best, i, Beside::kInside, others, group.best.form, limits);
    std::ranges::stable_sort(lines, std::greater<>(), &ParallelLine::shift);
    for (const ParallelLine& line : lines) {
      std::array<OutlineSide, 4> sides;
      for (std::size_t k = 0; k < 4; ++k) sides[k] = {best.corners[k], best.corners[(k + 1) % 4]};
      sides[i] = line.side;
      const auto corners = MeetSides(sides, params.judging.min_corner_sine);
      if (!corners || !IsConvex(*corners)) continue;
      if (!IsGap(clip, group, best.corners, *corners, i, limits) &&
          !IsTable(clip, group, best.corners, *corners, i, limits)) {
        continue;
      }
      CarriedOutline moved = best;
      moved.corners = *corners;
      JudgeCarried(clip, group, group.frames, params, moved);
      if (moved.form < limits.good_form * best.form) continue;
      if (LeastSupport(moved) < limits.min_side_support) continue;
      best = moved;
    }
  }
  return best;
}

/// Where another group's outline lies in a group's reference frame: the medians over the frames
/// that both have, as a track follows its corners by some pixels only. Nothing where they have
/// none.
std::optional<Quadrilateral> CornersIn(const OutlineGroup& group, const OutlineGroup& other) {
  std::array<std::vector<double>, 4> x, y;
  for (const auto& [at, motion] : group.motion) {
    const auto theirs = other.motion.find(at);
    const auto back = Inverse(motion);
    if (theirs == other.motion.end() || !back) continue;
    const Quadrilateral here = Map(*back, Map(theirs->second, other.best.corners));
    for (std::size_t i = 0; i < 4; ++i) {
      x[i].push_back(here[i].x);
      y[i].push_back(here[i].y);
    }
  }
  if (x[0].empty()) return std::nullopt;
  Quadrilateral corners;
  for (std::size_t i = 0; i < 4; ++i) corners[i] = {UpperMedian(x[i]), UpperMedian(y[i])};
  return corners;
}

/// The frame of a track that shows the outline best.
std::size_t ReferenceOf(const SearchedClip& clip, const OutlineTrack& track,
                        const ReferenceFrameParams& params) {
  std::size_t best = track.begin()->first;
  double most = -1;
  for (const auto& [at, outline] : track) {
    const double share = Area(outline.corners) / static_cast<double>(clip.picture().area());
    const double shows = outline.judged.MeanSeen() *
                         std::min(1.0, params.compared_area_base + std::sqrt(share)) *
                         (params.compared_support_base + outline.judged.MeanSupport());
    if (shows <= most) continue;
    most = shows;
    best = at;
  }
  return best;
}

/// Share of the frames whose likeness says that the inside moves along.
void SetRigidity(const OutlineTrack& track, double min_likeness, OutlineGroup& group) {
  double alike = 0;
  double asked = 0;
  for (const auto& [at, outline] : track) {
    if (!outline.likeness) continue;
    ++asked;
    alike += *outline.likeness >= min_likeness ? 1 : 0;
  }
  group.plain = 2 * asked < static_cast<double>(track.size());
  group.rigid = asked > 0 ? alike / asked : 1;
}

/// Mean square of the Laplacian inside an outline: how sharp it is there.
double SharpnessInside(const cv::Mat& grey, const Quadrilateral& outline) {
  cv::Mat laplacian;
  cv::Laplacian(grey, laplacian, CV_16S);
  double sum = 0;
  double count = 1;
  for (int y = 1; y < grey.rows - 1; y += 2) {
    for (int x = 1; x < grey.cols - 1; x += 2) {
      if (!Contains(outline, {static_cast<double>(x), static_cast<double>(y)})) continue;
      const double value = laplacian.at<std::int16_t>(y, x);
      sum += value * value;
      ++count;
    }
  }
  return sum / count;
}

}  // namespace

std::optional<OutlineGroup> FindOutermost(const SearchedClip& clip, const OutlineTrack& track,
                                          const ObjectSearchParams& params) {
  const std::size_t reference = ReferenceOf(clip, track, params.reference_frame);
  const Quadrilateral corners = track.at(reference).corners;
  OutlineGroup group;
  std::vector<std::size_t> all;
  for (const auto& [at, outline] : track) {
    const auto motion = Between(corners, outline.corners);
    if (!motion) return std::nullopt;
    group.motion.emplace(at, *motion);
    all.push_back(at);
  }
  group.frames = Spread(all, params.outermost.compared_frames);
  std::vector<CarriedOutline> outlines = Gather(clip, track, group, corners, params);
  for (CarriedOutline& one : outlines) JudgeCarried(clip, group, group.frames, params, one);
  double best_form = FindPrintedSides(params, group, outlines);
  if (best_form <= 0) return std::nullopt;
  best_form = AddWithStrongerSides(clip, group, params, outlines);
  group.best = Widest(clip, group, outlines, best_form, params);
  group.best = WithBorder(clip, group, outlines, group.best, params);
  group.best = Rimward(clip, group, outlines, best_form, params);
  group.best = WithoutSurroundings(clip, group, outlines, params);
  SetRigidity(track, params.following.min_likeness, group);
  return group;
}

void LeaveOutSurroundings(const SearchedClip& clip, std::span<const OutlineGroup* const> others,
                          const ObjectSearchParams& params, OutlineGroup& group) {
  std::vector<CarriedOutline> outlines;
  outlines.reserve(others.size());
  for (const OutlineGroup* other : others) {
    const auto corners = CornersIn(group, *other);
    if (!corners || !IsConvex(*corners)) continue;
    outlines.push_back(other->best);
    outlines.back().corners = *corners;
  }
  ObjectSearchParams far = params;
  far.outermost.min_side_shift_share = params.outermost.min_group_shift_share;
  group.best = WithoutSurroundings(clip, group, outlines, far);
}

bool IsAround(const SearchedClip& clip, const OutlineGroup& outer, const OutlineGroup& inner,
              const ObjectSearchParams& params) {
  std::vector<double> enclosed;
  std::vector<double> growth;
  std::optional<Quadrilateral> in_outer;  // the inner one, in the outer's reference frame
  for (const auto& [at, motion] : outer.motion) {
    const auto other = inner.motion.find(at);
    const auto back = Inverse(motion);
    if (other == inner.motion.end() || !back) continue;
    const Quadrilateral wide = Map(motion, outer.best.corners);
    const Quadrilateral narrow = Map(other->second, inner.best.corners);
    enclosed.push_back(SharedOfSmaller(wide, narrow));
    growth.push_back(Area(wide) / std::max(1e-9, Area(narrow)));
    if (!in_outer) in_outer = Map(*back, narrow);
  }
  const OutermostParams& limits = params.outermost;
  return in_outer && UpperMedian(enclosed) > limits.min_enclosed &&
         UpperMedian(growth) > limits.around_growth &&
         SupportOfNewParts(outer.best, *in_outer, params) >= limits.min_new_support &&
         !IsTable(clip, outer, outer.best.corners, *in_outer, limits);
}

void AddPrintedStrips(const SearchedClip& clip, const PrintedStripParams& params,
                      OutlineGroup& group) {
  const std::vector<std::size_t> frames = Spread(group.frames, params.frames);
  if (const auto wider =
          WithPrintedStrips(clip, group.motion, frames, group.best.corners, params)) {
    group.best.corners = *wider;
    group.widened = true;
  }
}

void AddEvenBorder(const SearchedClip& clip, PrintedBorderParams params, OutlineGroup& group) {
  params.max_width_ratio = params.max_even_ratio;
  params.min_frames_share = params.min_even_share;
  const std::vector<std::size_t> frames = Spread(group.frames, params.even_frames);
  const auto rim = RimAroundPanel(clip, group.motion, frames, group.best.corners, params);
  if (!rim || !HasPrintedBorder(clip, group.motion, frames, *rim, params)) return;
  group.best.corners = *rim;
  group.widened = true;
}

ObjectTrack ShowObject(const SearchedClip& clip, const OutlineGroup& group,
                       const ObjectSearchParams& params) {
  const ReferenceFrameParams& powers = params.reference_frame;
  ObjectTrack object{.plain = group.plain, .widened = group.widened};
  double most = -1;
  for (const auto& [at, motion] : group.motion) {
    const Quadrilateral here = Map(motion, group.best.corners);
    if (!IsConvex(here)) continue;
    const double coverage = CoverageBy(clip.picture(), here);
    const auto judged =
        JudgeOutline(clip[at].edges, here, params.outermost.reach_px, JudgedParts::kSides);
    const double shows = std::pow(coverage, powers.coverage_exponent) *
                         std::pow(Area(here), powers.area_exponent) *
                         (powers.support_base + judged.MeanSupport()) *
                         std::pow(SharpnessInside(clip[at].grey, here), powers.sharpness_exponent);
    object.outlines.emplace(at, here);
    object.coverage.emplace(at, coverage);
    object.shows.emplace(at, shows);
    if (shows <= most) continue;
    most = shows;
    object.best = at;
  }
  return object;
}

}  // namespace glint
