// SPDX-License-Identifier: Apache-2.0
// How a straight line answers to the light, beside how its parallels do.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <vector>

#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"
#include "glint/stored_plane.h"

namespace glint::photometric {

/// Of LineResponse. A line's *response* in a group of neighbouring views is the mean of their
/// residuals along it, each in deviations of its view; its *energy* the mean over the groups of the
/// squared response over that of lines beside it.
struct LineResponseParams {
  /// of neighbouring views
  GLINT_PARAM(int, max_groups, 1, 64) = 24;
  /// of a residual, in deviations of its view: one strong spot is no line
  GLINT_PARAM(float, max_residual_sigmas, 1, 100) = 8;
  /// of the residuals, per squared gradient of the albedo: contours are never registered perfectly.
  /// A constant: fitted to the scan it would learn the damage itself
  GLINT_PARAM(float, contour_variance, 0, 100) = 0.0025F;
  /// to either side of a line, between which the odd response is taken: relief is bright on one
  /// flank and dark on the other
  GLINT_PARAM(int, flank_px, 1, 20) = 2;
  /// of the odd response beside that of the even one
  GLINT_PARAM(float, flank_weight, 0, 10) = 0.35F;
  /// times that what lies beside is compared with what the time before found
  GLINT_PARAM(int, rounds, 1, 20) = 3;
  /// what stands for it the first time, in medians of the squared responses
  GLINT_PARAM(float, first_medians, 0.1, 100) = 2.2F;
  /// of it: more of a squared response does not count, or a line would hide its neighbour
  GLINT_PARAM(float, max_beside_ratio, 1, 100) = 4;
  /// by what is left out for that
  GLINT_PARAM(float, beside_gain, 1, 10) = 1.15F;
  /// of the first: what lies beside is never less
  GLINT_PARAM(float, min_beside_share, 0, 1) = 0.6F;
  /// per px of a line, in squared deviations of the view: what lies beside is never less. A plain
  /// margin is calmer than the print that the deviations are of, and no line is
  GLINT_PARAM(float, min_beside_variance, 0, 100) = 4;
  /// of a squared response over that beside it: one group alone makes no line
  GLINT_PARAM(float, max_ratio, 1, 1000) = 36;
};

/// What lines answer in. All on the host and of one size.
struct ResidualViews {
  std::span<const StoredPlane> residuals;  ///< kS16 per view, 1/64 grey
  std::span<const Plane> valid;            ///< kU8 per view
  Plane gradient;                          ///< Albedo::gradient
  Plane surface;                           ///< kU8: not 0 where the object is looked at
};

/// What a line is seen beside, counted in lines that lie side by side.
struct LineSurroundings {
  /// to either side: those whose energy its own is compared with
  int beside = 0;
  /// to either side: the two whose mean is taken off its even response, or only the odd one would
  /// tell a thin line from the mottle of a coat, which is wider; 0: nothing is taken off
  int thin = 0;
};

/// The energy of lines, each less what lies so many lines to either side.
struct ThinEnergy {
  int lines = 0;            ///< LineSurroundings::thin
  std::span<float> energy;  ///< of each line, summed over the groups
};

/// Sums along lines that lie side by side, each less the mean of the two so many lines to either
/// side of it; NaN where one of these is missing.
std::vector<float> BesideFlanks(const std::vector<float>& sums, int lines);

/// The response of lines in each view and place, in units of what lines beside them show there: the
/// gloss of a coat is mottled, and a highlight passes, but not along one line alone. A matched
/// filter in noise that is whitened place by place and view by view (G. L. Turin, IRE Transactions
/// on Information Theory 1960). Floats in one fixed order: the same for any number of threads.
class LineResponse {
 public:
  /// @param views  must outlive this
  LineResponse(const ResidualViews& views, const LineResponseParams& params, ThreadPool& pool);

  int groups() const { return groups_; }
  /// ResidualViews::gradient
  const Plane& gradient() const { return views_.gradient; }

  /// The sum of a group's residuals in deviations, over the root of how many views see it.
  /// @param group  from 0 to groups() - 1
  /// @param box    within the surface's plane
  /// @return CV_32F of the box's size; NaN where no view of it shows the surface
  cv::Mat Group(int group, const cv::Rect& box) const;
  /// The same of all groups.
  std::vector<cv::Mat> Groups(const cv::Rect& box) const;

  /// Adds the energy of lines that lie side by side, a pixel from one to the next, in one group.
  /// @param sums    of the residuals along each; NaN where a line is not seen as a whole: it has
  ///                no energy, and no line is compared with it
  /// @param length  of each line, px
  /// @param energy  of each, summed over the groups
  void AddEnergy(const std::vector<float>& sums, int length, LineSurroundings around,
                 std::vector<float>& energy) const;

  /// The same of the same lines for several LineSurroundings::thin at once, which share the odd
  /// response.
  /// @param beside  LineSurroundings::beside
  void AddEnergies(const std::vector<float>& sums, int length, int beside,
                   std::span<const ThinEnergy> energies) const;

  /// The score of a line: 1 where nothing is. With fewer groups their mean differs more by chance,
  /// which is taken off. @param energy  summed over the groups
  double ScoreOf(double energy) const;

 private:
  void AddView(std::size_t view, const cv::Rect& box, cv::Mat& sums, cv::Mat& counts) const;

  const ResidualViews& views_;
  const LineResponseParams& params_;
  int groups_;
  std::vector<float> deviations_;  // of each view's residuals, grey; 0 where it shows nothing
};

}  // namespace glint::photometric
