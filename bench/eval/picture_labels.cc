// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/picture_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/mat.h"
#include "base/status_macros.h"
#include "image/png.h"
#include "report/json_file.h"
#include "report/names.h"
#include "report/read_report.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kAnyDamage = "damage";

Plane NoIds(Size size) {
  Plane ids = Plane::Host(size, PixelType::kS32);
  AsMat(ids).setTo(0);
  return ids;
}

/// Fills where the pixels' centres lie inside, by the even-odd rule.
/// @param points  x and y in turns, in pixels: pixel x reaches from x to x + 1
void FillPolygon(const std::vector<double>& points, int id, const Plane& ids) {
  const std::size_t corners = points.size() / 2;
  double top = ids.height(), bottom = 0;
  for (std::size_t i = 0; i < corners; ++i) {
    top = std::min(top, points[2 * i + 1]);
    bottom = std::max(bottom, points[2 * i + 1]);
  }
  const int end = static_cast<int>(std::min(std::ceil(bottom), double(ids.height())));
  for (int y = static_cast<int>(std::max(std::floor(top), 0.0)); y < end; ++y) {
    std::vector<double> crossings;
    for (std::size_t i = 0; i < corners; ++i) {
      const std::size_t j = (i + 1) % corners;
      const double x0 = points[2 * i], y0 = points[2 * i + 1];
      const double x1 = points[2 * j], y1 = points[2 * j + 1];
      const double at = y + 0.5;
      if ((y0 <= at) == (y1 <= at)) continue;
      crossings.push_back(x0 + (at - y0) / (y1 - y0) * (x1 - x0));
    }
    std::ranges::sort(crossings);
    auto* row = ids.Row<std::int32_t>(y);
    for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
      const auto pixel = [&](double x) {
        return static_cast<int>(std::clamp(std::ceil(x - 0.5), 0.0, double(ids.width())));
      };
      const int from = pixel(crossings[i]), to = pixel(crossings[i + 1]);
      if (from < to) std::fill(row + from, row + to, id);
    }
  }
}

/// COCO's compressed run lengths; nothing when the text is cut off.
std::optional<std::vector<std::int64_t>> ParseRuns(std::string_view text) {
  std::vector<std::int64_t> runs;
  for (std::size_t at = 0; at < text.size();) {
    std::int64_t run = 0;
    for (int shift = 0;; shift += 5) {
      if (at == text.size() || shift > 50) return std::nullopt;
      const int bits = text[at++] - '0';
      run |= std::int64_t{bits & 0x1F} << shift;
      if ((bits & 0x20) != 0) continue;
      if ((bits & 0x10) != 0) run |= -(std::int64_t{1} << (shift + 5));
      break;
    }
    runs.push_back(runs.size() > 2 ? run + runs[runs.size() - 2] : run);
  }
  return runs;
}

/// @return false when they are no runs of this picture
bool FillRuns(const std::vector<std::int64_t>& runs, int id, const Plane& ids) {
  const std::int64_t height = ids.height();
  std::int64_t at = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i] < 0 || runs[i] > ids.size().area() - at) return false;
    for (const std::int64_t end = at + runs[i]; at < end; ++at) {
      if (i % 2 == 1) ids.Row<std::int32_t>(static_cast<int>(at % height))[at / height] = id;
    }
  }
  return at == ids.size().area();
}

/// @return false when it is no segmentation of this picture
bool Fill(const json& segmentation, int id, const Plane& ids) {
  if (segmentation.is_array()) {
    for (const json& polygon : segmentation) {
      FillPolygon(polygon.get<std::vector<double>>(), id, ids);
    }
    return true;
  }
  const auto size = segmentation.at("size").get<std::vector<int>>();
  if (size != std::vector<int>{ids.height(), ids.width()}) return false;
  const json& counts = segmentation.at("counts");
  if (!counts.is_string()) return FillRuns(counts.get<std::vector<std::int64_t>>(), id, ids);
  const auto runs = ParseRuns(counts.get<std::string>());
  return runs && FillRuns(*runs, id, ids);
}

/// Its folder (of an item's back with the front's), its scan, or itself.
std::vector<std::string> NamesOf(const json& image, const std::string& file) {
  std::vector<std::string> names;
  const fs::path path(file);
  const fs::path folder = path.parent_path();
  if (folder.filename() == "back" && folder.has_parent_path()) {
    names.push_back((folder.parent_path().filename() / folder.filename()).string());
  }
  if (path.has_parent_path()) names.push_back(folder.filename().string());
  if (image.contains("scan_id")) names.push_back(image.at("scan_id").get<std::string>());
  names.push_back(path.stem().string());
  return names;
}

absl::StatusOr<PictureLabels> ToPicture(const json& image, const fs::path& file) {
  PictureLabels picture;
  picture.picture = image.at("file_name").get<std::string>();
  picture.names = NamesOf(image, picture.picture);
  picture.size = {image.at("width").get<int>(), image.at("height").get<int>()};
  if (picture.size.width < 1 || picture.size.height < 1 ||
      picture.size.area() > kMaxPicturePixels) {
    return Unusable(file, fmt::format("its image '{}' has no picture's size", picture.picture));
  }
  picture.ids = NoIds(picture.size);
  return picture;
}

absl::Status AddAnnotation(const json& annotation, const std::string& type, const fs::path& file,
                           PictureLabels& picture) {
  const int id = static_cast<int>(picture.defects.size()) + 1;
  const auto segmentation = annotation.find("segmentation");
  const bool drawn = segmentation != annotation.end() && !segmentation->empty();
  if (drawn && Fill(*segmentation, id, picture.ids)) {
    picture.defects.push_back({.id = id, .type = type, .severity = ""});
    return absl::OkStatus();
  }
  return Unusable(file, fmt::format("its annotation {} has no segmentation of '{}'; boxes say too "
                                    "little",
                                    annotation.at("id").dump(), picture.picture));
}

absl::StatusOr<std::vector<PictureLabels>> ParseCoco(const fs::path& file, const json& coco) {
  std::map<std::int64_t, std::string> types;
  for (const json& category : coco.at("categories")) {
    types[category.at("id").get<std::int64_t>()] = category.at("name").get<std::string>();
  }
  std::vector<PictureLabels> pictures;
  std::map<std::int64_t, std::size_t> place;
  for (const json& image : coco.at("images")) {
    place[image.at("id").get<std::int64_t>()] = pictures.size();
    GLINT_ASSIGN_OR_RETURN(pictures.emplace_back(), ToPicture(image, file));
  }
  for (const json& annotation : coco.at("annotations")) {
    const auto of = place.find(annotation.at("image_id").get<std::int64_t>());
    const auto type = types.find(annotation.at("category_id").get<std::int64_t>());
    if (of == place.end() || type == types.end()) {
      return Unusable(file, fmt::format("its annotation {} is of an image or a category that it "
                                        "does not have",
                                        annotation.at("id").dump()));
    }
    GLINT_RETURN_IF_ERROR(AddAnnotation(annotation, type->second, file, pictures[of->second]));
  }
  return pictures;
}

/// The golden frame that the labels were drawn on: by its name, else the reference frame.
const GoldenFrame* FrameOf(const PictureLabels& labels, const ScanReport& report) {
  const std::string name = fs::path(labels.picture).filename().string();
  const GoldenFrame* reference = nullptr;
  for (std::size_t i = 0; i < report.golden.size(); ++i) {
    if (name == GoldenPictureName(i)) return &report.golden[i];
    if (report.golden[i].measure.index == report.object->reference_frame) {
      reference = &report.golden[i];
    }
  }
  return reference;
}

/// The labels' ids in object pixels.
absl::StatusOr<Plane> InObject(const PictureLabels& labels, const ScanReport& report) {
  const Size object = report.object->size;
  const GoldenFrame* frame = FrameOf(labels, report);
  if (labels.size == object && !fs::path(labels.picture).filename().string().starts_with("golden"))
    return labels.ids;
  if (labels.size != report.video.size || frame == nullptr) {
    return Error(Reason::kInputUnreadable,
                 fmt::format("the labels of '{}' are of a picture of {}; the result's object is "
                             "{}, its frames {}",
                             labels.picture, ToString(labels.size), ToString(object),
                             ToString(report.video.size)));
  }
  cv::Mat moved;
  cv::warpPerspective(AsMat(labels.ids), moved,
                      cv::Mat(3, 3, CV_64F, const_cast<double*>(frame->frame_from_object.data())),
                      {object.width, object.height}, cv::INTER_NEAREST | cv::WARP_INVERSE_MAP);
  return AsPlane(moved);
}

}  // namespace

absl::StatusOr<std::vector<PictureLabels>> ReadCoco(const fs::path& file) {
  return WithJson(file, [&](const json& coco) { return ParseCoco(file, coco); });
}

absl::StatusOr<PictureLabels> ReadMaskLabels(const fs::path& file) {
  GLINT_ASSIGN_OR_RETURN(const Plane mask, ReadMask(file));
  PictureLabels labels{.picture = file.filename().string(),
                       .names = {file.stem().string()},
                       .size = mask.size(),
                       .ids = NoIds(mask.size())};
  const cv::Mat marked = AsMat(mask) > 0;
  cv::Mat ids = AsMat(labels.ids);
  const int pieces = cv::connectedComponents(marked, ids, 8, CV_32S);
  for (int id = 1; id < pieces; ++id) {
    labels.defects.push_back({.id = id, .type = kAnyDamage, .severity = ""});
  }
  return labels;
}

absl::StatusOr<fs::path> ResultOf(const PictureLabels& labels, const fs::path& reports) {
  std::error_code none;
  for (const std::string& name : labels.names) {
    if (fs::exists(reports / name / "report.json", none)) return reports / name;
  }
  if (fs::exists(reports / "report.json", none)) return reports;
  return Error(Reason::kInputNotFound,
               fmt::format("'{}' has no result of '{}': no folder {} with a report.json",
                           reports.string(), labels.picture, labels.names.front()));
}

absl::StatusOr<ScanEvaluation> EvaluatePicture(const PictureLabels& labels,
                                               const fs::path& result) {
  GLINT_ASSIGN_OR_RETURN(const StoredReport stored, ReadReport(result));
  ScanLabels known{.name = result.lexically_normal().filename().string(), .in_object_pixels = true};
  if (known.name.empty()) known.name = labels.names.front();
  known.defects = labels.defects;
  known.ids = labels.ids;
  if (stored.report.object) {
    GLINT_ASSIGN_OR_RETURN(known.ids, InObject(labels, stored.report));
  }
  known.flat_size = known.ids.size();
  return EvaluateScan(known, result);
}

}  // namespace glint
