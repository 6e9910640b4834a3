// SPDX-License-Identifier: Apache-2.0
// Regions as the frames show them that show them best.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/assets.h"
#include "report/html_sections.h"
#include "report/html_text.h"

namespace glint {
namespace {

constexpr double kAroundBox = 0.02;  // of the picture, between a region and the line around it

/// When the frame was filmed; nothing for one that was not measured.
std::string TimeOf(const ScanReport& report, std::int64_t frame) {
  const auto measure = std::ranges::find(report.frames, frame, &FrameMeasure::index);
  return measure == report.frames.end() ? "" : " at " + ClockText(measure->timestamp_us);
}

/// A line around the region, where the picture shows all of it.
std::string Marker(const DefectRegion& region, const Rectangle& shown) {
  const auto share = [](int part, int whole) { return static_cast<double>(part) / whole; };
  const double left = share(region.box.x - shown.x, shown.width) - kAroundBox;
  const double top = share(region.box.y - shown.y, shown.height) - kAroundBox;
  const double width = share(region.box.width, shown.width) + 2 * kAroundBox;
  const double height = share(region.box.height, shown.height) + 2 * kAroundBox;
  if (left < 0 || top < 0 || left + width > 1 || top + height > 1) return "";
  return fmt::format(
      R"(<svg viewBox="0 0 1 1" aria-hidden="true"><rect x="{:.4f}" y="{:.4f}" width="{:.4f}" height="{:.4f}" rx="0.015"/></svg>)",
      left, top, width, height);
}

/// What the page calls a region: the worst defect in it, or the region itself.
struct FigureTitle {
  int number = 0;
  std::string kind, severity;
};

FigureTitle TitleOf(const DefectRegion& region, const std::optional<Assessment>& assessment) {
  if (assessment) {
    const auto defect = std::ranges::find(assessment->defects, region.id, &Defect::region);
    if (defect != assessment->defects.end()) {
      return {defect->id, DefectTitle(*defect), SeverityMark(defect->severity)};
    }
  }
  return {region.id, KindTitle(region.kind), ""};
}

std::string Figure(const ScanReport& report, const DefectRegion& region, const CloseUp& close_up,
                   const FigureTitle& caption) {
  const std::int64_t frame = region.best_frame.value_or(0);
  return FillTemplate(kCloseUpTemplate, {{"id", std::to_string(caption.number)},
                                         {"url", close_up.page_url},
                                         {"frame", std::to_string(frame)},
                                         {"kind", caption.kind},
                                         {"severity", caption.severity},
                                         {"marker", Marker(region, close_up.box)},
                                         {"time", TimeOf(report, frame)}});
}

}  // namespace

std::string CloseUpsSection(const ScanReport& report, const std::optional<Assessment>& assessment,
                            std::span<const CloseUp> close_ups) {
  std::vector<std::pair<int, std::string>> figures;  // by the numbers in their captions
  for (const CloseUp& close_up : close_ups) {
    const auto region = std::ranges::find(report.regions, close_up.region, &DefectRegion::id);
    if (region == report.regions.end()) continue;
    const FigureTitle caption = TitleOf(*region, assessment);
    figures.emplace_back(caption.number, Figure(report, *region, close_up, caption));
  }
  if (figures.empty()) return "";
  std::ranges::stable_sort(figures, {}, &std::pair<int, std::string>::first);
  std::string all;
  for (const auto& [number, figure] : figures) all += figure;
  const std::string how_many = std::ssize(close_ups) < report.regions_found
                                   ? fmt::format("The {} largest regions", close_ups.size())
                                   : "Every region";
  return fmt::format(R"(<section class="card"><h2>Close-ups</h2>
<p class="hint">{}, in the frame of the video that shows it best, laid as in the picture above. A click enlarges; a number leads to the place there.</p>
<div class="close-ups">
{}</div></section>
)",
                     how_many, all);
}

}  // namespace glint
