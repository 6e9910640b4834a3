// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/reliability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/eval/plot.h"

namespace glint {
namespace {

constexpr int kBins = 10;

}  // namespace

std::vector<ReliabilityBin> MeasureReliability(std::span<const RegionScores> scans) {
  std::vector<ReliabilityBin> bins(kBins);
  for (const RegionScores& scan : scans) {
    for (const RegionScore& region : scan.regions) {
      if (region.score <= 0 || region.pixels == 0) continue;
      const int index = std::clamp(static_cast<int>(region.score * kBins), 0, kBins - 1);
      ReliabilityBin& bin = bins[static_cast<std::size_t>(index)];
      bin.mean_score += region.score;
      ++bin.regions;
      bin.right += 2 * region.right >= region.pixels ? 1 : 0;
    }
  }
  for (ReliabilityBin& bin : bins) {
    if (bin.regions > 0) bin.mean_score /= bin.regions;
  }
  return bins;
}

double CalibrationError(std::span<const ReliabilityBin> bins) {
  double off = 0;
  int regions = 0;
  for (const ReliabilityBin& bin : bins) {
    off += bin.regions * std::abs(bin.share() - bin.mean_score);
    regions += bin.regions;
  }
  return regions > 0 ? off / regions : 0;
}

std::string ReliabilityPlot(std::span<const ReliabilityBin> bins) {
  const SquarePlot plot(
      fmt::format("Regions by confidence; calibration error {:.3f}", CalibrationError(bins)),
      "confidence", "share that is true");
  std::string svg = plot.Begin();
  svg += fmt::format(
      "<path d=\"M{} {}L{} {}\" fill=\"none\" stroke=\"#777\" stroke-dasharray=\"4 4\"/>\n",
      plot.X(0), plot.Y(0), plot.X(1), plot.Y(1));
  for (const ReliabilityBin& bin : bins) {
    if (bin.regions == 0) continue;
    const bool at_right = bin.mean_score > 0.85;
    svg += fmt::format(
        "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"{2:.1f}\" fill=\"#b3261e\" "
        "fill-opacity=\"0.7\"><title>{3} of {4} regions of confidence {5:.2f}</title></circle>"
        "<text x=\"{6:.1f}\" y=\"{7:.1f}\" text-anchor=\"{8}\">{3}/{4}</text>\n",
        plot.X(bin.mean_score), plot.Y(bin.share()), 3 + std::sqrt(bin.regions), bin.right,
        bin.regions, bin.mean_score, plot.X(bin.mean_score) + (at_right ? -14 : 14),
        plot.Y(bin.share()) + 14, at_right ? "end" : "start");
  }
  return svg + SquarePlot::End();
}

}  // namespace glint
