// SPDX-License-Identifier: Apache-2.0
#include <absl/strings/escaping.h>

#include <nlohmann/json.hpp>

#include "assess/trade_names.h"
#include "base/status_macros.h"
#include "export/export.h"
#include "export/json_lines.h"
#include "export/outlines.h"
#include "image/png.h"

namespace glint {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLabelmeVersion = "5.3.0";  // the first one with masks

/// What LabelMe shows beside the label.
std::string Description(const Annotation& annotation) {
  if (!annotation.defect) return "";
  return std::string(Name(annotation.defect->severity)) + ", " + annotation.defect->part;
}

Json Shape(const Annotation& annotation, std::string_view type, const Json& group) {
  return {{"label", annotation.category},
          {"points", Json::array()},
          {"group_id", group},
          {"description", Description(annotation)},
          {"shape_type", type},
          {"flags", Json::object()},
          {"mask", nullptr}};
}

/// One shape for each piece; those of one defect are a group.
void AddPolygons(const Annotation& annotation, int group, Json& shapes) {
  const std::vector<Polygon> polygons = Outlines(annotation);
  for (const Polygon& polygon : polygons) {
    Json shape = Shape(annotation, "polygon", polygons.size() > 1 ? Json(group) : Json(nullptr));
    for (const PixelCorner& corner : polygon) shape["points"].push_back({corner.x, corner.y});
    shapes.push_back(std::move(shape));
  }
}

absl::StatusOr<Json> MaskShape(const Annotation& annotation) {
  GLINT_ASSIGN_OR_RETURN(const auto png, EncodePng(annotation.mask));
  Json shape = Shape(annotation, "mask", nullptr);
  const Rectangle& box = annotation.box;
  shape["points"] = {{box.x, box.y}, {box.x + box.width - 1, box.y + box.height - 1}};
  shape["mask"] = absl::Base64Escape({reinterpret_cast<const char*>(png.data()), png.size()});
  return shape;
}

}  // namespace

absl::StatusOr<std::string> ToLabelme(const AnnotatedPicture& picture, Shapes shapes) {
  Json all = Json::array();
  for (const Annotation& annotation : picture.annotations) {
    if (shapes == Shapes::kPolygon) {
      AddPolygons(annotation, static_cast<int>(all.size()) + 1, all);
      continue;
    }
    GLINT_ASSIGN_OR_RETURN(Json shape, MaskShape(annotation));
    all.push_back(std::move(shape));
  }
  return JsonLines({{"version", kLabelmeVersion},
                    {"flags", Json::object()},
                    {"shapes", std::move(all)},
                    {"imagePath", picture.file},
                    {"imageData", nullptr},
                    {"imageHeight", picture.size.height},
                    {"imageWidth", picture.size.width}});
}

}  // namespace glint
