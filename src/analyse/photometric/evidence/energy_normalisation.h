// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/photometric_stages.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Units of normalised energy per median energy.
inline constexpr int kEnergyUnit = 256;

/// Bins of activity, two octaves of squared gradient each.
inline constexpr int kActivityBins = 8;

/// What decides which pixels of the albedo are alike, and how far their medians are believed.
struct EnergyNormalisationParams {
  /// of the window of a pixel's own activity: the line filter's width
  GLINT_PARAM(int, near_radius_px, 0, 100) = 2;
  /// of the activity around: a transform block's width
  GLINT_PARAM(int, wide_radius_px, 0, 100) = 8;
  /// (grey per pixel)^2: flatter albedo is one bin
  GLINT_PARAM(double, first_bin_gradient2, 1e-4, 10000) = 0.0625;
  /// of the pixels: smaller bins follow their neighbours
  GLINT_PARAM(double, min_bin_share, 0, 1) = 0.01;
  /// of a bin's median, over that of all pixels
  GLINT_PARAM(float, min_median_ratio, 0, 1) = 0.5F;
  /// the same, at most
  GLINT_PARAM(float, max_median_ratio, 1, 1000) = 2.5F;
};

/// Line responses over the one expected for the artwork at each pixel: the median over the pixels
/// whose spatial activity (mean squared gradient), near and around, is alike. Compression smears
/// edges over the transform's blocks, so that flat paper beside a printed frame answers up to twice
/// as strongly as flat paper elsewhere, the more, the lower the bit rate; and because most of an
/// object is undamaged, the medians tell by how much in this scan.
/// @param responses  kS32 on the host, of the artwork's size, not negative: energies or point
///                   responses, each measured by its own medians; 0 does not count
/// @param albedo    on the host
/// @return for each, kS32 on the host, 1/kEnergyUnit
std::vector<Plane> NormaliseEnergy(std::span<const Plane> responses, const Albedo& albedo,
                                   const EnergyNormalisationParams& params, ThreadPool& pool);

}  // namespace glint::photometric
