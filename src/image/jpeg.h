// SPDX-License-Identifier: Apache-2.0
// JPEG files in memory (ITU-T T.81, JFIF).
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "glint/plane.h"
#include "image/png.h"

namespace glint {

/// Writes a picture for looking at, with baseline coding and the slow, exact DCT, so that the same
/// plane gives the same bytes on every machine.
/// @param plane    on the host, kU8 or kU8x3, both sides <= 65500
/// @param quality  1..100; 85 is hard to tell from the original
/// Errors: INTERNAL a plane or quality that does not fit; OUT_OF_MEMORY
absl::StatusOr<std::vector<std::byte>> EncodeJpeg(const Plane& plane, int quality = 85);

/// Reads a picture: grey files become kU8, colour files kU8x3. Orientation (EXIF) and colour
/// profiles are ignored.
/// @param max_pixels  width * height at most; checked before memory is taken
/// Errors: INPUT_UNREADABLE no JPEG, a damaged or truncated one, or four colours (CMYK);
/// LIMIT_EXCEEDED too many pixels, or more scans than a progressive file needs
absl::StatusOr<Plane> DecodeJpeg(std::span<const std::byte> file,
                                 std::int64_t max_pixels = kMaxPicturePixels);

}  // namespace glint
