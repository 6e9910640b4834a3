// SPDX-License-Identifier: Apache-2.0
#include "api/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "api/failure.h"
#include "api/scan_message.h"
#include "api/url.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

v1::SubmitScanRequest Usual() {
  v1::SubmitScanRequest request;
  request.set_scan_id("scan-1");
  request.set_video_url("https://host.example/a.mp4?token=secret");
  return request;
}

TEST(ToNewJob, KeepsTheUrlAndShowsItWithoutItsSecrets) {
  const auto job = ToNewJob(Usual(), {});
  ASSERT_THAT(job, IsOk());
  EXPECT_EQ(job->scan_id, "scan-1");
  EXPECT_EQ(job->shown_url, "https://host.example/a.mp4");
  const auto request = ToScanRequest({.scan_id = "scan-1", .request = job->request});
  ASSERT_THAT(request, IsOk());
  EXPECT_EQ(request->input, "https://host.example/a.mp4?token=secret");
}

TEST(ToNewJob, TheOtherSideArrivesInTheScanAndMakesAnotherRequest) {
  v1::SubmitScanRequest both = Usual();
  both.set_back_video_url("https://host.example/b.mp4?token=secret");
  const auto job = ToNewJob(both, {});
  ASSERT_THAT(job, IsOk());
  EXPECT_NE(job->request, ToNewJob(Usual(), {})->request);
  const Job stored{.scan_id = "scan-1", .request = job->request, .shown_url = job->shown_url};
  EXPECT_EQ(ToScanRequest(stored)->back, "https://host.example/b.mp4?token=secret");
  EXPECT_EQ(ToScanMessage(stored).back_video_url(), "https://host.example/b.mp4");
  EXPECT_EQ(ToScanRequest({.request = ToNewJob(Usual(), {})->request})->back, "");
  both.set_back_video_url("file:///etc/passwd");
  EXPECT_THAT(ToNewJob(both, {}), FailsWith(Reason::kInvalidOption, HasSubstr("back_video_url")));
}

TEST(ToNewJob, LeftOutAndSpelledOutDefaultsAreTheSameRequest) {
  v1::SubmitScanRequest spelled = Usual();
  v1::ScanOptions& options = *spelled.mutable_options();
  options.set_item_type("generic");
  options.set_profile("photometric");
  options.set_motion(v1::MOTION_MODE_NEEDED);
  options.set_golden_frames(5);
  options.set_golden_gap(15);
  options.set_motion_limit_px(-0.0);
  options.set_up("top");
  const RequestDefaults defaults{.profile = "photometric"};
  EXPECT_EQ(ToNewJob(Usual(), defaults)->request, ToNewJob(spelled, defaults)->request);
}

TEST(ToNewJob, EveryOptionMakesAnotherRequest) {
  using Options = v1::ScanOptions;
  const std::string usual = ToNewJob(Usual(), {})->request;
  for (const auto& change : std::vector<std::function<void(Options&)>>{
           [](Options& o) { o.set_item_type("comic"); },
           [](Options& o) { o.set_profile("classic"); },
           [](Options& o) { o.set_motion(v1::MOTION_MODE_ALL); },
           [](Options& o) { o.set_golden_frames(6); }, [](Options& o) { o.set_golden_gap(16); },
           [](Options& o) { o.set_motion_limit_px(2.5); }, [](Options& o) { o.set_rotation(0); },
           [](Options& o) { o.set_up("left"); }}) {
    v1::SubmitScanRequest request = Usual();
    change(*request.mutable_options());
    const auto job = ToNewJob(request, {});
    ASSERT_THAT(job, IsOk());
    EXPECT_NE(job->request, usual);
  }
}

TEST(ToNewJob, OptionsArriveInTheScan) {
  v1::SubmitScanRequest request = Usual();
  v1::ScanOptions& options = *request.mutable_options();
  options.set_item_type("comic");
  options.set_profile("classic");
  options.set_motion(v1::MOTION_MODE_ALL);
  options.set_golden_frames(7);
  options.set_golden_gap(20);
  options.set_motion_limit_px(2.5);
  options.set_rotation(0);  // other than absent
  options.set_up("bottom");
  const auto job = ToNewJob(request, {});
  ASSERT_THAT(job, IsOk());
  const auto scan = ToScanRequest({.scan_id = "scan-1", .request = job->request});
  ASSERT_THAT(scan, IsOk());
  EXPECT_EQ(scan->scan_id, "scan-1");
  EXPECT_EQ(scan->item_type, "comic");
  EXPECT_EQ(scan->profile, "classic");
  EXPECT_EQ(scan->motion, MotionMode::kAll);
  EXPECT_EQ(scan->golden_frames, 7);
  EXPECT_EQ(scan->golden_gap, 20);
  EXPECT_EQ(scan->motion_limit_px, 2.5);
  EXPECT_EQ(scan->rotation, 0);
  EXPECT_EQ(scan->up, PictureSide::kBottom);
}

TEST(ToNewJob, ListsEveryWrongFieldAtOnce) {
  v1::SubmitScanRequest request;
  request.set_scan_id("../etc");
  request.set_video_url("ftp://x/y");
  v1::ScanOptions& options = *request.mutable_options();
  options.set_item_type("car");
  options.set_profile("magic");
  options.set_motion(static_cast<v1::MotionMode>(77));
  options.set_golden_frames(33);
  options.set_golden_gap(-1);
  options.set_rotation(45);
  options.set_up("north");
  options.set_motion_limit_px(std::numeric_limits<double>::quiet_NaN());
  const auto job = ToNewJob(request, {});
  std::vector<std::string> fields;
  for (const FieldViolation& wrong : ViolationsOf(ToGrpc(job.status()))) {
    fields.push_back(wrong.field);
    EXPECT_FALSE(wrong.description.empty()) << wrong.field;
  }
  EXPECT_THAT(fields, ElementsAre("scan_id", "video_url", "options.item_type", "options.profile",
                                  "options.motion", "options.golden_frames", "options.golden_gap",
                                  "options.rotation", "options.up", "options.motion_limit_px"));
}

TEST(CheckScanId, RefusesWhatCouldNameAnotherPlace) {
  for (const char* id : {"a", "A-1_b.c", "x..y", "0"}) EXPECT_THAT(CheckScanId(id), IsOk()) << id;
  EXPECT_THAT(CheckScanId(std::string(128, 'a')), IsOk());
  for (const std::string& id :
       {std::string(), std::string("."), std::string(".."), std::string(".hidden"),
        std::string("a/b"), std::string("a\\b"), std::string("a b"), std::string("a\nb"),
        std::string("a%2fb"), std::string("\xC3\xBC"), std::string("a\0b", 3),
        std::string(129, 'a')}) {
    EXPECT_THAT(CheckScanId(id), FailsWith(Reason::kInvalidOption, HasSubstr("scan_id"))) << id;
  }
}

TEST(CheckVideoUrl, ShowsUrlsWithoutQueryAndFragment) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"https://h.example/v.mp4", "https://h.example/v.mp4"},
      {"http://h.example:8080/a/b.mov?x=1&y=2#t", "http://h.example:8080/a/b.mov"},
      {"HTTPS://H.example/a%20b.mp4", "https://h.example/a%20b.mp4"},
      {"https://[2001:db8::1]/v", "https://[2001:db8::1]/v"},
      {"https://h.example", "https://h.example/"},
  };
  for (const auto& [url, shown] : cases) {
    const auto checked = CheckVideoUrl(url);
    ASSERT_THAT(checked, IsOk()) << url;
    EXPECT_EQ(*checked, shown);
  }
}

TEST(CheckVideoUrl, RefusesWhatIsNoPlainHttpUrlWithoutRepeatingIt) {
  for (const std::string& url :
       {std::string(), std::string("h.example/secret"), std::string("file:///secret"),
        std::string("ftp://h/secret"), std::string("data:video/mp4;base64,secret"),
        std::string("https://user:secret@h.example/"), std::string("https://user@h.example/secret"),
        std::string("https:///secret"), std::string("https://h.example/a secret"),
        std::string("https://h.example/\nsecret"), std::string("https://h.example:99999/secret"),
        std::string("https://h.example/") + std::string(kMaxUrlBytes, 'a')}) {
    EXPECT_THAT(CheckVideoUrl(url), FailsWith(Reason::kInvalidOption, Not(HasSubstr("secret"))))
        << url;
  }
}

}  // namespace
}  // namespace glint
