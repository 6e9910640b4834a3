// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>
#include <span>

#include "glint/error.h"
#include "image/png.h"
#include "scan/steps/scan_steps_test.h"

namespace glint {
namespace {

using testing::_;
using testing::HasSubstr;

class FetchInputTest : public ScanSteps {};

TEST_F(FetchInputTest, GivesTheFileAndNoGoodCopyWhereNoneIsAskedFor) {
  request_.input = folder_.Write("clip.mp4", "a video").string();
  const auto fetched = FetchInput(scan());
  ASSERT_THAT(fetched, IsOk());
  EXPECT_EQ(fetched->file->path(), request_.input);
  EXPECT_FALSE(fetched->good_copy);
}

TEST_F(FetchInputTest, ReadsTheGoodCopy) {
  request_.input = folder_.Write("clip.mp4", "a video").string();
  const auto png = EncodePng(Card(0));
  ASSERT_THAT(png, IsOk());
  request_.reference = (folder_.path() / "good.png").string();
  std::ofstream(request_.reference, std::ios::binary)
      .write(reinterpret_cast<const char*>(png->data()), std::ssize(*png));
  const auto fetched = FetchInput(scan());
  ASSERT_THAT(fetched, IsOk());
  ASSERT_TRUE(fetched->good_copy);
  EXPECT_EQ(fetched->good_copy->copy.picture.size(), kFrame);
  EXPECT_EQ(fetched->good_copy->facts.name, "good.png");
}

TEST_F(FetchInputTest, FailsWithoutTheInputOrTheGoodCopy) {
  request_.input = (folder_.path() / "none.mp4").string();
  EXPECT_THAT(FetchInput(scan()), FailsWith(Reason::kInputNotFound, HasSubstr("none.mp4")));
  request_.reference = (folder_.path() / "none.png").string();
  EXPECT_THAT(FetchInput(scan()), FailsWith(Reason::kInputNotFound, HasSubstr("--reference")));
}

TEST_F(FetchInputTest, DoesNotBeginAfterACancellation) {
  request_.input = folder_.Write("clip.mp4", "a video").string();
  stop_.request_stop();
  EXPECT_THAT(FetchInput(scan()), FailsWith(Reason::kCancelled, _));
}

/// A file that is there already.
class LocalFile final : public FetchedFile {
 public:
  const std::filesystem::path& path() const override { return path_; }

 private:
  std::filesystem::path path_ = "card.mp4";
};

class OpenInputTest : public ScanSteps {
 protected:
  absl::StatusOr<Opened> Open() {
    deps_->open_video = [this](const auto& file, const VideoOptions& options, const auto&) {
      path_ = file;
      options_ = options;
      return absl::StatusOr<std::unique_ptr<VideoSource>>(CardVideo(3, 0));
    };
    return OpenInput(scan(), LocalFile());
  }
  std::filesystem::path path_;
  VideoOptions options_;
};

TEST_F(OpenInputTest, BeginsTheReport) {
  const auto opened = Open();
  ASSERT_THAT(opened, IsOk());
  EXPECT_EQ(opened->report.scan_id, "scan-1");
  EXPECT_EQ(opened->report.item_type, "card");
  EXPECT_EQ(opened->report.profile, "classic");
  EXPECT_EQ(opened->report.video.size, kFrame);
  EXPECT_EQ(opened->report.motion_limit_px, 0.5) << "half of what is steady at 640 px";
}

TEST_F(OpenInputTest, TakesTheRequestsMotionLimitRotationAndLimits) {
  request_.motion_limit_px = 3;
  request_.rotation = 90;
  request_.limits.max_frames = 7;
  const auto opened = Open();
  ASSERT_THAT(opened, IsOk());
  EXPECT_EQ(opened->report.motion_limit_px, 3);
  EXPECT_EQ(path_, "card.mp4");
  EXPECT_EQ(options_.rotation, 90);
  EXPECT_EQ(options_.limits.max_frames, 7);
  EXPECT_EQ(options_.threads, 2);
}

TEST_F(OpenInputTest, TakesTheMotionLimitFromTheParametersWhereTheRequestHasNone) {
  params_.selection.motion_limit_px = 4;
  const auto opened = Open();
  ASSERT_THAT(opened, IsOk());
  EXPECT_EQ(opened->report.motion_limit_px, 2) << "half of what is steady at 640 px";
}

TEST_F(OpenInputTest, FailsAsTheOpenerDoes) {
  deps_->open_video = [](const auto&...) { return Error(Reason::kNotAVideo, "no video"); };
  EXPECT_THAT(OpenInput(scan(), LocalFile()), FailsWith(Reason::kNotAVideo, HasSubstr("no video")));
}

}  // namespace
}  // namespace glint
