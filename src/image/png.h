// SPDX-License-Identifier: Apache-2.0
// PNG files in memory (ISO/IEC 15948).
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "glint/plane.h"

namespace glint {

/// Pixels that a picture may have at most when nothing else is said: larger than any phone's.
inline constexpr std::int64_t kMaxPicturePixels = std::int64_t{16'384} * 16'384;

/// Writes a picture without loss. The same plane gives the same bytes on every machine and thread.
/// @param plane  on the host: kU8 becomes 8-bit grey, kU8x3 8-bit RGB, kS32 16-bit grey with values
///               outside 0..65535 saturated (region ids above 65535 all become 65535)
/// Errors: INTERNAL an empty plane, one on a device or of another type; OUT_OF_MEMORY
absl::StatusOr<std::vector<std::byte>> EncodePng(const Plane& plane);

/// Reads a picture for looking at: grey files (with or without alpha, 1 to 16 bits) become kU8,
/// colour and palette files kU8x3. Alpha is dropped, 16 bits are rounded to 8, gamma and colour
/// profiles are ignored.
/// @param max_pixels  width * height at most; checked before memory is taken
/// Errors: INPUT_UNREADABLE no PNG, or a damaged or truncated one; LIMIT_EXCEEDED too many pixels
absl::StatusOr<Plane> DecodePng(std::span<const std::byte> file,
                                std::int64_t max_pixels = kMaxPicturePixels);

/// Reads a picture of numbers, such as region ids: a grey file of 8 or 16 bits, each value as it is
/// stored, as kS32.
/// Errors: as DecodePng; INPUT_UNREADABLE also for a file with colour, a palette or fewer bits
absl::StatusOr<Plane> DecodeLabelPng(std::span<const std::byte> file,
                                     std::int64_t max_pixels = kMaxPicturePixels);

}  // namespace glint
