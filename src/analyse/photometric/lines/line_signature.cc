// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/line_signature.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include "analyse/photometric/evidence/line_response.h"

namespace glint::photometric {
namespace {

constexpr float kUnseen = std::numeric_limits<float>::quiet_NaN();

/// Root of the mean square of what is not the line's own. @param most  of a square over the mean
float DeviationBeside(const std::vector<float>& values, int own_px, float most) {
  const auto mean = [&](float bound) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto across = static_cast<int>(i) - static_cast<int>(values.size() / 2);
      if (std::abs(across) <= own_px || std::isnan(values[i])) continue;
      sum += std::min(values[i] * values[i], bound);
      ++count;
    }
    return count > 0 ? static_cast<float>(sum / count) : 0.0F;
  };
  const float all = mean(std::numeric_limits<float>::max());
  return std::sqrt(mean(most * all));
}

/// What a group shows of a line and its parallels, in deviations of these; NaN where it is not
/// seen.
std::vector<float> InDeviations(const StraightLine& line, const cv::Mat& group,
                                const SignatureParams& params, const ResponseWindow& window) {
  std::vector<float> values =
      BesideFlanks(ParallelSums(line, params.beside_px, window, group), params.thin_px);
  const float deviation = DeviationBeside(values, params.own_px, params.max_beside_ratio);
  const float most = params.max_deviations;
  for (float& value : values) {
    value = deviation > 0 ? std::clamp(value / deviation, -most, most) : kUnseen;
  }
  return values;
}

double LengthOf(const std::vector<float>& weights) {
  double sum = 0;
  for (const float weight : weights) sum += static_cast<double>(weight) * weight;
  return std::sqrt(sum);
}

}  // namespace

LineSignature SignatureOf(const StraightLine& line, const SignatureParams& params,
                          const ResponseWindow& window) {
  std::vector<std::vector<float>> shifted(2 * static_cast<std::size_t>(params.shift_px) + 1);
  for (const cv::Mat& group : window.groups) {
    const std::vector<float> values = InDeviations(line, group, params, window);
    for (std::size_t i = 0; i < shifted.size(); ++i) {
      const float value = values[i + static_cast<std::size_t>(params.beside_px - params.shift_px)];
      const float shown = std::max(std::abs(value) - params.min_deviations, 0.0F);
      shifted[i].push_back(std::isnan(value) ? 0 : std::copysign(shown, value));
    }
  }
  const auto most = std::ranges::max_element(shifted, {}, LengthOf);
  const double length = LengthOf(*most);
  if (!(length > 0)) return {};
  for (float& weight : *most) weight = static_cast<float>(weight / length);
  const auto across = static_cast<double>(most - shifted.begin()) - params.shift_px;
  StraightLine itself = line;
  itself.x -= across * line.sine;
  itself.y += across * line.cosine;
  const std::vector<double> scores = SignatureScores(itself, *most, params, window);
  return {.weights = *most,
          .response = SignatureResponse(itself, *most, params, window),
          .score = scores[static_cast<std::size_t>(params.beside_px)]};
}

std::vector<double> SignatureScores(const StraightLine& line, const std::vector<float>& weights,
                                    const SignatureParams& params, const ResponseWindow& window) {
  // A parallel that no group sees, beyond the object's rim, tells nothing of how they spread.
  std::vector<float> sums(2 * static_cast<std::size_t>(params.beside_px) + 1, kUnseen);
  for (std::size_t group = 0; group < weights.size(); ++group) {
    const std::vector<float> values = InDeviations(line, window.groups[group], params, window);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (std::isnan(values[i])) continue;
      sums[i] = weights[group] * values[i] + (std::isnan(sums[i]) ? 0 : sums[i]);
    }
  }
  const float deviation =
      DeviationBeside(sums, params.own_px, std::numeric_limits<float>::infinity());
  std::vector<double> scores;
  scores.reserve(sums.size());
  for (const float sum : sums) {
    scores.push_back(deviation > 0 && !std::isnan(sum) ? sum / deviation : 0.0);
  }
  return scores;
}

double SignatureResponse(const StraightLine& line, const std::vector<float>& weights,
                         const SignatureParams& params, const ResponseWindow& window) {
  double sum = 0;
  for (std::size_t group = 0; group < weights.size(); ++group) {
    const std::vector<float> responses = BesideFlanks(
        ParallelSums(line, params.thin_px, window, window.groups[group]), params.thin_px);
    const float own = responses[static_cast<std::size_t>(params.thin_px)];
    if (!std::isnan(own)) sum += static_cast<double>(weights[group]) * own;
  }
  return sum / line.length();
}

}  // namespace glint::photometric
