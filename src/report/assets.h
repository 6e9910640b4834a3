// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace glint {

// The files of src/report/assets, built into the library (see src/report/CMakeLists.txt).
extern const std::string_view kReportTemplate;  ///< report.html.in
extern const std::string_view kReportStyle;     ///< report.css
extern const std::string_view kReportScript;    ///< report.js

// Parts of the page, for FillTemplate.
extern const std::string_view kCloseUpTemplate;      ///< close_up.html.in
extern const std::string_view kDefectRowTemplate;    ///< defect_row.html.in
extern const std::string_view kDefectsTemplate;      ///< defects.html.in
extern const std::string_view kGoldenFrameTemplate;  ///< golden_frame.html.in
extern const std::string_view kHeadlineTemplate;     ///< headline.html.in
extern const std::string_view kRegionRowTemplate;    ///< region_row.html.in
extern const std::string_view kRegionsTemplate;      ///< regions.html.in
extern const std::string_view kViewerTemplate;       ///< viewer.html.in

}  // namespace glint
