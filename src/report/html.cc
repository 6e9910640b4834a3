// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <array>
#include <string_view>
#include <utility>

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
  const std::string sections = VideoSection(report, pictures.golden) + DetailsSection(report);
  if (!assessment) return sections;
  const std::string regions = assessment->judges ? RegionTable(report) : "";
  return R"(<details class="measured"><summary>How this was measured</summary>
<div class="measurements">
)" + regions +
         sections + "</div></details>\n";
}

}  // namespace

absl::StatusOr<std::string> RenderHtml(const ScanReport& report, const ScanPictures& pictures,
                                       ThreadPool& pool,
                                       const std::optional<Assessment>& assessment) {
  GLINT_ASSIGN_OR_RETURN(const auto embedded,
                         EmbedPictures(pictures, ShowsMedian(report, pictures), pool));
  const std::string title = EscapeHtml(report.scan_id);
  const std::string headline = HeadlineSection(report, assessment);
  const std::string body = NoticesSection(report) +
                           (assessment ? AxesSection(*assessment) : std::string()) +
                           ViewerSection(report, assessment, embedded) +
                           CloseUpsSection(report, assessment, pictures.close_ups) +
                           RejectionSection(report) + MeasuredSection(report, assessment, pictures);
  return FillTemplate(kReportTemplate, std::array<std::pair<std::string_view, std::string_view>, 6>{
                                           {{"title", title},
                                            {"style", kReportStyle},
                                            {"headline", headline},
                                            {"body", body},
                                            {"version", GLINT_VERSION},
                                            {"script", kReportScript}}});
}

}  // namespace glint
