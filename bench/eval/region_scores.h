// SPDX-License-Identifier: Apache-2.0
// How good a result is if only its strongest regions are believed: precision and recall.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/eval/labels.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// What one region adds when those that score more have been taken.
struct RegionScore {
  double score = 0;           ///< its confidence, else its strength; 0 where it is not listed
  std::int64_t pixels = 0;    ///< marked, in the labels' coordinates
  std::int64_t right = 0;     ///< of those near a true one
  std::int64_t recalled = 0;  ///< true pixels near it and near none before it
};

/// The regions of one result, the highest score first.
struct RegionScores {
  std::vector<RegionScore> regions;
  std::int64_t true_pixels = 0;
};

/// @param marks   kS32 on the host, the labels' size: ids of regions
/// @param scores  by id
RegionScores ScoreRegions(const ScanLabels& labels, const Plane& marks,
                          const std::map<int, double>& scores);

/// Precision and recall of all regions that score so much or more, pixels of all scans together.
struct CurvePoint {
  double score = 0;
  double precision = 0;
  double recall = 0;
};

/// By falling score, so by rising recall. Empty where nothing is known or nothing is marked.
std::vector<CurvePoint> PrecisionRecall(std::span<const RegionScores> scans);

/// The area below the curve: the mean of the precisions, by how much recall each point adds.
double AveragePrecision(std::span<const CurvePoint> curve);

/// The curve as a figure (SVG 1.1), that looks right on light and dark pages.
std::string CurvePlot(std::span<const CurvePoint> curve);

}  // namespace glint
