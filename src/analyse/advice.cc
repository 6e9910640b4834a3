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
        "Only one steady frame was found, so nothing could be compared over time: film longer, and "
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

std::vector<std::string> LightAdvice(double light_change, const AdviceParams& params) {
  if (light_change >= params.min_light_change) return {};
  return {fmt::format(
      "The light on the surface hardly changed ({:.1f} %), so damage that only shows by glinting "
      "was not found: move the light, or tilt the object, while you film.",
      100 * light_change)};
}

}  // namespace glint
