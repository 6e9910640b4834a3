// SPDX-License-Identifier: Apache-2.0
#include "export/export.h"

#include <fmt/format.h>

#include <algorithm>

#include "glint/error.h"

namespace glint {

std::string_view Name(ExportFormat format) {
  switch (format) {
    case ExportFormat::kCoco:
      return "coco";
    case ExportFormat::kCvat:
      return "cvat";
    case ExportFormat::kLabelme:
      return "labelme";
    case ExportFormat::kCsv:
      return "csv";
  }
  return "?";
}

std::string_view FileName(ExportFormat format) {
  switch (format) {
    case ExportFormat::kCoco:
      return "coco.json";
    case ExportFormat::kCvat:
      return "cvat.xml";
    case ExportFormat::kLabelme:
      return "labelme.json";
    case ExportFormat::kCsv:
      return "defects.csv";
  }
  return "?";
}

std::string_view ContentType(ExportFormat format) {
  switch (format) {
    case ExportFormat::kCoco:
    case ExportFormat::kLabelme:
      return "application/json";
    case ExportFormat::kCvat:
      return "application/xml";
    case ExportFormat::kCsv:
      return "text/csv";
  }
  return "?";
}

absl::StatusOr<std::vector<ExportFormat>> ParseExportFormats(std::string_view text) {
  std::vector<ExportFormat> formats;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    const auto known = std::ranges::find_if(
        kExportFormats, [&](ExportFormat format) { return Name(format) == name; });
    if (known == kExportFormats.end() || std::ranges::count(formats, *known) > 0) {
      return Error(Reason::kInvalidOption,
                   fmt::format("'{}': results are exported as some of coco,cvat,labelme,csv, each "
                               "once",
                               text));
    }
    formats.push_back(*known);
  }
  return formats;
}

absl::StatusOr<std::string> Export(std::span<const AnnotatedPicture> pictures, ExportFormat format,
                                   Shapes shapes) {
  switch (format) {
    case ExportFormat::kCoco:
      return ToCoco(pictures, shapes);
    case ExportFormat::kCvat:
      return ToCvat(pictures, shapes);
    case ExportFormat::kLabelme:
      if (pictures.size() == 1) return ToLabelme(pictures.front(), shapes);
      return Error(Reason::kInvalidOption,
                   fmt::format("a LabelMe file holds one picture, not {}; export each result by "
                               "itself, or name a folder",
                               pictures.size()));
    case ExportFormat::kCsv:
      return ToCsv(pictures);
  }
  return Error(Reason::kInternal, "there is no such format to export to");
}

}  // namespace glint
