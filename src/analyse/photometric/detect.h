// SPDX-License-Identifier: Apache-2.0
// The `photometric` detector: damage by how it answers to a moving light, whatever is printed.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analyse/photometric/lines/line_visibility.h"
#include "analyse/photometric/params.h"
#include "analyse/stage_set.h"
#include "base/thread_pool.h"
#include "glint/cancel.h"
#include "glint/photometric_stages.h"
#include "glint/report.h"
#include "glint/video.h"

namespace glint {

/// What a view was made of.
struct ViewSource {
  std::int64_t frame = 0;  ///< its index in the video
  std::shared_ptr<const RawPicture> picture;
  Homography frame_from_object{};
};

/// Rectified views of one object. Greys and valid lie on the backend's device and have one size,
/// both sides >= 16; the colour view lies on the host.
struct ViewStack {
  std::vector<Plane> greys;  ///< kU8, in order of time, 1..kMaxPhotometricViews
  std::vector<Plane> valid;  ///< kU8 per view: not 0 where it shows the object
  Plane colour;  ///< kU8x3: median of the views, with photometric::kBackgroundMargin pixels
                 ///< around the object
  double surroundings = 1;  ///< photometric::CoherenceOfSurroundings: 1 where nothing is known
  std::vector<Plane> thumbnails;    ///< kU8x3 per view, on the host: the object in a
                                    ///< photometric::kThumbnailStep-th of its size, rounded down;
                                    ///< none: what lies in front of it is not looked for
  std::vector<ViewSource> sources;  ///< per view, for whoever shows them; the detector needs none
};

/// What to look for.
struct PhotometricOptions {
  bool outline = true;        ///< gaps in the object's outline; off for a surface without one
  bool worn_corners = true;   ///< pale corners; needs `outline`
  bool static_lines = false;  ///< lines that every view shows: for a surface without print
};

using photometric::PhotometricLine;

/// What the detector found. Planes on the host, object coordinates.
struct PhotometricResult {
  Plane lines;         ///< kU8, 0 and 255: creases, scratches, ticks
  Plane outline;       ///< kU8, 0 and 255: gaps and worn corners
  Plane static_lines;  ///< kU8, 0 and 255: cracks; empty unless asked for
  Plane surface;       ///< kU8, 0 and 255: where lines were looked for
  Plane known;         ///< kU8, 0 and 255: seen in enough views to tell, and occluded in few
  Plane glare;         ///< kU8, 0 and 255: where a highlight passed; light, not damage
  std::optional<double> light_change;  ///< photometric::LightChange of the views
  Plane energy;         ///< kS32: line evidence in 1/photometric::kEnergyUnit of what
                        ///< is usual for the artwork (NormaliseEnergy)
  Plane static_energy;  ///< kS32: evidence of static lines in 1/photometric::kEnergyUnit of its
                        ///< deviation where there is none; empty unless asked for
  Plane albedo;         ///< kS16: the object without light and damage, 1/64 grey
  Plane line_ids;       ///< kS32: 1.. on the ridge of found[id - 1], else 0
  std::vector<PhotometricLine> found;
  NoiseModel noise;  ///< of this scan
};

/// Finds lines and gaps. The same views give the same bytes for any number of threads and on any
/// backend. Takes some 9 bits (CUDA: 16) per pixel and view of memory for residuals, 48 per pixel
/// of some hundred rows (CUDA: of all) for groups, and 1 per pixel for a view in which something
/// hides the object.
/// @param pool  the threads for what runs on the host
/// Errors: INTERNAL planes that do not fit together; INVALID_OPTION a parameter out of its range,
/// or an object that is too narrow; CANCELLED and DEADLINE_EXCEEDED by the token; those of the
/// stages.
absl::StatusOr<PhotometricResult> DetectPhotometric(const ViewStack& views,
                                                    const PhotometricOptions& options,
                                                    const PhotometricParams& params,
                                                    StageSet& stages, ThreadPool& pool,
                                                    const CancelToken& cancel);

}  // namespace glint
