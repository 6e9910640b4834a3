// SPDX-License-Identifier: Apache-2.0
#include "analyse/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/median.h"

namespace glint {
namespace {

/// The frame that moved least, of those whose motion is known; null when there is none.
const FrameMeasure* Steadiest(std::span<const FrameMeasure> frames) {
  const FrameMeasure* best = nullptr;
  for (const FrameMeasure& frame : frames) {
    if (frame.motion256 && (best == nullptr || *frame.motion256 < *best->motion256)) best = &frame;
  }
  return best;
}

double MedianClipped(std::span<const FrameMeasure> frames) {
  std::vector<double> clipped;
  for (const FrameMeasure& frame : frames) clipped.push_back(frame.clipped);
  return UpperMedian(clipped);
}

std::string NoSteadyFrame(std::span<const FrameMeasure> frames, double motion_limit_px) {
  const FrameMeasure* steadiest = Steadiest(frames);
  if (steadiest == nullptr) {
    return "The video has a single frame, so its motion cannot be measured: film for a few "
           "seconds.";
  }
  return fmt::format(
      "All {} frames moved too much: the steadiest, frame {}, by {:.2f} px, where {:.2f} px are "
      "allowed. "
      "Hold the phone still for a second at a few places, or raise --motion-limit.",
      frames.size(), steadiest->index, static_cast<double>(*steadiest->motion256) / 256,
      motion_limit_px);
}

}  // namespace

std::vector<std::string> FilmingAdvice(std::span<const FrameMeasure> frames, std::size_t chosen,
                                       double motion_limit_px, const AdviceParams& params) {
  std::vector<std::string> advice;
  if (frames.empty()) return advice;
  if (chosen == 0) advice.push_back(NoSteadyFrame(frames, motion_limit_px));
  if (chosen == 1) {
    advice.emplace_back(
        "Only one frame could be used, so nothing could be compared over time: film longer, and "
        "pause "
        "at a few places.");
  }
  if (const double clipped = MedianClipped(frames); clipped > params.max_clipped) {
    advice.push_back(fmt::format(
        "{:.0f} % of the picture is too dark or too bright to show detail: use more even light "
        "and avoid glare.",
        100 * clipped));
  }
  return advice;
}

std::string NotJudgedAdvice(const NotJudged& why) {
  const double second = static_cast<double>(why.timestamp_us) / 1e6;
  switch (why.cause) {
    case NotJudgedCause::kNoObject:
      return fmt::format(
          "No flat object with four sides stands out, at second {:.1f} for one: put a single one "
          "on "
          "a plain surface of another colour, and let it fill most of the picture.",
          second);
    case NotJudgedCause::kObjectOutside:
      return fmt::format(
          "A part of the object is outside of the picture even where most of it shows, at second "
          "{:.1f}: step back until all four corners are in the picture.",
          second);
    case NotJudgedCause::kFewViews:
      return fmt::format(
          "The object is in the picture too briefly, around second {:.1f}: keep all of it there "
          "for "
          "some seconds while you tilt it or move the light.",
          second);
    case NotJudgedCause::kStillLight:
      return fmt::format(
          "The light on the object never changes, at second {:.1f} it is as at the start: tilt the "
          "object or move the light while you film.",
          second);
    case NotJudgedCause::kPoorRegistration:
      return fmt::format(
          "The frames do not fit onto each other, at second {:.1f} worst: lay the object flat, "
          "keep "
          "it in focus and move more slowly.",
          second);
  }
  return "";
}

std::string PlainObjectAdvice() {
  return "The object shows hardly any print: if it has none, scan it as an unprinted surface "
         "(--item-type surface), which is looked at for cracks too.";
}

std::vector<std::string> LightAdvice(double light_change, const AdviceParams& params) {
  if (light_change >= params.min_light_change) return {};
  return {fmt::format(
      "The light on the surface hardly changed ({:.1f} %), so damage that only shows by glinting "
      "was not found: move the light, or tilt the object, while you film.",
      100 * light_change)};
}

}  // namespace glint
