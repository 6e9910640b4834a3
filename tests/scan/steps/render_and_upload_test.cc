// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <span>

#include "glint/error.h"
#include "image/png.h"
#include "scan/steps/scan_steps_test.h"

namespace glint {
namespace {

using testing::_;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

std::vector<std::string> NamesOf(const std::vector<Artifact>& artifacts) {
  std::vector<std::string> names;
  for (const Artifact& artifact : artifacts) names.push_back(artifact.name);
  return names;
}

class RenderReportTest : public ScanSteps {
 protected:
  /// The files of an item filmed from one side.
  absl::StatusOr<Rendered> Rendering(Detected detected, GoldenPictures& golden_pictures) {
    auto side = RenderPictures(scan(), stages_, std::move(detected), golden_pictures);
    if (!side.ok()) return side.status();
    return RenderReport(scan(), *std::move(side));
  }
  /// A side that was not judged.
  Pictured Unjudged(NotJudgedCause cause) {
    Pictured side{.artifacts = {{"golden_01.png", {}, "image/png"}}};
    side.report.outcome = ScanOutcome::kNotJudged;
    side.report.not_judged = NotJudged{.cause = cause};
    return side;
  }
};

TEST_F(RenderReportTest, PutsTheBackIntoAFolderOfItsOwnBeforeTheOneReport) {
  const auto rendered = RenderReport(scan(), Unjudged(NotJudgedCause::kStillLight),
                                     Unjudged(NotJudgedCause::kFewViews));
  ASSERT_THAT(rendered, IsOk());
  EXPECT_THAT(NamesOf(rendered->artifacts),
              ElementsAre("golden_01.png", "back/golden_01.png", "back/report.json", "report.html",
                          "report.json"));
  ASSERT_TRUE(rendered->back);
  EXPECT_EQ(rendered->back->report.not_judged->cause, NotJudgedCause::kFewViews);
  EXPECT_EQ(rendered->back->both.verdict, "Neither side was judged.");
}

TEST_F(RenderReportTest, GivesAPageAndAReportWhereNoFrameWasUsable) {
  std::vector<VideoFrame> none;
  GoldenPictures golden_pictures(none, pool_);
  Detected detected;
  detected.report.outcome = ScanOutcome::kNoUsableFrames;
  const auto rendered = Rendering(std::move(detected), golden_pictures);
  ASSERT_THAT(rendered, IsOk());
  EXPECT_THAT(NamesOf(rendered->artifacts), ElementsAre("report.html", "report.json"));
  EXPECT_EQ(rendered->report.outcome, ScanOutcome::kNoUsableFrames);
}

TEST_F(RenderReportTest, RectifiesTheReferenceAndPutsTheReportLast) {
  auto video = CardVideo(1, 0);
  std::vector<VideoFrame> golden = FramesOf(*video);
  GoldenPictures golden_pictures(golden, pool_);
  const Size size{kCard.width, kCard.height};
  Detected detected{.reference =
                        RegisteredFrame{golden[0], {1, 0, kCard.x, 0, 1, kCard.y, 0, 0, 1}}};
  detected.report.object = LocatedObject{.size = size, .method = "outline"};
  detected.report.golden = {{.registered = true}};
  detected.pictures.mask = Plane::Host(size, PixelType::kU8);
  detected.pictures.labels = Plane::Host(size, PixelType::kS32);
  detected.pictures.score = Plane::Host(size, PixelType::kS32);
  const auto rendered = Rendering(std::move(detected), golden_pictures);
  ASSERT_THAT(rendered, IsOk());
  const std::vector<std::string> names = NamesOf(rendered->artifacts);
  EXPECT_THAT(names, Contains("golden_01.png"));
  ASSERT_GE(names.size(), 2);
  EXPECT_THAT(std::vector(names.end() - 2, names.end()), ElementsAre("report.html", "report.json"));
  const auto rectified = std::ranges::find(rendered->artifacts, "rectified.png", &Artifact::name);
  ASSERT_NE(rectified, rendered->artifacts.end());
  const auto picture = DecodePng(rectified->content);
  ASSERT_THAT(picture, IsOk());
  ASSERT_EQ(picture->size(), size);
  const Plane card = Card(0);
  EXPECT_EQ(picture->Row<std::uint8_t>(20)[3 * 30],
            card.Row<std::uint8_t>(kCard.y + 20)[kCard.x + 30]);
}

class UploadResultTest : public ScanSteps {
 protected:
  static Rendered Files() {
    Rendered rendered;
    for (const char* name : {"mask.png", "report.html", "report.json"}) {
      rendered.artifacts.push_back({name, std::vector<std::byte>(3), "text/plain"});
    }
    return rendered;
  }
};

TEST_F(UploadResultTest, StoresTheFilesAndTheirTimes) {
  const auto result = UploadResult(scan(), Files());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->timing.threads, 2);
  EXPECT_THAT(store_.sets().at("scan-1"),
              UnorderedElementsAre(Key("mask.png"), Key("report.html"), Key("report.json"),
                                   Key("timing.json")));
}

TEST_F(UploadResultTest, ShowsTheHookEveryFileInTheOrderOfStoring) {
  std::vector<std::string> seen;
  deps_->before_commit = [&](const auto&, const std::vector<StoredObject>& objects, const auto&) {
    for (const StoredObject& object : objects) seen.push_back(object.name);
    return absl::OkStatus();
  };
  ASSERT_THAT(UploadResult(scan(), Files()), IsOk());
  EXPECT_THAT(seen, ElementsAre("mask.png", "report.html", "timing.json", "report.json"));
}

TEST_F(UploadResultTest, PublishesNothingWhereTheHookRefusesOrTheScanIsCancelled) {
  deps_->before_commit = [](const auto&...) { return Error(Reason::kStoreDenied, "not yours"); };
  EXPECT_THAT(UploadResult(scan(), Files()),
              FailsWith(Reason::kStoreDenied, HasSubstr("not yours")));
  stop_.request_stop();
  EXPECT_THAT(UploadResult(scan(), Files()), FailsWith(Reason::kCancelled, _));
  EXPECT_THAT(store_.sets(), IsEmpty());
}

}  // namespace
}  // namespace glint
