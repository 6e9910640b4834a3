// SPDX-License-Identifier: Apache-2.0
// In which views a line shows, and how: what goes on as the line does is more of it.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/parallel_scores.h"
#include "base/params.h"

namespace glint::photometric {

/// How the response of a line in one group of views is counted: in deviations of its parallels'.
struct SignatureParams {
  /// to either side, where the parallels lie that it is compared with
  GLINT_PARAM(int, beside_px, 20, 200) = 40;
  /// of these, to either side, that its own light may reach
  GLINT_PARAM(int, own_px, 1, 18) = 7;
  /// from each line to those whose mean is taken off it (LineSurroundings::thin)
  GLINT_PARAM(int, thin_px, 1, 18) = 3;
  /// across, where the line may lie
  GLINT_PARAM(int, shift_px, 0, 10) = 2;
  /// deviations: what a group shows less of may be chance
  GLINT_PARAM(float, min_deviations, 0, 100) = 1;
  /// deviations: more does not count
  GLINT_PARAM(float, max_deviations, 1, 100) = 6;
  /// of a squared response over the mean of those beside: more does not count for the deviation
  GLINT_PARAM(float, max_beside_ratio, 1, 100) = 4;
};

/// How a line shows.
struct LineSignature {
  /// of each group of views: its sign and how much of the line it shows, of length 1 as a vector;
  /// empty where no group shows more of it than chance
  std::vector<float> weights;
  double response = 0;  ///< of the line itself, SignatureResponse
  double score = 0;     ///< of the line itself, SignatureScores
};

/// How a line shows.
/// @param line    at least as long as what it is asked of, so that it is surer
/// @param window  around it and its parallels
LineSignature SignatureOf(const StraightLine& line, const SignatureParams& params,
                          const ResponseWindow& window);

/// How like that a line and its parallels show: the sum over the groups, weighted by the signature,
/// in deviations of that of the parallels. A matched filter over the views (G. L. Turin, IRE
/// Transactions on Information Theory 1960): energy has as many chances to be noise as there are
/// groups, this has one. About 0 where nothing is.
/// @param weights  not empty
/// @return `2 * beside_px + 1` values, the line's own in the middle; 0 where one is not seen
std::vector<double> SignatureScores(const StraightLine& line, const std::vector<float>& weights,
                                    const SignatureParams& params, const ResponseWindow& window);

/// How much of that a line shows, whatever its parallels do: a score says how sure that is, this
/// how bright.
/// @return residual for each pixel of its length, the groups weighted; those that do not see it
///         add nothing
double SignatureResponse(const StraightLine& line, const std::vector<float>& weights,
                         const SignatureParams& params, const ResponseWindow& window);

}  // namespace glint::photometric
