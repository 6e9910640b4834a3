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

namespace glint {

absl::StatusOr<std::string> RenderHtml(const ScanReport& report, const ScanPictures& pictures,
                                       ThreadPool& pool) {
  GLINT_ASSIGN_OR_RETURN(const auto embedded, EmbedPictures(pictures, pool));
  const std::string title = EscapeHtml(report.scan_id);
  const std::string headline = HeadlineSection(report);
  const std::string body = NoticesSection(report) + ViewerSection(report, embedded) +
                           CloseUpsSection(report, pictures.close_ups) + RejectionSection(report) +
                           VideoSection(report, pictures.golden) + DetailsSection(report);
  return FillTemplate(kReportTemplate, std::array<std::pair<std::string_view, std::string_view>, 6>{
                                           {{"title", title},
                                            {"style", kReportStyle},
                                            {"headline", headline},
                                            {"body", body},
                                            {"version", GLINT_VERSION},
                                            {"script", kReportScript}}});
}

}  // namespace glint
