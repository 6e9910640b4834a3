// SPDX-License-Identifier: Apache-2.0
// Tables of defects, parts and regions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "assess/severity.h"
#include "assess/trade_names.h"
#include "report/assets.h"
#include "report/html_sections.h"
#include "report/html_text.h"
#include "report/names.h"

namespace glint {
namespace {

std::string BoxData(const Rectangle& box) {
  return fmt::format("{},{},{},{}", box.x, box.y, box.width, box.height);
}

/// A family as people see it: what gave the damage away.
std::string FamilyTitle(std::string_view family) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTitles = {
      {{kLinesLayer, "by its glint"},
       {kOutlineLayer, "by the outline"},
       {kStaticLayer, "in every light"},
       {kReferenceLayer, "by the good copy"}}};
  for (const auto& [name, title] : kTitles) {
    if (family == name) return std::string(title);
  }
  return EscapeHtml(family);
}

/// The cells that differ where there are families: the confidence needs room, so the area stands
/// beneath the size.
struct FamilyCells {
  std::string family, area, confidence;
  std::string area_column;
};

FamilyCells FamilyCellsOf(const DefectRegion& region) {
  if (region.family.empty()) {
    return {.area_column = fmt::format(R"(<td data-value="{}">{}</td>)", region.area_px,
                                       Grouped(region.area_px))};
  }
  const double confidence = region.confidence.value_or(0);
  return {.family = "<small>" + FamilyTitle(region.family) + "</small>",
          .area = "<small>area " + Grouped(region.area_px) + "</small>",
          .confidence = fmt::format(R"(<td data-value="{:.4f}">{:.0f} %</td>)", confidence,
                                    100 * confidence)};
}

std::string RegionRow(const DefectRegion& region) {
  const FamilyCells cells = FamilyCellsOf(region);
  const auto fixed = [](double value, int decimals) {
    return fmt::format("{:.{}f}", value, decimals);
  };
  return FillTemplate(kRegionRowTemplate,
                      {{"id", std::to_string(region.id)},
                       {"box", BoxData(region.box)},
                       {"kind", KindTitle(region.kind)},
                       {"news", region.is_new == true ? R"( <span class="news">new</span>)" : ""},
                       {"family", cells.family},
                       {"length", fixed(region.length_px, 0)},
                       {"exact_length", fixed(region.length_px, 3)},
                       {"width", fixed(region.width_px, 1)},
                       {"area", cells.area},
                       {"area_column", cells.area_column},
                       {"strength", fixed(region.strength, 2)},
                       {"exact_strength", fixed(region.strength, 4)},
                       {"confidence", cells.confidence},
                       {"views", std::to_string(region.views)}});
}

/// "12.3 mm"; without a scale the length beside the object's shorter side.
std::string LengthText(const Defect& defect, Size object) {
  if (defect.length_mm) return fmt::format("{:.1f} mm", *defect.length_mm);
  const double side = std::max(1, std::min(object.width, object.height));
  return fmt::format("{:.1f} %", 100 * defect.length_px / side);
}

bool IsNew(const ScanReport& report, int region) {
  const auto found = std::ranges::find(report.regions, region, &DefectRegion::id);
  return found != report.regions.end() && found->is_new == true;
}

std::string DefectRow(const ScanReport& report, const Defect& defect) {
  return FillTemplate(
      kDefectRowTemplate,
      {{"id", std::to_string(defect.id)},
       {"box", BoxData(defect.box)},
       {"name", DefectTitle(defect)},
       {"news", IsNew(report, defect.region) ? R"( <span class="news">new</span>)" : ""},
       {"note", defect.breaks_colour ? "<small>breaks the colour</small>" : ""},
       {"part", EscapeHtml(PartTitle(defect.part))},
       {"step", std::to_string(static_cast<int>(defect.severity))},
       {"severity", SeverityMark(defect.severity)},
       {"exact_length", fmt::format("{:.3f}", defect.length_mm.value_or(defect.length_px))},
       {"length", LengthText(defect, report.object->size)}});
}

std::string PartRow(const ObjectPart& part) {
  const double percent = std::clamp(part.damaged_percent.value_or(0), 0.0, 100.0);
  // The square root shows 0.1 % beside 10 % where a straight scale would show nothing.
  return fmt::format(
      R"(<li><button type="button" class="part{unknown}" data-box="{box}"><span>{title}</span><i aria-hidden="true"><b style="width:{bar:.1f}%"></b></i><em>{percent}</em></button></li>
)",
      fmt::arg("unknown", part.damaged_percent ? "" : " unknown"),
      fmt::arg("box", BoxData(part.box)), fmt::arg("title", EscapeHtml(PartTitle(part.name))),
      fmt::arg("bar", 10 * std::sqrt(percent)),
      fmt::arg("percent", PercentText(part.damaged_percent)));
}

}  // namespace

std::string KindTitle(RegionKind kind) {
  std::string title(Name(kind));
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

std::string SeverityMark(Severity severity) {
  const int step = static_cast<int>(severity);
  std::string pips;
  for (int i = 1; i <= 3; ++i) pips += i <= step ? "<b></b>" : "<s></s>";
  return fmt::format(R"(<span class="severity {0}"><i aria-hidden="true">{1}</i>{0}</span>)",
                     Name(severity), pips);
}

std::string DefectTitle(const Defect& defect) { return Capital(Words(defect.name)); }

std::string DefectsSection(const ScanReport& report, const Assessment& assessment) {
  if (!assessment.judges) return "";
  std::string rows;
  for (const Defect& defect : assessment.defects) rows += DefectRow(report, defect);
  const std::string count = Grouped(std::ssize(assessment.defects));
  if (rows.empty()) {
    return R"(<section class="card"><h2>Defects <small>0</small></h2><p class="hint">No damage was found.</p></section>
)";
  }
  return FillTemplate(
      kDefectsTemplate,
      {{"count", count},
       {"rows", rows},
       {"unit", assessment.scale ? "" : " Lengths are shares of the object's shorter side."},
       {"rule", SeverityRule()}});
}

std::string PartsSection(const ScanReport& report, const Assessment& assessment) {
  std::string rows;
  for (const ObjectPart& part : assessment.parts) rows += PartRow(part);
  return fmt::format(R"(<section class="card"><h2>Parts of the object</h2>
<p class="hint">Damaged share of what was seen of each part. The parts cover the whole object: together they give its {}. A part that could not be seen is unknown, not sound.</p>
<ul class="parts">
{}</ul></section>
)",
                     PercentText(report.damaged_percent), rows);
}

std::string AxesSection(const std::vector<AxisSummary>& axes,
                        const std::vector<std::string>& notes) {
  std::string cards;
  for (const AxisSummary& axis : axes) {
    const bool judged = axis.worst != Severity::kNone;
    cards +=
        fmt::format(R"(<div class="axis"><dt>{}</dt><dd>{}{}</dd></div>)", Capital(Name(axis.axis)),
                    judged ? SeverityMark(axis.worst) : "", EscapeHtml(Capital(axis.text)));
  }
  std::string list;
  for (const std::string& note : notes) list += "<li>" + EscapeHtml(note) + "</li>";
  if (!list.empty()) list = "<ul class=\"hint limits\">" + list + "</ul>";
  return fmt::format(R"(<section class="card"><h2>What graders look at</h2>
<dl class="axes">{}</dl>{}</section>
)",
                     cards, list);
}

std::string RegionTable(const ScanReport& report) {
  std::string rows;
  for (const DefectRegion& region : report.regions) rows += RegionRow(region);
  const bool families = !report.regions.empty() && !report.regions.front().family.empty();
  const std::string title =
      fmt::format("<h2>Regions <small>{}</small></h2>", Grouped(report.regions_found));
  if (rows.empty()) {
    return fmt::format(R"(<section class="card">{}<p class="hint">No damage was found.</p></section>
)",
                       title);
  }
  return FillTemplate(
      kRegionsTemplate,
      {{"title", title},
       {"rows", rows},
       {"table", families ? " class=\"families\"" : ""},
       {"hint", families
                    ? " Confidence says how clearly, and in how many frames, a region shows; it "
                      "is no probability."
                    : ""},
       {"area", families ? "" : R"(<th scope="col"><button type="button">Area</button></th>)"},
       {"confidence",
        families ? R"(<th scope="col"><button type="button">Confidence</button></th>)" : ""}});
}

}  // namespace glint
