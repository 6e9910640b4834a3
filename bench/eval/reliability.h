// SPDX-License-Identifier: Apache-2.0
// Whether confidences mean what they say: of the regions that are seen so surely, how many are
// true.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/eval/region_scores.h"

namespace glint {

/// The regions whose score lies in one tenth of 0..1.
struct ReliabilityBin {
  double mean_score = 0;  ///< of its regions
  int regions = 0;
  int right = 0;  ///< of them, those of which at least half lies near a true defect

  double share() const { return regions > 0 ? static_cast<double>(right) / regions : 0; }
};

/// A reliability diagram's ten bins, by rising score (A. Niculescu-Mizil, R. Caruana, "Predicting
/// good probabilities with supervised learning", ICML 2005). Regions that no report lists (score 0)
/// count nowhere.
std::vector<ReliabilityBin> MeasureReliability(std::span<const RegionScores> scans);

/// The expected calibration error: what the bins are off the diagonal, each by its share of the
/// regions; 0 where there are none.
double CalibrationError(std::span<const ReliabilityBin> bins);

/// The diagram as a figure (SVG 1.1), that looks right on light and dark pages.
std::string ReliabilityPlot(std::span<const ReliabilityBin> bins);

}  // namespace glint
