// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "glint/assessment.h"
#include "glint/report.h"

namespace glint {

/// What a scan leaves, invented: for tests of what is made of it.
struct SampleScan {
  ScanReport report;
  std::optional<Assessment> assessment;
  ScanPictures pictures;
};

struct SampleOptions {
  std::string scan_id = "sample-0001";
  int frames = 240;
  int regions = 12;        ///< pieces of damage, 0..999
  int golden_frames = 5;   ///< 1..32
  Size object{640, 900};   ///< both sides >= 200
  Size frame{1280, 720};   ///< of the golden frames
  std::uint32_t seed = 1;  ///< of the camera's path and the damage
};

/// A drawn page with scratches, spots and a missing corner, filmed on a desk. Everything in it
/// agrees: boxes and areas with the labels, labels with the mask, corners with the homographies.
/// The same options give the same scan.
SampleScan MakeSampleScan(const SampleOptions& options = {});

/// The same scan by `photometric`: with the median picture, layers by family, glare over the
/// middle, the top left corner unknown, and close-ups.
SampleScan MakePhotometricScan(const SampleOptions& options = {});

/// The same video held by a hand that never rests: measured, but without a usable frame.
SampleScan MakeUnusableScan(const SampleOptions& options = {});

/// The same video of a table without a page: it has golden frames, but could not be judged.
SampleScan MakeUnjudgedScan(const SampleOptions& options = {});

}  // namespace glint
