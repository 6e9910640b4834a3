// SPDX-License-Identifier: Apache-2.0
// The parts of the page, each as HTML with every text of the report escaped; empty where the scan
// has nothing to show.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assess/both_sides.h"
#include "glint/assessment.h"
#include "glint/report.h"
#include "report/embedded_pictures.h"

namespace glint {

/// The verdict, what was scanned and the numbers that matter.
std::string HeadlineSection(const ScanReport& report, const std::optional<Assessment>& assessment);
/// The same over both sides of an item, with links to each.
std::string HeadlineSection(const SideFindings& front, const SideFindings& back,
                            const BothSides& both);
/// Where one of two sides begins. @param title  "Front"
std::string SideHeading(std::string_view title, const ScanReport& report,
                        const std::optional<Assessment>& assessment);
/// Advice and warnings.
std::string NoticesSection(const ScanReport& report);
/// The four axes, and what could not be judged.
std::string AxesSection(const std::vector<AxisSummary>& axes,
                        const std::vector<std::string>& notes);
/// The picture with its layers alone; the scan has one.
std::string PictureCard(const ScanReport& report, const std::optional<Assessment>& assessment,
                        const EmbeddedPictures& pictures);
/// The picture with its layers, and beside it what was found: defects, or else regions, and parts.
std::string ViewerSection(const ScanReport& report, const std::optional<Assessment>& assessment,
                          const EmbeddedPictures& pictures);
/// The table of defects; empty where the detector cannot tell.
std::string DefectsSection(const ScanReport& report, const Assessment& assessment);
/// How much of each part is damaged.
std::string PartsSection(const ScanReport& report, const Assessment& assessment);
/// The table of regions, as they were measured.
std::string RegionTable(const ScanReport& report);
/// The largest regions, each in the frame that shows it best.
std::string CloseUpsSection(const ScanReport& report, const std::optional<Assessment>& assessment,
                            std::span<const CloseUp> close_ups);
/// Of a scan without usable frames: why they were rejected, and the nearest misses.
std::string RejectionSection(const ScanReport& report);
/// Golden frames, sharpness and motion over time.
std::string VideoSection(const ScanReport& report, const std::vector<GoldenPicture>& golden);
/// Facts of the video, of decoding, and what ran where.
std::string DetailsSection(const ScanReport& report);

/// "Edge loss" for people.
std::string KindTitle(RegionKind kind);
/// "Spine tick" for people.
std::string DefectTitle(const Defect& defect);
/// A severity in three steps that also reads without colours.
std::string SeverityMark(Severity severity);

}  // namespace glint
