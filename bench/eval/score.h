// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/eval/labels.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// How far a marked pixel may lie from a true one, and the other way round: object pixels.
inline constexpr int kScoreTolerance = 3;

/// How much of one known defect was marked.
struct DefectScore {
  int id = 0;
  std::string type;
  double covered = 0;  ///< share of its pixels with a marked one within the tolerance
  bool found = false;  ///< half of them or more
  Visibility visibility = Visibility::kPlain;
};

/// How well a mask agrees with the truth.
struct ScanScore {
  double marked = 0;  ///< share of the surface that the mask marks
  /// Mean distance of the located corners from the true ones, in percent of the true diagonal;
  /// whichever corner comes first. Nothing without a located object.
  std::optional<double> corner_error_percent;
  /// The labels' corners fit the located ones only after turning the frame by 180 degrees: they
  /// were taken from a decoder that turns clips the wrong way (OpenCV 4.6 and rotations of 90 and
  /// 270 degrees). The scores are those after the turn.
  bool labels_turned = false;

  /// Only where there is damage to find.
  struct Agreement {
    double precision = 0;  ///< share of the marked pixels with a true one within the tolerance
    double recall = 0;     ///< share of the true pixels with a marked one within the tolerance
    double f = 0;          ///< their harmonic mean
  };
  std::optional<Agreement> agreement;
  std::vector<DefectScore> defects;  ///< those of the labels that have pixels; none if there is
                                     ///< nothing to find
};

/// Marks in the labels' coordinates. @param marks  kU8 or kS32 on the host, object coordinates
/// Errors: as ScoreMask
absl::StatusOr<Plane> ToLabels(const ScanLabels& labels, const Plane& marks,
                               const std::optional<LocatedObject>& located);

/// Compares a mask with the truth in the labels' coordinates.
/// @param mask     kU8 on the host, object coordinates, not 0 where it marks
/// @param located  where the mask's object lies in which frame, so that a wrong outline or another
///                 orientation is judged fairly; nothing: the mask covers the labels' object, at
///                 whatever size
/// @param leave_out  types of defects whose pixels count neither as truth nor as mistakes
/// @param unasked    ids of defects that nobody has to find: neither they nor marks within the
///                   tolerance of them count, unless what counts lies there, too
/// Errors: INPUT_UNREADABLE the reference frame is none of the labels', or the corners are no
/// quadrilateral; INTERNAL another type of plane; OUT_OF_MEMORY
absl::StatusOr<ScanScore> ScoreMask(const ScanLabels& labels, const Plane& mask,
                                    const std::optional<LocatedObject>& located,
                                    std::span<const std::string> leave_out = {},
                                    std::span<const int> unasked = {});

}  // namespace glint
