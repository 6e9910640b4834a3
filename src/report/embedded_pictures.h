// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "glint/report.h"

namespace glint {

class ThreadPool;

/// The pictures of the object on the page as data: URLs; empty where the scan has none.
struct EmbeddedPictures {
  std::string rectified;  ///< JPEG: the reference frame, or the median of the views
  bool median = false;    ///< which of them
  std::string mask;       ///< PNG, grey; without what `colour` shows
  std::string heatmap;    ///< JPEG
  std::string colour;     ///< PNG, grey: ColourOnly; empty when the scan was compared with nothing
  std::string good_copy;  ///< JPEG: what it was compared with; empty as well
  std::string unknown;    ///< PNG, grey: what cannot be judged; empty when that is nothing
  std::string glare;      ///< PNG, grey: where a highlight passed; empty when none did
};

/// The picture as a data: URL that holds a JPEG, its longer side `max_side` at most.
/// @param quality  1..100. Errors: those of EncodeJpeg
absl::StatusOr<std::string> JpegUrl(const Plane& plane, int max_side, int quality);

/// Shrinks and encodes the pictures, each on a thread of its own.
/// @param median       show the median of the views instead of the reference frame
/// @param object_side  pixels of the longer side of the object's pictures, at most; by default as
///                     large as rectified pictures are
/// Errors: as RenderArtifacts
absl::StatusOr<EmbeddedPictures> EmbedPictures(const ScanPictures& pictures, bool median,
                                               ThreadPool& pool, int object_side = 1600);

}  // namespace glint
