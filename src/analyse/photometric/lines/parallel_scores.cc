// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/parallel_scores.h"

#include <cstddef>
#include <limits>

namespace glint::photometric {
namespace {

float SumAlong(const StraightLine& line, int across, const cv::Mat& group, cv::Point corner) {
  float sum = 0;
  const cv::Rect inside({0, 0}, group.size());
  for (int t = line.begin; t <= line.end; ++t) {
    const cv::Point at = line.At(t, across) - corner;
    sum += inside.contains(at) ? group.at<float>(at) : std::numeric_limits<float>::quiet_NaN();
  }
  return sum;
}

}  // namespace

ResponseWindow WindowOf(const LineResponse& response, const cv::Rect& box, cv::Size object) {
  const cv::Rect inside = box & cv::Rect({}, object);
  return {response.Groups(inside), inside.tl()};
}

std::vector<float> ParallelSums(const StraightLine& line, int beside_px,
                                const ResponseWindow& window, const cv::Mat& group) {
  std::vector<float> sums;
  sums.reserve(2 * static_cast<std::size_t>(beside_px) + 1);
  for (int across = -beside_px; across <= beside_px; ++across) {
    sums.push_back(SumAlong(line, across, group, window.corner));
  }
  return sums;
}

std::vector<double> ParallelScores(const StraightLine& line, int beside_px,
                                   const ResponseWindow& window, const LineResponse& response,
                                   int thin_px) {
  std::vector<float> energy(2 * static_cast<std::size_t>(beside_px) + 1);
  for (const cv::Mat& group : window.groups) {
    response.AddEnergy(ParallelSums(line, beside_px, window, group), line.length(),
                       {.beside = 2 * beside_px, .thin = thin_px}, energy);
  }
  std::vector<double> scores;
  scores.reserve(energy.size());
  for (const float value : energy) scores.push_back(response.ScoreOf(value));
  return scores;
}

}  // namespace glint::photometric
