// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>

#include "assess/trade_names.h"
#include "base/utf8.h"
#include "export/export.h"

namespace glint {
namespace {

/// A field, in quotes where RFC 4180 asks for them.
std::string Field(std::string_view value) {
  std::string text = ValidUtf8(value);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string Row(const AnnotatedPicture& picture, const Annotation& annotation) {
  const Rectangle& box = annotation.box;
  std::string of_defect = ",,,,,,";
  if (annotation.defect) {
    const Defect& defect = *annotation.defect;
    of_defect = fmt::format("{},{},{},{},{},{:.2f},{}", defect.id, Name(defect.severity),
                            Field(defect.part), Name(defect.axis),
                            defect.breaks_colour ? "true" : "false", defect.length_px,
                            defect.length_mm ? fmt::format("{:.2f}", *defect.length_mm) : "");
  }
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\r\n", Field(picture.scan_id),
                     Field(picture.item_type), Field(picture.file), annotation.category,
                     annotation.region, of_defect, box.x, box.y, box.width, box.height,
                     annotation.area_px,
                     annotation.score ? fmt::format("{:.6f}", *annotation.score) : "");
}

}  // namespace

std::string ToCsv(std::span<const AnnotatedPicture> pictures) {
  std::string text =
      "scan_id,item_type,file,name,region,defect,severity,part,axis,breaks_colour,length_px,"
      "length_mm,x,y,width,height,area_px,score\r\n";
  for (const AnnotatedPicture& picture : pictures) {
    for (const Annotation& annotation : picture.annotations) text += Row(picture, annotation);
  }
  return text;
}

}  // namespace glint
