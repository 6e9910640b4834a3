// SPDX-License-Identifier: Apache-2.0
#include "export/annotations.h"

#include <gmock/gmock.h>

#include "assess/drawing.h"
#include "assess/strokes.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::ElementsAre;

std::vector<std::string_view> CategoriesOf(const AnnotatedPicture& picture) {
  std::vector<std::string_view> names;
  for (const Annotation& annotation : picture.annotations) names.push_back(annotation.category);
  return names;
}

std::int64_t AreaOf(const AnnotatedPicture& picture) {
  std::int64_t area = 0;
  for (const Annotation& annotation : picture.annotations) area += annotation.area_px;
  return area;
}

class Annotations : public testing::Test {
 protected:
  Annotations() {
    report_.scan_id = "card";
    report_.video.size = {400, 300};
    report_.object = LocatedObject{.reference_frame = 7, .size = labels_.size()};
    report_.golden.resize(2);
    report_.golden[1].measure.index = 7;
    // Twice as large, and moved: object pixel (x, y) is frame pixel (2x + 20.5, 2y + 10.5).
    report_.golden[1].frame_from_object = {2, 0, 20.5, 0, 2, 10.5, 0, 0, 1};
  }

  void Add(int id, DefectName name) {
    report_.regions.push_back(RegionOf(labels_, id, RegionKind::kLine, kLinesLayer));
    for (const Stroke& stroke : StrokesOf(labels_, id, report_.regions.back().box, true)) {
      Defect defect{.id = static_cast<int>(assessment_->defects.size()) + 1, .region = id};
      defect.name = name;
      defect.box = stroke.box;
      defect.area_px = std::ssize(stroke.pixels);
      assessment_->defects.push_back(defect);
    }
  }

  absl::StatusOr<AnnotatedPicture> Taken(Coordinates coordinates) {
    return Annotate({report_, assessment_, labels_}, coordinates, "results/card");
  }

  Plane labels_ = NoLabels({150, 100});
  ScanReport report_;
  std::optional<Assessment> assessment_ = Assessment();
};

TEST_F(Annotations, NameEveryMarkedPixelOnce) {
  Fill<std::int32_t>(labels_, {10, 20, 30, 2}, 1);
  Fill<std::int32_t>(labels_, {80, 60, 3, 3}, 2);
  Add(1, DefectName::kCrease);
  const auto picture = Taken(Coordinates::kObject);
  ASSERT_THAT(picture, IsOk());
  EXPECT_EQ(picture->file, "results/card/rectified.png");
  EXPECT_EQ(picture->size, labels_.size());
  EXPECT_THAT(CategoriesOf(*picture), ElementsAre("crease", kUnnamed));
  EXPECT_EQ(picture->annotations[0].box, (Rectangle{10, 20, 30, 2}));
  EXPECT_EQ(AreaOf(*picture), 60 + 9);
}

TEST_F(Annotations, ShareARegionOutWhereDefectsCrossInIt) {
  DrawLine(labels_, 1, {20, 50}, {130, 50}, 3);
  DrawLine(labels_, 1, {75, 10}, {75, 90}, 3);
  Add(1, DefectName::kScratch);
  ASSERT_EQ(assessment_->defects.size(), 2U);
  const auto picture = Taken(Coordinates::kObject);
  ASSERT_THAT(picture, IsOk());
  ASSERT_EQ(picture->annotations.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(picture->annotations[i].area_px, assessment_->defects[i].area_px);
    EXPECT_EQ(picture->annotations[i].box, assessment_->defects[i].box);
  }
  assessment_->defects[0].area_px += 1;  // of another version: nobody knows which is which
  const auto unknown = Taken(Coordinates::kObject);
  ASSERT_EQ(unknown->annotations.size(), 1U);
  EXPECT_EQ(AreaOf(*unknown), AreaOf(*picture));
}

TEST_F(Annotations, LieInTheReferenceFrameAsItShowsThem) {
  Fill<std::int32_t>(labels_, {10, 20, 30, 2}, 1);
  Fill<std::int32_t>(labels_, {0, 95, 2, 2}, 2);
  Add(1, DefectName::kCrease);
  const auto picture = Taken(Coordinates::kFrame);
  ASSERT_THAT(picture, IsOk());
  EXPECT_EQ(picture->file, "results/card/golden_02.png");
  EXPECT_EQ(picture->size, (Size{400, 300}));
  EXPECT_EQ(picture->annotations[0].box, (Rectangle{40, 50, 60, 4}));
  EXPECT_EQ(picture->annotations[0].area_px, 4 * 60);
  report_.video.size = {400, 150};  // too low for the second one
  EXPECT_EQ(Taken(Coordinates::kFrame)->annotations.size(), 1U);
  report_.object->reference_frame = 8;
  EXPECT_THAT(Taken(Coordinates::kFrame), FailsWith(Reason::kInputUnreadable, testing::_));
}

}  // namespace
}  // namespace glint
