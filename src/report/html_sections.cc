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

#include "assess/trade_names.h"
#include "report/assets.h"
#include "report/filming.h"
#include "report/html_text.h"
#include "report/selection.h"

namespace glint {
namespace {

std::string Tile(std::string_view number, std::string_view what, std::string_view note,
                 std::string_view kind = "tile") {
  return fmt::format(
      R"(<div class="{}"><dt>{}</dt><dd><strong>{}</strong><small>{}</small></dd></div>)", kind,
      what, number, note);
}

/// Of how much is damaged.
std::string DamageTile(const std::optional<double>& percent, std::string_view what) {
  return Tile(PercentText(percent), what,
              percent ? "of what could be seen" : "it could not be seen well enough",
              "tile damaged");
}

/// The scan that this one was compared with, or the file.
std::string ReferenceTitle(const ReferenceFacts& reference) {
  return reference.scan_id.empty() ? reference.name : "scan " + reference.scan_id;
}

/// How many defects there are; of a detector that names none, regions.
std::string CountTile(const ScanReport& report, const std::optional<Assessment>& assessment) {
  if (assessment && assessment->judges) {
    const std::string note = fmt::format("in {}", Count(report.regions_found, "connected region"));
    return Tile(Grouped(std::ssize(assessment->defects)), "Defects", note);
  }
  const auto listed = static_cast<std::int64_t>(report.regions.size());
  return Tile(Grouped(report.regions_found), "Regions found",
              listed < report.regions_found ? fmt::format("the {} largest are listed", listed)
                                            : std::string("connected pieces of damage"));
}

std::string SizeTile(const ObjectScale& scale) {
  const std::string note = scale.name.empty() ? "as given"
                           : scale.assumed    ? "assumed: " + scale.name
                                              : scale.name;
  return Tile(fmt::format("{:g} × {:g} mm", scale.width_mm, scale.height_mm), "Size",
              EscapeHtml(note));
}

std::string ScannedTiles(const ScanReport& report, const std::optional<Assessment>& assessment) {
  std::string out = DamageTile(report.damaged_percent, "Damaged surface");
  out += CountTile(report, assessment);
  if (const auto& reference = report.reference) {
    out += Tile(PercentText(reference->changed_percent), "Changed colour",
                fmt::format("of the {:.0f} % that could be compared with {}",
                            reference->compared_percent, EscapeHtml(ReferenceTitle(*reference))));
    if (reference->new_regions) {
      out += Tile(Grouped(*reference->new_regions), "New regions", "that it had not marked");
    }
  }
  if (assessment && assessment->scale) out += SizeTile(*assessment->scale);
  return out;
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
                std::string(Words(report.not_judged->cause)));
  }
  return out;
}

std::string Tiles(const ScanReport& report, const std::optional<Assessment>& assessment) {
  switch (report.outcome) {
    case ScanOutcome::kScanned:
      return ScannedTiles(report, assessment);
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

/// How much of a side is damaged; no number where it was not judged.
std::string SideTile(std::string_view name, const SideFindings& side) {
  const ScanReport& report = side.report;
  const std::string title = fmt::format("{}, damaged surface", name);
  if (report.outcome == ScanOutcome::kScanned) return DamageTile(report.damaged_percent, title);
  return Tile("not judged", title,
              report.not_judged ? Words(report.not_judged->cause) : "no frame was steady enough");
}

/// The defects of both sides; nothing where a detector names none.
std::string CountTile(const SideFindings& front, const SideFindings& back) {
  std::int64_t all = 0;
  std::string note;
  for (const auto& [name, side] : {std::pair("front", &front), std::pair("back", &back)}) {
    if (!side->assessment) continue;
    if (!side->assessment->judges) return "";
    const auto count = std::ssize(side->assessment->defects);
    all += count;
    note += fmt::format("{}{} on the {}", note.empty() ? "" : ", ", count, name);
  }
  return note.empty() ? "" : Tile(Grouped(all), "Defects", note);
}

/// @param after  stands behind each text
std::string Notices(std::string_view kind, std::string_view title,
                    const std::vector<std::string>& texts, std::string_view after = "") {
  if (texts.empty()) return "";
  std::string items;
  for (const std::string& text : texts) {
    items += fmt::format("<li>{}{}</li>", EscapeHtml(text), after);
  }
  return fmt::format(R"(<section class="notice {}"><h2>{}</h2><ul>{}</ul></section>
)",
                     kind, title, items);
}

}  // namespace

std::string HeadlineSection(const ScanReport& report, const std::optional<Assessment>& assessment) {
  const std::string title =
      assessment ? EscapeHtml(assessment->verdict) : std::string(Headline(report.outcome));
  return FillTemplate(
      kHeadlineTemplate,
      {{"title", title},
       {"severity", assessment && assessment->judges ? SeverityMark(assessment->severity) : ""},
       {"id", EscapeHtml(report.scan_id)},
       {"type", EscapeHtml(report.item_type)},
       {"profile", EscapeHtml(report.profile)},
       {"tiles", Tiles(report, assessment)},
       {"sides", ""}});
}

std::string HeadlineSection(const SideFindings& front, const SideFindings& back,
                            const BothSides& both) {
  const ScanReport& report = front.report;
  const std::string sides =
      R"( <nav aria-label="Sides"><a href="#front">Front</a> <a href="#back">Back</a></nav>)";
  std::string tiles = SideTile("Front", front) + SideTile("Back", back) + CountTile(front, back);
  for (const SideFindings* side : {&front, &back}) {
    if (!side->assessment || !side->assessment->scale) continue;
    tiles += SizeTile(*side->assessment->scale);
    break;
  }
  return FillTemplate(kHeadlineTemplate,
                      {{"title", EscapeHtml(both.verdict)},
                       {"severity", both.severity ? SeverityMark(*both.severity) : ""},
                       {"id", EscapeHtml(report.scan_id)},
                       {"type", EscapeHtml(report.item_type)},
                       {"profile", EscapeHtml(report.profile)},
                       {"tiles", tiles},
                       {"sides", sides}});
}

std::string SideHeading(std::string_view title, const ScanReport& report,
                        const std::optional<Assessment>& assessment) {
  const std::string verdict =
      assessment ? EscapeHtml(assessment->verdict) : std::string(Headline(report.outcome)) + ".";
  const bool judges = assessment && assessment->judges && report.damaged_percent;
  return fmt::format(R"(<div class="face-title"><h2>{}</h2><p>{}{}</p></div>
)",
                     title, judges ? SeverityMark(assessment->severity) + " " : "", verdict);
}

std::string NoticesSection(const ScanReport& report) {
  const bool scanned = report.outcome == ScanOutcome::kScanned;
  const std::string out = Notices("advice", scanned ? "For an even better scan" : "How to film it",
                                  report.advice, " <a href=\"#filming\">How to film</a>") +
                          Notices("warning", "Please note", report.warnings) +
                          (report.advice.empty() ? "" : FilmingSection());
  return out.empty() ? out : "<div class=\"notices\">\n" + out + "</div>\n";
}

std::string ViewerSection(const ScanReport& report, const std::optional<Assessment>& assessment,
                          const EmbeddedPictures& pictures) {
  if (!report.object || pictures.rectified.empty()) return "";
  std::string side;
  if (assessment) side = DefectsSection(report, *assessment);
  if (side.empty()) side = RegionTable(report);
  if (assessment) side += PartsSection(report, *assessment);
  return "<div class=\"explore\">\n" + PictureCard(report, assessment, pictures) +
         "<div class=\"side\">\n" + side + "</div></div>\n";
}

}  // namespace glint
