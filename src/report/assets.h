// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace glint {

// The files of src/report/assets, built into the library (see src/report/CMakeLists.txt).
extern const std::string_view kReportTemplate;  ///< report.html.in
extern const std::string_view kReportStyle;     ///< report.css
extern const std::string_view kReportScript;    ///< report.js

}  // namespace glint
