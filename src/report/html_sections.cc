// SPDX-License-Identifier: Apache-2.0
#include "report/html_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "report/assets.h"
#include "report/html_text.h"
#include "report/names.h"
#include "report/selection.h"

namespace glint {
namespace {

std::string Tile(std::string_view number, std::string_view what, std::string_view note) {
  return fmt::format(
      R"(<div class="tile"><dt>{}</dt><dd><strong>{}</strong><small>{}</small></dd></div>)", what,
      number, note);
}

/// "corner_tl" as people say it; other names with spaces and a capital.
std::string RegionTitle(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kCorners = {
      {{"corner_tl", "Top left corner"},
       {"corner_tr", "Top right corner"},
       {"corner_br", "Bottom right corner"},
       {"corner_bl", "Bottom left corner"}}};
  for (const auto& [corner, title] : kCorners) {
    if (name == corner) return std::string(title);
  }
  std::string title(name);
  std::replace(title.begin(), title.end(), '_', ' ');
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') {
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
  }
  return EscapeHtml(title);
}

std::string BoxData(const Rectangle& box) {
  return fmt::format("{},{},{},{}", box.x, box.y, box.width, box.height);
}

/// The scan that this one was compared with, or the file.
std::string ReferenceTitle(const ReferenceFacts& reference) {
  return reference.scan_id.empty() ? reference.name : "scan " + reference.scan_id;
}

std::string ScannedTiles(const ScanReport& report) {
  std::string out =
      Tile(PercentText(report.damaged_percent), "Damaged surface",
           report.damaged_percent ? "of what could be seen" : "it could not be seen well enough");
  const auto listed = static_cast<std::int64_t>(report.regions.size());
  out += Tile(Grouped(report.regions_found), "Regions found",
              listed < report.regions_found ? fmt::format("the {} largest are listed", listed)
                                            : std::string("connected pieces of damage"));
  const auto used = std::count_if(report.golden.begin(), report.golden.end(),
                                  [](const GoldenFrame& golden) { return golden.registered; });
  out += Tile(fmt::format("{} of {}", used, report.golden.size()), "Golden frames used",
              fmt::format("out of {}", Count(std::ssize(report.frames), "frame")));
  if (const auto& reference = report.reference) {
    out += Tile(PercentText(reference->changed_percent), "Changed colour",
                fmt::format("of the {:.0f} % that could be compared with {}",
                            reference->compared_percent, EscapeHtml(ReferenceTitle(*reference))));
    if (reference->new_regions) {
      out += Tile(Grouped(*reference->new_regions), "New regions", "that it had not marked");
    }
  }
  if (report.object) {
    out += Tile(fmt::format("{} × {}", report.object->size.width, report.object->size.height),
                "Object, pixels",
                fmt::format("found by {}, confidence {:.0f} %", EscapeHtml(report.object->method),
                            100 * report.object->confidence));
  }
  return out;
}

/// What went wrong there, in a few words.
std::string_view CauseText(NotJudgedCause cause) {
  switch (cause) {
    case NotJudgedCause::kNoObject:
      return "no object stands out";
    case NotJudgedCause::kObjectOutside:
      return "a part of the object is outside of the picture";
    case NotJudgedCause::kFewViews:
      return "the object is in the picture too briefly";
    case NotJudgedCause::kStillLight:
      return "the light never changes";
    case NotJudgedCause::kPoorRegistration:
      return "frames do not fit onto each other";
  }
  return "";
}

std::string UnusableTiles(const ScanReport& report) {
  const Selection selection = Summarise(report);
  std::string out = Tile(Grouped(std::ssize(report.frames)), "Frames measured", "none was usable");
  out += Tile(Grouped(selection.moving), "Moved too fast",
              fmt::format("over {:.2f} px per frame", report.motion_limit_px));
  if (!selection.near_misses.empty()) {
    const FrameMeasure& nearest = selection.near_misses.front();
    out += Tile(fmt::format("{:.2f} px", static_cast<double>(*nearest.motion256) / 256),
                "Calmest frame", fmt::format("at {}", ClockText(nearest.timestamp_us)));
  }
  return out;
}

std::string NotJudgedTiles(const ScanReport& report) {
  std::string out = Tile(Grouped(std::ssize(report.frames)), "Frames measured", "of the video");
  if (report.not_judged) {
    out += Tile(ClockText(report.not_judged->timestamp_us), "Look at",
                std::string(CauseText(report.not_judged->cause)));
  }
  return out;
}

std::string Tiles(const ScanReport& report) {
  switch (report.outcome) {
    case ScanOutcome::kScanned:
      return ScannedTiles(report);
    case ScanOutcome::kNoUsableFrames:
      return UnusableTiles(report);
    case ScanOutcome::kNotJudged:
      return NotJudgedTiles(report);
  }
  return "";
}

std::string_view Headline(ScanOutcome outcome) {
  switch (outcome) {
    case ScanOutcome::kScanned:
      return "What the scan found";
    case ScanOutcome::kNoUsableFrames:
      return "No frame was steady enough";
    case ScanOutcome::kNotJudged:
      return "Not judged";
  }
  return "";
}

std::string Notices(std::string_view kind, std::string_view title,
                    const std::vector<std::string>& texts) {
  if (texts.empty()) return "";
  std::string items;
  for (const std::string& text : texts) items += "<li>" + EscapeHtml(text) + "</li>";
  return fmt::format(R"(<section class="notice {}"><h2>{}</h2><ul>{}</ul></section>
)",
                     kind, title, items);
}

std::string NamedRegions(const ScanReport& report) {
  if (report.named_regions.empty()) return "";
  std::string rows;
  for (const NamedRegion& region : report.named_regions) {
    const double percent = std::clamp(region.damaged_percent.value_or(0), 0.0, 100.0);
    // The square root shows 0.1 % beside 10 % where a straight scale would show nothing.
    fmt::format_to(
        std::back_inserter(rows),
        R"(<li><button type="button" class="part{unknown}" data-box="{box}"><span>{title}</span><i aria-hidden="true"><b style="width:{bar:.1f}%"></b></i><em>{percent}</em></button></li>
)",
        fmt::arg("unknown", region.damaged_percent ? "" : " unknown"),
        fmt::arg("box", BoxData(region.box)), fmt::arg("title", RegionTitle(region.name)),
        fmt::arg("bar", 10 * std::sqrt(percent)),
        fmt::arg("percent", PercentText(region.damaged_percent)));
  }
  return fmt::format(R"(<section class="card"><h2>Parts of the object</h2>
<p class="hint">Damaged share of each part. A part that could not be seen is unknown, not sound.</p>
<ul class="parts">
{}</ul></section>
)",
                     rows);
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

}  // namespace

std::string KindTitle(RegionKind kind) {
  std::string title(Name(kind));
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

std::string HeadlineSection(const ScanReport& report) {
  return FillTemplate(kHeadlineTemplate, {{"title", std::string(Headline(report.outcome))},
                                          {"id", EscapeHtml(report.scan_id)},
                                          {"type", EscapeHtml(report.item_type)},
                                          {"profile", EscapeHtml(report.profile)},
                                          {"tiles", Tiles(report)}});
}

std::string NoticesSection(const ScanReport& report) {
  const bool scanned = report.outcome == ScanOutcome::kScanned;
  std::vector<std::string> warnings = report.warnings;
  for (const std::string& warning : report.decoding.warnings) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
      warnings.push_back(warning);
    }
  }
  const std::string out =
      Notices("advice", scanned ? "For an even better scan" : "How to film it", report.advice) +
      Notices("warning", "Please note", warnings);
  return out.empty() ? out : "<div class=\"notices\">\n" + out + "</div>\n";
}

std::string ViewerSection(const ScanReport& report, const EmbeddedPictures& pictures) {
  if (!report.object || pictures.rectified.empty()) return "";
  return "<div class=\"explore\">\n" + PictureCard(report, pictures) + "<div class=\"side\">\n" +
         NamedRegions(report) + RegionTable(report) + "</div></div>\n";
}

}  // namespace glint
