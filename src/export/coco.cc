// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "assess/trade_names.h"
#include "export/export.h"
#include "export/json_lines.h"
#include "export/outlines.h"
#include "export/run_lengths.h"
#include "report/json_text.h"

namespace glint {
namespace {

using Json = nlohmann::ordered_json;

Json Segmentation(const Annotation& annotation, Size picture, Shapes shapes) {
  if (shapes == Shapes::kMask) {
    return {{"size", {picture.height, picture.width}},
            {"counts", CompressRuns(ColumnRuns(annotation, picture))}};
  }
  Json polygons = Json::array();
  for (const Polygon& polygon : Outlines(annotation)) {
    Json& points = polygons.emplace_back(Json::array());
    for (const PixelCorner& corner : polygon) {
      points.push_back(corner.x);
      points.push_back(corner.y);
    }
  }
  return polygons;
}

/// What glint says of it besides; tools that know no such keys pass them by.
Json Attributes(const Annotation& annotation) {
  Json json = {{"region", annotation.region}};
  if (!annotation.defect) return json;
  const Defect& defect = *annotation.defect;
  json["defect"] = defect.id;
  json["severity"] = Name(defect.severity);
  json["part"] = defect.part;
  json["axis"] = Name(defect.axis);
  json["breaks_colour"] = defect.breaks_colour;
  json["length_mm"] = defect.length_mm ? Rounded(*defect.length_mm, 3) : Json(nullptr);
  return json;
}

Json ToJson(const Annotation& annotation, Size picture, Shapes shapes) {
  const Rectangle& box = annotation.box;
  Json json = {{"segmentation", Segmentation(annotation, picture, shapes)},
               {"area", annotation.area_px},
               {"bbox", {box.x, box.y, box.width, box.height}},
               {"iscrowd", 0}};
  if (annotation.score) json["score"] = Rounded(*annotation.score, 6);
  json["attributes"] = Attributes(annotation);
  return json;
}

Json CategoriesJson(const std::vector<std::string_view>& categories) {
  Json json = Json::array();
  for (std::size_t i = 0; i < categories.size(); ++i) {
    json.push_back({{"id", i + 1}, {"name", categories[i]}, {"supercategory", "damage"}});
  }
  return json;
}

}  // namespace

std::string ToCoco(std::span<const AnnotatedPicture> pictures, Shapes shapes) {
  const std::vector<std::string_view> categories = Categories();
  Json images = Json::array(), annotations = Json::array();
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const AnnotatedPicture& picture = pictures[i];
    images.push_back({{"id", i + 1},
                      {"file_name", picture.file},
                      {"width", picture.size.width},
                      {"height", picture.size.height},
                      {"scan_id", picture.scan_id},
                      {"item_type", picture.item_type}});
    for (const Annotation& annotation : picture.annotations) {
      const auto category = std::ranges::find(categories, annotation.category);
      Json json = {{"id", annotations.size() + 1},
                   {"image_id", i + 1},
                   {"category_id", category - categories.begin() + 1}};
      json.update(ToJson(annotation, picture.size, shapes));
      annotations.push_back(std::move(json));
    }
  }
  return JsonLines(
      {{"info", {{"description", "Damage found by glint"}, {"version", GLINT_VERSION}}},
       {"licenses", Json::array()},
       {"categories", CategoriesJson(categories)},
       {"images", std::move(images)},
       {"annotations", std::move(annotations)}});
}

}  // namespace glint
