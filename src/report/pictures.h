// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "glint/report.h"

namespace glint {

class ThreadPool;

/// One file of a result, ready for the store.
struct Artifact {
  std::string name;  ///< relative, '/' between folders
  std::vector<std::byte> content;
  std::string content_type;  ///< "image/png"
};

/// The pictures of the object as PNG files, in this order; none where the scan has no object:
/// rectified.png, mask.png (0 and 255), labels.png (16-bit ids), overlay.png (see DrawOverlay; over
/// the median where ShowsMedian), heatmap.png (see HeatColour), median.png and reference.png (the
/// good copy, in object coordinates) where there are such, layers/<name>.png, per named region
/// regions/<name>_crop.png, _mask.png and _overlay.png. Each picture is encoded on a thread of its
/// own; the bytes do not depend on how many there are.
/// Errors: INTERNAL pictures that are missing or differ in size or type; OUT_OF_MEMORY
absl::StatusOr<std::vector<Artifact>> RenderArtifacts(const ScanReport& report,
                                                      const ScanPictures& pictures,
                                                      ThreadPool& pool);

/// The layer of this name, its pixels shared; empty when there is none.
Plane Layer(const ScanPictures& pictures, std::string_view name);

/// Where the scan differs from its good copy in colour and no other family marks anything: kU8, 0
/// and 255; empty when it was compared with none.
Plane ColourOnly(const ScanPictures& pictures);

/// Whether people are shown the median of the views, because the reference frame does not show the
/// whole object.
bool ShowsMedian(const ScanReport& report, const ScanPictures& pictures);

/// OK when the pictures fit each other: rectified, mask, labels and score of one size and of their
/// types, or all empty. Errors: INTERNAL
absl::Status CheckPictures(const ScanPictures& pictures);

}  // namespace glint
