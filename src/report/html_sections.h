// SPDX-License-Identifier: Apache-2.0
// The parts of the page, each as HTML with every text of the report escaped; empty where the scan
// has nothing to show.
#pragma once

#include <string>
#include <vector>

#include "glint/report.h"
#include "report/embedded_pictures.h"

namespace glint {

/// What was scanned and the numbers that matter.
std::string HeadlineSection(const ScanReport& report);
/// Advice and warnings.
std::string NoticesSection(const ScanReport& report);
/// The picture with its layers alone; the scan has one.
std::string PictureCard(const ScanReport& report, const EmbeddedPictures& pictures);
/// "Edge loss" for people.
std::string KindTitle(RegionKind kind);
/// The picture with its layers, and beside it the named regions and the table of regions.
std::string ViewerSection(const ScanReport& report, const EmbeddedPictures& pictures);
/// The largest regions, each in the frame that shows it best.
std::string CloseUpsSection(const ScanReport& report, const std::vector<CloseUp>& close_ups);
/// Of a scan without usable frames: why they were rejected, and the nearest misses.
std::string RejectionSection(const ScanReport& report);
/// Golden frames, sharpness and motion over time.
std::string VideoSection(const ScanReport& report, const std::vector<GoldenPicture>& golden);
/// Facts of the video, of decoding, and what ran where.
std::string DetailsSection(const ScanReport& report);

}  // namespace glint
