// SPDX-License-Identifier: Apache-2.0
// What stays where it is from view to view, and what does not.
#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "analyse/photometric/outline/outline_params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"
#include "glint/stored_plane.h"

namespace glint::photometric {

/// Fine structure of some pixels over the views: each pixel without the mean around it.
struct CoherenceSums {
  double fixed = 0;  ///< squares of its mean over the views, grey values
  double all = 0;    ///< mean over the views of its squares
  int pixels = 0;

  /// Share of the structure that is the same in all views: 1 for print, registered; 1 / views for
  /// what is another in each. @return 0 where there is none
  double Share() const { return all > 0 ? fixed / all : 0; }
};

/// The fine structure of a part of the views.
class ViewCoherence {
 public:
  /// @param greys  CV_8U, one size: that part of each view
  ViewCoherence(std::span<const cv::Mat> greys, const ViewCoherenceParams& params);

  /// @param where  CV_8U, of `box`'s size: not 0 where structure is summed; empty: everywhere
  CoherenceSums In(const cv::Rect& box, const cv::Mat& where = {}) const;

 private:
  double views_, unit_;
  cv::Mat sums_, squares_;  // CV_64F, over the views, in 1/unit_ grey
};

/// How much of the surroundings' structure stays beside the object: 1 where it lies on them, little
/// where it moves before them (or where there is none). The median of squares along the sides.
/// @param colours  kU8x3 on the host, one size, with kBackgroundMargin px around the object
double CoherenceOfSurroundings(std::span<const StoredPlane> colours,
                               const ViewCoherenceParams& params, ThreadPool& pool);

}  // namespace glint::photometric
