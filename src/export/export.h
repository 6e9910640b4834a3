// SPDX-License-Identifier: Apache-2.0
// Results in the formats of annotation tools and spreadsheets.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string>

#include "export/annotations.h"
#include "glint/export_format.h"

namespace glint {

/// How a mask is written.
enum class Shapes {
  kMask,     ///< run lengths; in LabelMe a small picture
  kPolygon,  ///< along the borders of pixels, see Outlines
};

/// The pictures with what is marked in them, as text. The same pictures give the same bytes. CSV
/// has boxes and measures, no shapes.
/// @param pictures  of kLabelme one
/// Errors: INVALID_OPTION several pictures in a format that takes one; OUT_OF_MEMORY
absl::StatusOr<std::string> Export(std::span<const AnnotatedPicture> pictures, ExportFormat format,
                                   Shapes shapes);

// The formats, one by one.
std::string ToCoco(std::span<const AnnotatedPicture> pictures, Shapes shapes);
std::string ToCvat(std::span<const AnnotatedPicture> pictures, Shapes shapes);
absl::StatusOr<std::string> ToLabelme(const AnnotatedPicture& picture, Shapes shapes);
std::string ToCsv(std::span<const AnnotatedPicture> pictures);

}  // namespace glint
