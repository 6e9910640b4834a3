// SPDX-License-Identifier: Apache-2.0
#include "scan/reference_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "glint/error.h"
#include "image/png.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string Png(const Plane& plane) {
  const auto png = EncodePng(plane);
  EXPECT_THAT(png, IsOk());
  return {reinterpret_cast<const char*>(png->data()), png->size()};
}

std::string Report(std::string_view profile, std::string_view object = R"({"size": [20, 30]})") {
  return std::string(R"({"schema_version": 1, "scan_id": "earlier", "profile": ")")
      .append(profile)
      .append(R"(", "object": )")
      .append(object)
      .append("}");
}

Plane Colours(Size size) {
  Plane picture = Plane::Host(size, PixelType::kU8x3);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < 3 * size.width; ++x) {
      picture.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(x * 3 + y * 7);
    }
  }
  return picture;
}

class ReferenceFiles : public testing::Test {
 protected:
  absl::StatusOr<ReferenceFile> Read(std::string_view name) {
    return ReadReference((folder_.path() / name).string(), {});
  }

  TempFolder folder_;
};

TEST_F(ReferenceFiles, ReadsPictures) {
  const Plane picture = Colours({20, 30});
  folder_.Write("good.png", Png(picture));
  const auto read = Read("good.png");
  ASSERT_THAT(read, IsOk());
  EXPECT_TRUE(SameBytes(read->copy.picture, picture));
  EXPECT_TRUE(read->copy.damage.empty());
  EXPECT_EQ(read->facts.name, "good.png");
  EXPECT_EQ(read->facts.scan_id, "");

  folder_.Write("grey.png", Png(NoisePlane({20, 30}, 1)));
  const auto grey = Read("grey.png");
  ASSERT_THAT(grey, IsOk());
  EXPECT_EQ(grey->copy.picture.type(), PixelType::kU8x3);

  folder_.Write("large.png", Png(Colours({3000, 40})));
  const auto large = Read("large.png");
  ASSERT_THAT(large, IsOk());
  EXPECT_EQ(large->copy.picture.size(), (Size{2400, 32}));
}

TEST_F(ReferenceFiles, ReadsEarlierScansByFolderOrReport) {
  const Plane median = Colours({20, 30});
  folder_.Write("a/report.json", Report("photometric"));
  folder_.Write("a/median.png", Png(median));
  folder_.Write("a/mask.png", Png(NoisePlane({20, 30}, 2)));
  folder_.Write("b/report.json", Report("classic"));
  folder_.Write("b/rectified.png", Png(median));
  folder_.Write("b/mask.png", Png(NoisePlane({20, 30}, 2)));
  for (const char* name : {"a", "a/report.json", "b"}) {
    const auto read = Read(name);
    ASSERT_THAT(read, IsOk()) << name;
    EXPECT_TRUE(SameBytes(read->copy.picture, median)) << name;
    EXPECT_EQ(read->copy.damage.empty(), name[0] == 'b') << "classic marks ink, too";
    EXPECT_EQ(read->facts.name, "report.json");
    EXPECT_EQ(read->facts.scan_id, "earlier");
  }
}

TEST_F(ReferenceFiles, SaysWhatIsWrongWithThem) {
  folder_.Write("text.png", "not a picture, nor a report");
  folder_.Write("nothing.png", "");
  folder_.Write("cut.png", std::string("\x89PNG\r\n\x1a\n", 8) + "IHDR");
  folder_.Write("some.json", R"({"a": 1})");
  folder_.Write("broken.json", R"({"schema_version": 1, )");
  folder_.Write("later.json", R"({"schema_version": 2, "scan_id": "x"})");
  folder_.Write("deep.json", "{\"a\":" + std::string(1'000'000, '['));
  folder_.Write("long.json", "{\"a\":\"" + std::string(9 << 20, 'x') + "\"}");
  folder_.Write("alone/report.json", Report("photometric"));
  folder_.Write("unusable/report.json", Report("photometric", "null"));
  folder_.Write("mixed/report.json", Report("photometric"));
  folder_.Write("mixed/median.png", Png(Colours({20, 30})));
  folder_.Write("mixed/mask.png", Png(NoisePlane({30, 20}, 1)));
  std::filesystem::create_directory(folder_.path() / "empty");
  // A grey picture of 40000 x 40000 pixels: the head says so, and nothing more is read.
  folder_.Write("huge.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x9c\x40\0\0\x9c\x40"
                                        "\x08\0\0\0\0\x74\x67\x51\xd9\0\0\0\0IDAT",
                                        41));
  struct Case {
    const char* name;
    Reason reason;
    const char* says;
  };
  for (const Case& c :
       {Case{"missing.png", Reason::kInputNotFound, "does not exist"},
        Case{"text.png", Reason::kInputUnreadable, "neither a PNG or JPEG image nor the report"},
        Case{"nothing.png", Reason::kInputUnreadable, "nothing.png"},
        Case{"cut.png", Reason::kInputUnreadable, "cut.png"},
        Case{"huge.png", Reason::kLimitExceeded, "huge.png"},
        Case{"some.json", Reason::kInputUnreadable, "no report.json of a scan"},
        Case{"broken.json", Reason::kInputUnreadable, "no report.json of a scan"},
        Case{"later.json", Reason::kInputUnreadable, "schema_version 2; this program reads 1"},
        Case{"deep.json", Reason::kInputUnreadable, "nested deeper"},
        Case{"long.json", Reason::kInputUnreadable, "is larger"},
        Case{"alone", Reason::kInputNotFound, "rectified.png"},
        Case{"unusable", Reason::kInvalidOption, "judged nothing"},
        Case{"mixed", Reason::kInputUnreadable, "does not belong to the pictures"},
        Case{"empty", Reason::kInputNotFound, "report.json"}}) {
    EXPECT_THAT(Read(c.name),
                FailsWith(c.reason, AllOf(HasSubstr("--reference"), HasSubstr(c.says))))
        << c.name;
  }
  EXPECT_THAT(ReadReference("https://example.com/a.png", {}),
              FailsWith(Reason::kInvalidOption, HasSubstr("download it")));
}

}  // namespace
}  // namespace glint
