// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "analyse/stage_set.h"
#include "base/params.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// Regions that a report describes at most; `classic` marks thousands of specks on printed artwork.
inline constexpr int kListedRegions = 200;

/// Largest id in labels.png, which holds 16 bits.
inline constexpr int kLastRegionId = 65'535;

/// When a view shows a region.
struct VisibilityParams {
  /// around a region, that it is compared with
  GLINT_PARAM(int, surroundings_px, 1, 1000) = 6;
  /// of the ratio of its brightness to that of its surroundings: less is noise
  GLINT_PARAM(double, min_tolerance, 0, 1) = 0.04;
};

/// How the kind of a region is guessed from its shape.
struct RegionParams {
  /// of regions in single views
  GLINT_PARAM(VisibilityParams, visibility);
  /// length by mean width of a line ...
  GLINT_PARAM(double, min_line_elongation, 1, 1000) = 4;
  /// ... and by the rectangle's other side
  GLINT_PARAM(double, min_line_aspect, 1, 1000) = 2;
  /// share of the object that an edge loss reaches inwards
  GLINT_PARAM(double, max_edge_loss_depth, 0, 1) = 0.15;
  /// of the root of the object's area
  GLINT_PARAM(double, max_spot_length, 0, 1) = 0.03;
};

/// A mask taken apart into its connected pieces.
struct RegionMap {
  /// kS32 on the host: the id of each marked pixel's region, 0 where nothing is marked. Every
  /// region has its own id, listed or not, except that beyond 65534 regions the smallest share
  /// kLastRegionId.
  Plane labels;
  std::vector<DefectRegion> regions;  ///< the largest kListedRegions, by id: ids 1, 2, 3, ...
  std::int64_t found = 0;             ///< regions in all
};

/// The connected pieces of a mask (8-connected). Ids go by falling area, then by the first pixel in
/// reading order. Of each listed region:
/// - length: longer side of the smallest rotated rectangle around its pixels (as squares, so that
///   one pixel is 1 long); width: area / length;
/// - strength: mean of its pixels' scores;
/// - views: the pictures in whose own mask at least half of its pixels are marked;
/// - kind, a guess by shape: a line is at least 4 times as long as wide inside a rectangle at least
///   twice as long as wide; else an edge loss touches the object's outline and reaches at most 15 %
///   into it; else a spot is at most 3 % of the object long (of the root of its area), and an area
///   is everything else.
/// @param mask   kU8 of 0 and 255, on the host or on the stages' device
/// @param score  kS32, likewise, size of `mask`, units of 2^-ClassicFusionStage::kScoreBits
/// @param picture_masks  kU8 on the host, size of `mask`, one per picture
/// @param frame_from_object  object pixels to pixels of the reference frame
/// Errors: OUT_OF_MEMORY; INTERNAL when OpenCV fails; those of the stages
absl::StatusOr<RegionMap> FindRegions(const Plane& mask, const Plane& score,
                                      std::span<const Plane> picture_masks,
                                      const Homography& frame_from_object, StageSet& stages,
                                      const RegionParams& params = {});

/// Corrects the guess at the kind of a region whose family is known: where the outline was looked
/// at, it alone tells whether something of the object's edge is gone. So every region of it is an
/// edge loss, and one of another family is none, but a spot or an area.
void CorrectKindByFamily(Size object, DefectRegion& region, const RegionParams& params = {});

}  // namespace glint
