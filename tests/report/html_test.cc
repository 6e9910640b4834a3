// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/thread_pool.h"
#include "report/html_text.h"
#include "support/plane_compare.h"
#include "support/sample_report.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Render(const SampleScan& scan, int threads = 1) {
  ThreadPool pool(threads);
  const auto page = RenderHtml(scan.report, scan.pictures, pool, scan.assessment);
  EXPECT_THAT(page, IsOk());
  return page.ok() ? *page : "";
}

Plane NoPixels(Size size) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    std::fill_n(plane.Row<std::uint8_t>(y), size.width, std::uint8_t{0});
  }
  return plane;
}

TEST(HtmlText, EscapesEverythingThatIsMarkup) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\" id='y'>&é"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;é");
}

TEST(HtmlText, WritesBase64) {
  const auto url = [](std::string_view text) {
    return DataUrl(std::as_bytes(std::span(text)), "t/p");
  };
  EXPECT_EQ(url(""), "data:t/p;base64,");
  EXPECT_EQ(url("f"), "data:t/p;base64,Zg==");
  EXPECT_EQ(url("fo"), "data:t/p;base64,Zm8=");
  EXPECT_EQ(url("foo"), "data:t/p;base64,Zm9v");
  EXPECT_EQ(url("foobar\xff\xfe"), "data:t/p;base64,Zm9vYmFy//4=");
}

TEST(HtmlText, WritesNumbersForPeople) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(-1234567), "-1,234,567");
  EXPECT_EQ(PercentText({}), "unknown");
  EXPECT_EQ(PercentText(0.0), "0.00 %");
  EXPECT_EQ(PercentText(0.0049), "&lt; 0.01 %");
  EXPECT_EQ(PercentText(12.345), "12.35 %");
  EXPECT_EQ(ClockText(7'460'000), "0:07.5");
  EXPECT_EQ(ClockText(59'990'000), "1:00.0");
  EXPECT_EQ(Count(1, "frame"), "1 frame");
  EXPECT_EQ(Count(6000, "frame"), "6,000 frames");
}

TEST(HtmlText, FillsATemplateOnce) {
  const std::array<std::pair<std::string_view, std::string_view>, 2> values = {
      {{"a", "{{b}}"}, {"b", "B"}}};
  EXPECT_EQ(FillTemplate("x{{a}}y{{b}}{{c}}{", values), "x{{b}}yB{");
}

TEST(Html, IsTheSameBytesForAnyNumberOfThreads) {
  const SampleScan scan = MakeSampleScan();
  EXPECT_TRUE(Render(scan, 1) == Render(scan, 3));
}

TEST(Html, LeavesNoPlaceholderAndNeedsNoOtherFile) {
  const std::string page = Render(MakeSampleScan());
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  EXPECT_THAT(page, Not(HasSubstr("src=\"h")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Html, EscapesTheTextOfStrangers) {
  SampleScan scan = MakeSampleScan({.scan_id = "<script>alert(1)</script>"});
  scan.report.advice = {"\" onload=\"alert(2)"};
  const std::string page = Render(scan);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("\" onload=")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(Html, ShowsTheGoodCopyOnlyWhereThereIsOne) {
  SampleScan scan = MakeSampleScan();
  EXPECT_THAT(Render(scan), Not(HasSubstr("id=\"layer-colour\"")));
  scan.report.reference = {
      .name = "<b>good</b>.png", .compared_percent = 91.4, .changed_percent = 3};
  scan.report.regions[0].kind = RegionKind::kStain;
  scan.pictures.good_copy = scan.pictures.rectified;
  scan.pictures.layers = {{"reference", scan.pictures.mask}};
  std::string page = Render(scan);
  for (const char* part : {"id=\"layer-colour\"", "id=\"layer-copy\"", "id=\"colour\" src=\"data:",
                           "&lt;b&gt;good&lt;/b&gt;.png", "of the 91 % that", "<td>Stain</td>"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, Not(HasSubstr("<b>good</b>")));
  EXPECT_THAT(page, Not(HasSubstr("New regions")));

  scan.report.reference->scan_id = "earlier & older";
  scan.report.reference->new_regions = 7;
  scan.report.regions[0].is_new = true;
  page = Render(scan);
  EXPECT_THAT(page, HasSubstr("compared with scan earlier &amp; older"));
  EXPECT_THAT(page, HasSubstr("New regions"));
  EXPECT_THAT(page, HasSubstr("<td>Stain <span class=\"news\">new</span></td>"));
}

TEST(Html, NamesWhatIsNoDamageOnlyWhereThereIsSome) {
  SampleScan scan = MakePhotometricScan();
  std::string page = Render(scan);
  EXPECT_THAT(page, HasSubstr("id=\"glare\" src=\"data:"));
  EXPECT_THAT(page, HasSubstr("id=\"unknown\" src=\"data:"));
  EXPECT_THAT(page, HasSubstr("light, not damage; it passed over " +
                              PercentText(scan.report.glare_percent) + " of the object"));
  EXPECT_THAT(page, HasSubstr(PercentText(scan.report.unknown_percent) +
                              " of the object could not be seen"));

  for (auto& [name, plane] : scan.pictures.layers) {
    if (name == kUnknownLayer) plane = NoPixels(plane.size());
  }
  page = Render(scan);
  EXPECT_THAT(page, HasSubstr("id=\"layer-glare\""));
  EXPECT_THAT(page, Not(HasSubstr("id=\"layer-unknown\"")));
  EXPECT_THAT(Render(MakeSampleScan()), Not(HasSubstr("class=\"key\"")));
}

TEST(Html, ShowsCloseUpsInTheOrderOfTheDefectsWithTheirFrames) {
  SampleScan scan = MakePhotometricScan({.regions = 20});
  std::string page = Render(scan);
  EXPECT_THAT(page, HasSubstr("The 12 largest regions"));
  std::size_t last = 0;
  int shown = 0;
  for (const Defect& defect : scan.assessment->defects) {
    const DefectRegion& region =
        *std::ranges::find(scan.report.regions, defect.region, &DefectRegion::id);
    const std::size_t at = page.find("data-show=\"" + std::to_string(defect.id) + "\"");
    if (at == std::string::npos) continue;
    ++shown;
    EXPECT_GT(at, last);
    last = at;
    const auto time = scan.report.frames[static_cast<std::size_t>(*region.best_frame)].timestamp_us;
    EXPECT_THAT(page.substr(at, 300), HasSubstr("frame " + std::to_string(*region.best_frame) +
                                                " at " + ClockText(time)));
  }
  EXPECT_EQ(shown, 12);
  EXPECT_THAT(page, HasSubstr("<small>by its glint</small>"));
  EXPECT_THAT(page, HasSubstr(">Confidence</button>"));

  scan.pictures.close_ups.clear();
  EXPECT_THAT(Render(scan), Not(HasSubstr("Close-ups")));
  EXPECT_THAT(Render(MakeSampleScan()), Not(HasSubstr("Confidence")));
}

TEST(Html, DrawsALineAroundARegionOnlyWhereTheCloseUpShowsAllOfIt) {
  SampleScan scan = MakePhotometricScan();
  const Rectangle box = scan.report.regions[0].box;
  const int side = 2 * std::max(box.width, box.height);
  scan.pictures.close_ups = {{scan.report.regions[0].id,
                              {box.x - side / 4, box.y - side / 4, side, side},
                              "data:image/jpeg;base64,AAAA"}};
  constexpr std::string_view kMarker = R"(rx="0.015")";
  EXPECT_THAT(Render(scan), HasSubstr(kMarker));
  scan.pictures.close_ups[0].box = {box.x + 1, box.y, side, side};
  EXPECT_THAT(Render(scan), Not(HasSubstr(kMarker)));
}

TEST(Html, StaysSmallForALargeScan) {
  const std::string page = Render(
      MakeSampleScan({.frames = 6000, .regions = 200, .golden_frames = 8, .object = {1200, 1600}}));
  EXPECT_LT(page.size(), 4'000'000U);
}

TEST(Html, SaysThatRegionsAreLeftOut) {
  SampleScan scan = MakeSampleScan();
  scan.report.regions_found = 5000;
  const std::string page = Render(scan);
  EXPECT_THAT(page, HasSubstr("the 12 largest are listed"));
  EXPECT_THAT(page, HasSubstr("5,000"));
}

TEST(Html, RefusesPicturesThatDoNotFit) {
  SampleScan scan = MakeSampleScan();
  scan.pictures.score = NoisePlane({4, 4}, 1);
  ThreadPool pool(1);
  EXPECT_THAT(RenderHtml(scan.report, scan.pictures, pool),
              FailsWith(Reason::kInternal, HasSubstr("score")));
}

}  // namespace
}  // namespace glint
