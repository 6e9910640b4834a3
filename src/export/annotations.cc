// SPDX-License-Identifier: Apache-2.0
#include "export/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "assess/strokes.h"
#include "assess/trade_names.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "report/names.h"

namespace glint {
namespace {

Plane Zeros(Size size, PixelType type) {
  Plane plane = Plane::Host(size, type);
  for (int y = 0; y < size.height; ++y) {
    std::memset(
        plane.Row<std::byte>(y), 0,
        static_cast<std::size_t>(size.width) * static_cast<std::size_t>(BytesPerPixel(type)));
  }
  return plane;
}

/// The stroke of each defect of a region, in the defects' order; empty where they do not fit.
std::vector<Stroke> StrokesFor(const std::vector<const Defect*>& defects,
                               std::vector<Stroke> strokes) {
  std::vector<Stroke> ordered;
  if (defects.size() != strokes.size()) return ordered;
  for (const Defect* defect : defects) {
    const auto same = std::ranges::find_if(strokes, [&](const Stroke& stroke) {
      return stroke.box == defect->box && std::ssize(stroke.pixels) == defect->area_px;
    });
    if (same == strokes.end()) return {};
    ordered.push_back(std::move(*same));
    strokes.erase(same);
  }
  return ordered;
}

/// Numbers the annotations of a result: which pixel belongs to which.
class Numbering {
 public:
  explicit Numbering(const AnnotationInput& input)
      : input_(input), numbers_(Zeros(input.labels.size(), PixelType::kS32)) {
    if (input.assessment) {
      for (const Defect& defect : input.assessment->defects) {
        defects_[defect.region].push_back(&defect);
      }
    }
    for (const DefectRegion& region : input.report.regions) listed_[region.id] = &region;
    for (int y = 0; y < numbers_.height(); ++y) {
      const auto* label = input.labels.Row<std::int32_t>(y);
      auto* number = numbers_.Row<std::int32_t>(y);
      for (int x = 0; x < numbers_.width(); ++x) {
        if (label[x] > 0) number[x] = NumberOf(label[x]);
      }
    }
    for (const auto& [first, strokes] : split_) Split(first, strokes);
  }

  /// kS32: an index of annotations() from 1, 0 where nothing is marked.
  const Plane& numbers() const { return numbers_; }
  /// Without box, mask and area.
  std::vector<Annotation> TakeAnnotations() { return std::move(annotations_); }

 private:
  std::int32_t NumberOf(std::int32_t region) {
    const auto [known, added] = first_of_.try_emplace(region, 0);
    if (added) known->second = Add(region);
    return known->second;
  }

  /// Adds the annotations of a region. @return the number of the first
  std::int32_t Add(std::int32_t id) {
    const auto first = static_cast<std::int32_t>(annotations_.size()) + 1;
    Annotation usual{.category = kUnnamed, .region = id};
    const auto listed = listed_.find(id);
    if (listed != listed_.end()) {
      const DefectRegion& region = *listed->second;
      usual.score = region.confidence.value_or(region.strength);
    }
    std::vector<const Defect*> defects = defects_[id];
    if (defects.size() > 1 && listed != listed_.end()) {
      const DefectRegion& region = *listed->second;
      auto strokes =
          StrokesFor(defects, StrokesOf(input_.labels, id, region.box, MayCross(region)));
      if (strokes.empty()) defects.erase(defects.begin() + 1, defects.end());  // keeps the worst
      if (!strokes.empty()) split_.emplace_back(first, std::move(strokes));
    }
    if (defects.empty()) annotations_.push_back(usual);
    for (const Defect* defect : defects) {
      Annotation& annotation = annotations_.emplace_back(usual);
      annotation.category = Name(defect->name);
      annotation.defect = *defect;
    }
    return first;
  }

  void Split(std::int32_t first, const std::vector<Stroke>& strokes) {
    for (std::size_t i = 0; i < strokes.size(); ++i) {
      for (const Point& p : strokes[i].pixels) {
        numbers_.Row<std::int32_t>(static_cast<int>(p.y))[static_cast<int>(p.x)] =
            first + static_cast<std::int32_t>(i);
      }
    }
  }

  const AnnotationInput& input_;
  Plane numbers_;
  std::map<int, std::vector<const Defect*>> defects_;  // by region
  std::map<int, const DefectRegion*> listed_;
  std::map<std::int32_t, std::int32_t> first_of_;  // number of a region's first annotation
  std::vector<std::pair<std::int32_t, std::vector<Stroke>>> split_;
  std::vector<Annotation> annotations_;
};

/// What each pixel's centre shows. @param from_picture  its pixels to those of `numbers`
Plane Seen(const Plane& numbers, const Homography& from_picture, Size picture) {
  Plane seen = Zeros(picture, PixelType::kS32);
  const Homography& h = from_picture;
  for (int y = 0; y < picture.height; ++y) {
    auto* row = seen.Row<std::int32_t>(y);
    for (int x = 0; x < picture.width; ++x) {
      const double w = h[6] * x + h[7] * y + h[8];
      const double u = std::floor((h[0] * x + h[1] * y + h[2]) / w + 0.5);
      const double v = std::floor((h[3] * x + h[4] * y + h[5]) / w + 0.5);
      if (!(u >= 0 && u < numbers.width() && v >= 0 && v < numbers.height())) continue;
      row[x] = numbers.Row<std::int32_t>(static_cast<int>(v))[static_cast<int>(u)];
    }
  }
  return seen;
}

/// The inverse, but for a factor that a homography may have.
Homography Adjugate(const Homography& h) {
  return {h[4] * h[8] - h[5] * h[7], h[2] * h[7] - h[1] * h[8], h[1] * h[5] - h[2] * h[4],
          h[5] * h[6] - h[3] * h[8], h[0] * h[8] - h[2] * h[6], h[2] * h[3] - h[0] * h[5],
          h[3] * h[7] - h[4] * h[6], h[1] * h[6] - h[0] * h[7], h[0] * h[4] - h[1] * h[3]};
}

/// Gives each annotation its mask; those that the picture does not show go.
void CutOut(const Plane& numbers, std::vector<Annotation>& annotations) {
  struct Extent {
    int left = std::numeric_limits<int>::max(), top = left, right = -1, bottom = -1;
  };
  std::vector<Extent> extents(annotations.size());
  const auto for_each_marked = [&](const auto& act) {
    for (int y = 0; y < numbers.height(); ++y) {
      const auto* row = numbers.Row<std::int32_t>(y);
      for (int x = 0; x < numbers.width(); ++x) {
        if (row[x] > 0) act(static_cast<std::size_t>(row[x]) - 1, x, y);
      }
    }
  };
  for_each_marked([&](std::size_t i, int x, int y) {
    Extent& e = extents[i];
    e = {std::min(e.left, x), std::min(e.top, y), std::max(e.right, x), std::max(e.bottom, y)};
  });
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Extent& e = extents[i];
    if (e.right < 0) continue;
    annotations[i].box = {e.left, e.top, e.right - e.left + 1, e.bottom - e.top + 1};
    annotations[i].mask =
        Zeros({annotations[i].box.width, annotations[i].box.height}, PixelType::kU8);
  }
  for_each_marked([&](std::size_t i, int x, int y) {
    Annotation& annotation = annotations[i];
    annotation.mask.Row<std::uint8_t>(y - annotation.box.y)[x - annotation.box.x] = 255;
    ++annotation.area_px;
  });
  std::erase_if(annotations, [](const Annotation& annotation) { return annotation.area_px == 0; });
}

/// The place of the reference frame among the golden ones.
absl::StatusOr<std::size_t> ReferencePlace(const ScanReport& report) {
  const auto reference = std::ranges::find_if(report.golden, [&](const GoldenFrame& golden) {
    return golden.measure.index == report.object->reference_frame;
  });
  if (reference != report.golden.end()) {
    return static_cast<std::size_t>(reference - report.golden.begin());
  }
  return Error(Reason::kInputUnreadable,
               fmt::format("the report of {} has no golden frame {}, its reference frame",
                           report.scan_id, report.object->reference_frame));
}

}  // namespace

absl::StatusOr<AnnotatedPicture> Annotate(const AnnotationInput& input, Coordinates coordinates,
                                          std::string_view folder) {
  const std::string before = folder.empty() ? "" : std::string(folder) + "/";
  AnnotatedPicture picture{.scan_id = input.report.scan_id,
                           .item_type = input.report.item_type,
                           .file = before + "rectified.png",
                           .size = input.labels.size()};
  Numbering numbering(input);
  picture.annotations = numbering.TakeAnnotations();
  if (coordinates == Coordinates::kObject) {
    CutOut(numbering.numbers(), picture.annotations);
    return picture;
  }
  GLINT_ASSIGN_OR_RETURN(const std::size_t place, ReferencePlace(input.report));
  picture.file = before + GoldenPictureName(place);
  picture.size = input.report.video.size;
  CutOut(Seen(numbering.numbers(), Adjugate(input.report.golden[place].frame_from_object),
              picture.size),
         picture.annotations);
  return picture;
}

std::vector<std::string_view> Categories() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kDefectNames) + 1);
  for (const DefectName name : kDefectNames) names.push_back(Name(name));
  names.push_back(kUnnamed);
  return names;
}

}  // namespace glint
