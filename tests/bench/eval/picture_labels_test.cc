// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/picture_labels.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "image/png.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::HasSubstr;

std::int64_t Count(const Plane& ids, int id) {
  std::int64_t count = 0;
  for (int y = 0; y < ids.height(); ++y) {
    count += std::ranges::count(std::span(ids.Row<std::int32_t>(y), std::size_t(ids.width())), id);
  }
  return count;
}

/// COCO of one picture of 100 x 80 with these annotations.
std::string Coco(const std::string& annotations, const std::string& file = "card/rectified.png",
                 Size size = {100, 80}) {
  return fmt::format(R"({{"images": [{{"id": 7, "file_name": "{}", "width": {}, "height": {}}}],
      "categories": [{{"id": 2, "name": "crease"}}], "annotations": [{}]}})",
                     file, size.width, size.height, annotations);
}

std::string Annotation(const std::string& segmentation) {
  return fmt::format(R"({{"id": 1, "image_id": 7, "category_id": 2, "segmentation": {}}})",
                     segmentation);
}

class PictureLabelsTest : public testing::Test {
 protected:
  absl::StatusOr<PictureLabels> Read(const std::string& coco) {
    auto pictures = ReadCoco(folder_.Write("coco.json", coco));
    if (!pictures.ok()) return pictures.status();
    return pictures->front();
  }

  void WriteMask(const std::string& name, Size size, const std::vector<Rectangle>& boxes) {
    const Plane mask = Plane::Host(size, PixelType::kU8);
    for (int y = 0; y < size.height; ++y) {
      std::fill_n(mask.Row<std::uint8_t>(y), size.width, std::uint8_t{0});
    }
    for (const Rectangle& box : boxes) {
      for (int y = box.y; y < box.y + box.height; ++y) {
        std::fill_n(mask.Row<std::uint8_t>(y) + box.x, box.width, std::uint8_t{255});
      }
    }
    const auto png = EncodePng(mask);
    ASSERT_THAT(png, IsOk());
    folder_.Write(name, {reinterpret_cast<const char*>(png->data()), png->size()});
  }

  /// A result of an object of 100 x 80 that lies twice as large in frames of 300 x 200.
  void WriteResult(const std::string& name, const std::vector<Rectangle>& marked) {
    folder_.Write(name + "/report.json", R"({"outcome": "scanned", "scan_id": "card",
      "video": {"size": [300, 200]},
      "object": {"reference_frame": 3, "size": [100, 80],
                 "corners": [[20, 10], [220, 10], [220, 170], [20, 170]]},
      "golden_frames": [{"frame": 3, "frame_from_object": [2, 0, 20.5, 0, 2, 10.5, 0, 0, 1]}]})");
    WriteMask(name + "/mask.png", {100, 80}, marked);
  }

  TempFolder folder_;
};

TEST_F(PictureLabelsTest, HoldPolygonsAndRunLengths) {
  struct Case {
    const char* segmentation;
    std::int64_t pixels;
  };
  for (const Case& c : {Case{"[[10, 20, 40, 20, 40, 22, 10, 22]]", 60},
                        Case{R"({"size": [80, 100], "counts": [820, 2, 78, 2, 78, 2, 7018]})", 6},
                        Case{R"({"size": [80, 100], "counts": "di02^2000lh6"})", 6}}) {
    const auto picture = Read(Coco(Annotation(c.segmentation)));
    ASSERT_THAT(picture, IsOk()) << c.segmentation;
    EXPECT_EQ(picture->defects.at(0).type, "crease");
    EXPECT_EQ(Count(picture->ids, 1), c.pixels);
    EXPECT_EQ(picture->ids.Row<std::int32_t>(20)[10], 1);
  }
}

TEST_F(PictureLabelsTest, SayWhatOfAFileCannotBeUsed) {
  EXPECT_THAT(Read(Coco(Annotation("[]"))),
              FailsWith(Reason::kInputUnreadable, HasSubstr("boxes say too little")));
  EXPECT_THAT(Read(Coco(Annotation(R"({"size": [80, 100], "counts": [1, 2]})"))),
              FailsWith(Reason::kInputUnreadable, HasSubstr("segmentation")));
  EXPECT_THAT(Read(Coco(Annotation(R"({"size": [80, 100], "counts": "o"})"))),
              FailsWith(Reason::kInputUnreadable, HasSubstr("segmentation")));
  EXPECT_THAT(Read(Coco(R"({"id": 1, "image_id": 8, "category_id": 2, "segmentation": [[1]]})")),
              FailsWith(Reason::kInputUnreadable, HasSubstr("an image or a category")));
  EXPECT_THAT(Read("{}"), FailsWith(Reason::kInputUnreadable, HasSubstr("it has no 'categories'")));
}

TEST_F(PictureLabelsTest, JudgeTheBackByItsOwnResult) {
  WriteResult("results/card", {});
  WriteResult("results/card/back", {{10, 20, 30, 2}});
  const auto picture =
      Read(Coco(Annotation("[[10, 20, 40, 20, 40, 22, 10, 22]]"), "card/back/rectified.png"));
  ASSERT_THAT(picture, IsOk());
  const auto back = folder_.path() / "results/card/back";
  EXPECT_EQ(*ResultOf(*picture, folder_.path() / "results"), back);
  EXPECT_EQ(*ResultOf(*picture, folder_.path() / "results/card"), back);
}

TEST_F(PictureLabelsTest, JudgeTheResultThatThePictureIsOf) {
  WriteResult("results/card", {{10, 20, 30, 2}});
  const auto picture = Read(Coco(Annotation("[[10, 20, 40, 20, 40, 22, 10, 22]]")));
  ASSERT_THAT(picture, IsOk());
  const auto result = ResultOf(*picture, folder_.path() / "results");
  ASSERT_THAT(result, IsOk());
  const auto judged = EvaluatePicture(*picture, *result);
  ASSERT_THAT(judged, IsOk());
  EXPECT_EQ(judged->name, "card");
  ASSERT_TRUE(judged->all.has_value());
  EXPECT_EQ(judged->all->f, 1);
  EXPECT_TRUE(judged->defects.at(0).found);
  EXPECT_EQ(*ResultOf(*picture, folder_.path() / "results/card"), folder_.path() / "results/card");
  EXPECT_THAT(ResultOf(*picture, folder_.path()),
              FailsWith(Reason::kInputNotFound, HasSubstr("card")));
}

TEST_F(PictureLabelsTest, OfAGoldenFrameAreCarriedToTheObject) {
  WriteResult("card", {{10, 20, 30, 2}});
  const auto picture = Read(
      Coco(Annotation("[[40, 50, 100, 50, 100, 54, 40, 54]]"), "card/golden_01.png", {300, 200}));
  ASSERT_THAT(picture, IsOk());
  const auto judged = EvaluatePicture(*picture, folder_.path() / "card");
  ASSERT_THAT(judged, IsOk());
  EXPECT_EQ(judged->all->f, 1);
  const auto other = Read(Coco(Annotation("[[1, 1, 5, 1, 5, 5]]"), "card/x.png", {64, 48}));
  EXPECT_THAT(EvaluatePicture(*other, folder_.path() / "card"),
              FailsWith(Reason::kInputUnreadable, HasSubstr("64x48")));
}

TEST_F(PictureLabelsTest, AreMasksToo) {
  WriteResult("card", {{10, 20, 30, 2}});
  WriteMask("masks/card.png", {100, 80}, {{10, 20, 30, 2}, {60, 60, 5, 5}});
  const auto labels = ReadMaskLabels(folder_.path() / "masks/card.png");
  ASSERT_THAT(labels, IsOk());
  EXPECT_EQ(labels->defects.size(), 2U);
  const auto judged = EvaluatePicture(*labels, *ResultOf(*labels, folder_.path()));
  ASSERT_THAT(judged, IsOk());
  EXPECT_EQ(judged->all->precision, 1);
  EXPECT_NEAR(judged->all->recall, 60.0 / 85, 1e-9);
}

}  // namespace
}  // namespace glint
