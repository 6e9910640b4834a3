// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "report/assets.h"
#include "report/embedded_pictures.h"
#include "report/html_sections.h"
#include "report/html_text.h"
#include "report/pictures.h"

namespace glint {
namespace {

/// How it was measured: folded away where there is a verdict to read first.
std::string MeasuredSection(const ScanReport& report, const std::optional<Assessment>& assessment,
                            const ScanPictures& pictures) {
  std::string sections = VideoSection(report, pictures.golden) + DetailsSection(report);
  if (!assessment) return sections;
  const std::string regions = assessment->judges ? RegionTable(report) : "";
  return R"(<details class="measured"><summary>How this was measured</summary>
<div class="measurements">
)" + regions +
         sections + "</div></details>\n";
}

/// What both reports note, each sentence once.
std::vector<std::string> NotesOf(const SideOnPage& front, const SideOnPage& back,
                                 const BothSides& both) {
  std::vector<std::string> notes = both.notes;
  for (const SideOnPage* side : {&front, &back}) {
    if (!side->assessment) continue;
    for (const std::string& note : side->assessment->notes) {
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
    }
  }
  return notes;
}

/// What is shown of one side beneath its summary.
std::string SideBody(const SideOnPage& side, const EmbeddedPictures& embedded,
                     std::size_t most_close_ups) {
  const auto& [report, pictures, assessment] = side;
  const std::size_t close_ups = std::min(most_close_ups, pictures.close_ups.size());
  return ViewerSection(report, assessment, embedded) +
         CloseUpsSection(report, assessment, std::span(pictures.close_ups).first(close_ups)) +
         RejectionSection(report) + MeasuredSection(report, assessment, pictures);
}

/// One of two sides with its heading.
absl::StatusOr<std::string> SideSection(std::string_view title, const SideOnPage& side,
                                        ThreadPool& pool) {
  constexpr int kObjectSide = 1200;     // pixels: two of them are on the page
  constexpr std::size_t kCloseUps = 6;  // likewise
  const auto& [report, pictures, assessment] = side;
  GLINT_ASSIGN_OR_RETURN(const auto embedded,
                         EmbedPictures(pictures, ShowsMedian(report, pictures), pool, kObjectSide));
  return SideHeading(title, report, assessment) + NoticesSection(report) +
         SideBody(side, embedded, kCloseUps);
}

std::string Page(const ScanReport& report, std::string_view headline, std::string_view body) {
  const std::string title = EscapeHtml(report.scan_id);
  return FillTemplate(kReportTemplate, std::array<std::pair<std::string_view, std::string_view>, 6>{
                                           {{"title", title},
                                            {"style", kReportStyle},
                                            {"headline", headline},
                                            {"body", body},
                                            {"version", GLINT_VERSION},
                                            {"script", kReportScript}}});
}

}  // namespace

absl::StatusOr<std::string> RenderHtml(const ScanReport& report, const ScanPictures& pictures,
                                       ThreadPool& pool,
                                       const std::optional<Assessment>& assessment) {
  GLINT_ASSIGN_OR_RETURN(const auto embedded,
                         EmbedPictures(pictures, ShowsMedian(report, pictures), pool));
  return Page(report, HeadlineSection(report, assessment),
              NoticesSection(report) +
                  (assessment ? AxesSection(assessment->axes, assessment->notes) : std::string()) +
                  SideBody({report, pictures, assessment}, embedded, pictures.close_ups.size()));
}

absl::StatusOr<std::string> RenderHtml(const SideOnPage& front, const SideOnPage& back,
                                       const BothSides& both, ThreadPool& pool) {
  GLINT_ASSIGN_OR_RETURN(const std::string on_front, SideSection("Front", front, pool));
  GLINT_ASSIGN_OR_RETURN(const std::string on_back, SideSection("Back", back, pool));
  return Page(
      front.report,
      HeadlineSection({front.report, front.assessment}, {back.report, back.assessment}, both),
      AxesSection(both.axes, NotesOf(front, back, both)) + R"(<div class="face" id="front">)" +
          on_front + "</div>\n" + R"(<div class="face" id="back">)" + AsBack(on_back) + "</div>\n");
}

}  // namespace glint
