// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "assess/drawing.h"
#include "export/export.h"
#include "export/run_lengths.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A picture of 6 x 4 with an L of three pixels from (1, 1).
AnnotatedPicture Picture() {
  AnnotatedPicture picture{
      .scan_id = "a,\"b\"", .item_type = "card", .file = "x & <y>/rectified.png", .size = {6, 4}};
  Annotation& annotation = picture.annotations.emplace_back();
  annotation.category = "crease";
  annotation.region = 3;
  annotation.box = {1, 1, 2, 2};
  annotation.mask = Grey({2, 2}, 255);
  annotation.mask.Row<std::uint8_t>(0)[1] = 0;
  annotation.area_px = 3;
  return picture;
}

TEST(Runs, GoColumnByColumnForCocoAndRowByRowForCvat) {
  const AnnotatedPicture picture = Picture();
  EXPECT_THAT(ColumnRuns(picture.annotations[0], picture.size), ElementsAre(5, 2, 3, 1, 13));
  EXPECT_THAT(RowRuns(picture.annotations[0]), ElementsAre(0, 1, 1, 2));
  Annotation corner = picture.annotations[0];
  corner.box = {4, 2, 2, 2};
  EXPECT_THAT(ColumnRuns(corner, picture.size), ElementsAre(18, 2, 3, 1));
}

// By hand: 5 is one character, 40 two (8 with more, 1), and 3 after 13 a difference of -10.
TEST(Runs, AreCompressedAsCocoSays) {
  EXPECT_EQ(CompressRuns({5}), "5");
  EXPECT_EQ(CompressRuns({40}), "X1");
  EXPECT_EQ(CompressRuns({0, 13, 2, 3}), "0=2F");
  EXPECT_EQ(CompressRuns({16}), "`0");  // its fifth bit would be taken for a sign
}

TEST(Formats, WriteCoco) {
  const AnnotatedPicture picture = Picture();
  const auto text = Export({&picture, 1}, ExportFormat::kCoco, Shapes::kPolygon);
  ASSERT_THAT(text, IsOk());
  const auto json = nlohmann::json::parse(*text);
  const auto& annotation = json.at("annotations").at(0);
  EXPECT_EQ(annotation.at("segmentation").dump(), "[[1,1,2,1,2,2,3,2,3,3,1,3]]");
  EXPECT_EQ(annotation.at("bbox").dump(), "[1,1,2,2]");
  EXPECT_EQ(annotation.at("area"), 3);
  const int id = annotation.at("category_id");
  EXPECT_EQ(json.at("categories").at(id - 1).at("name"), "crease");
  EXPECT_EQ(json.at("images").at(0).at("file_name"), "x & <y>/rectified.png");
}

TEST(Formats, EscapeWhatXmlAndCsvMayNotHold) {
  AnnotatedPicture picture = Picture();
  picture.file += '\x01';
  EXPECT_THAT(Export({&picture, 1}, ExportFormat::kCvat, Shapes::kMask).value(),
              testing::AllOf(HasSubstr("name=\"x &amp; &lt;y&gt;/rectified.png\xEF\xBF\xBD\""),
                             HasSubstr("rle=\"0, 1, 1, 2\"")));
  EXPECT_THAT(Export({&picture, 1}, ExportFormat::kCsv, Shapes::kMask).value(),
              HasSubstr("\r\n\"a,\"\"b\"\"\",card,"));
}

TEST(Formats, HoldOnePictureInLabelme) {
  const std::vector<AnnotatedPicture> two = {Picture(), Picture()};
  EXPECT_THAT(Export(two, ExportFormat::kLabelme, Shapes::kMask),
              FailsWith(Reason::kInvalidOption, HasSubstr("one picture")));
}

}  // namespace
}  // namespace glint
