// SPDX-License-Identifier: Apache-2.0
// Formats of annotation tools and spreadsheets, in which results can be had as well.
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <string_view>
#include <vector>

namespace glint {

enum class ExportFormat {
  kCoco,     ///< COCO object detection, JSON
  kCvat,     ///< CVAT for images 1.1, XML
  kLabelme,  ///< LabelMe, JSON: one picture
  kCsv,      ///< a row per annotation, RFC 4180
};
inline constexpr std::array kExportFormats = {ExportFormat::kCoco, ExportFormat::kCvat,
                                              ExportFormat::kLabelme, ExportFormat::kCsv};

/// "coco", "cvat", "labelme", "csv"
std::string_view Name(ExportFormat format);
/// What a result calls its own: "coco.json", "cvat.xml", "labelme.json", "defects.csv"
std::string_view FileName(ExportFormat format);
std::string_view ContentType(ExportFormat format);

/// Names with commas in between, each once; none of an empty text.
/// Errors: INVALID_OPTION
absl::StatusOr<std::vector<ExportFormat>> ParseExportFormats(std::string_view text);

}  // namespace glint
