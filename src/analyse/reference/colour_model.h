// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <array>

#include "analyse/reference/fields.h"
#include "analyse/reference/params.h"
#include "analyse/reference/print_matching.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::reference {

/// Two colour differences (R - G, and their mean - B) and the luma.
inline constexpr std::size_t kChannels = 3;
inline constexpr std::size_t kLuma = 2;

/// How the scan's colours differ from those that the good copy explains.
struct ColourChange {
  std::array<Field, kChannels> level;         ///< smoothed, in about grey values of 8 bit
  std::array<double, kChannels> deviation{};  ///< of each level where nothing changed
  Field
      strength;  ///< length of the levels in units of their deviations; 0 where nothing is compared
  Field paler;   ///< how much lighter and less coloured, grey values: stains are below 0
};

/// Explains the scan's colours by those of the good copy under another light and camera, and says
/// what is left. In linear light a scan is gain * ink + veil: the light's strength and the gloss
/// change smoothly over the object, and both are the same for all colours. Hence the *colour
/// differences* have no veil and share one gain: scan = gain(x, y) * B * copy, with a matrix B for
/// the whole object (two cameras' colours) and a gain in windows that light fills, but a stain does
/// not. Luma has a gain and an offset in those windows. All of it is fitted in turns, with weights
/// that leave out what does not fit.
/// @param now,then  kU8x3 on the host, one size
ColourChange FindColourChange(const Plane& now, const Plane& then, const PrintMatch& match,
                              double scale, ThreadPool& pool, const ColourModelParams& params = {});

}  // namespace glint::reference
