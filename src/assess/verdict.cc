// SPDX-License-Identifier: Apache-2.0
#include "assess/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "assess/parts.h"
#include "assess/trade_names.h"

namespace glint {
namespace {

constexpr std::size_t kNamed = 4;   // kinds of defects that a sentence lists
constexpr double kMuchUnknown = 5;  // percent of the object, worth a note
constexpr std::string_view kAnd = " and ";

/// Defects of one name.
struct Group {
  DefectName name;
  Severity worst = Severity::kNone;
  std::int64_t count = 0;
  std::int64_t break_colour = 0;  ///< of those
};

std::vector<Group> GroupsOf(std::span<const Defect* const> defects) {
  std::vector<Group> groups;
  for (const Defect* defect : defects) {
    auto group = std::ranges::find(groups, defect->name, &Group::name);
    if (group == groups.end()) {
      groups.push_back({defect->name});
      group = groups.end() - 1;
    }
    group->worst = std::max(group->worst, defect->severity);
    ++group->count;
    group->break_colour += defect->breaks_colour ? 1 : 0;
  }
  std::ranges::stable_sort(groups, [](const Group& a, const Group& b) {
    return std::pair(b.worst, b.count) < std::pair(a.worst, a.count);
  });
  return groups;
}

/// "five creases (two break the colour)"; @param severity  also says how bad the worst is
std::string TextOf(const Group& group, bool severity) {
  std::string text = Counted(group.name, group.count);
  std::string aside;
  const std::string_view verb = group.break_colour == 1 ? "breaks" : "break";
  if (group.break_colour == group.count) {
    text += fmt::format(" that {} the colour", verb);
  } else if (group.break_colour > 0) {
    aside = fmt::format("{} {} the colour", InWords(group.break_colour), verb);
  }
  if (severity) aside += fmt::format("{}{}", aside.empty() ? "" : "; ", Name(group.worst));
  return aside.empty() ? text : fmt::format("{} ({})", text, aside);
}

/// "a, b and c", with what is not listed as "n more".
std::string Join(std::vector<std::string> items, std::int64_t more) {
  if (more > 0) items.push_back(fmt::format("{} more", more));
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == items.size() ? kAnd : ", ");
    text += items[i];
  }
  return text;
}

std::string ListOf(std::span<const Group> groups, bool with_severity) {
  std::vector<std::string> items;
  std::int64_t more = 0;
  for (const Group& group : groups) {
    if (items.size() == kNamed) {
      more += group.count;
      continue;
    }
    items.push_back(TextOf(group, with_severity));
  }
  return Join(std::move(items), more);
}

/// "53:47"
std::string Ratio(double percent) {
  const auto first = static_cast<int>(std::lround(percent));
  return fmt::format("{}:{}", first, 100 - first);
}

std::string CenteringText(const std::optional<Centering>& centering) {
  if (!centering) return "not measured: no border all around";
  return fmt::format("{} left to right, {} top to bottom", Ratio(centering->left_percent()),
                     Ratio(centering->top_percent()));
}

/// Parts of the axis that could not be seen.
std::string UnseenText(const Assessment& assessment, Axis axis) {
  std::vector<std::string> unseen;
  for (const ObjectPart& part : assessment.parts) {
    if (AxisOf(part.name) != axis || part.damaged_percent) continue;
    std::string title = PartTitle(part.name);
    title[0] = static_cast<char>(title[0] | 0x20);
    unseen.push_back("the " + title);
  }
  return unseen.empty() ? "" : "; not seen: " + Join(std::move(unseen), 0);
}

}  // namespace

std::string Verdict(const Assessment& assessment, const ScanReport& report) {
  if (!assessment.judges) {
    return report.damaged_percent
               ? fmt::format(
                     "{:.1f} % is marked, printed ink among it: this detector cannot tell "
                     "how bad it is.",
                     *report.damaged_percent)
               : "The object could not be seen well enough.";
  }
  if (!report.damaged_percent) return "The object could not be seen well enough.";
  if (assessment.defects.empty()) return "No damage was found.";
  return fmt::format("{}: {}.", WearOf(assessment.severity), ListDefects(assessment));
}

std::string ListDefects(const Assessment& assessment) {
  std::vector<const Defect*> defects;
  for (const Defect& defect : assessment.defects) defects.push_back(&defect);
  return ListOf(GroupsOf(defects), false);
}

std::string_view WearOf(Severity severity) {
  switch (severity) {
    case Severity::kNone:
      return "No damage was found";
    case Severity::kLight:
      return "Light wear";
    case Severity::kModerate:
      return "Moderate wear";
    case Severity::kHeavy:
      return "Heavy damage";
  }
  return "";
}

std::vector<AxisSummary> SummariseAxes(const Assessment& assessment) {
  std::vector<AxisSummary> axes;
  for (const Axis axis : kAxes) {
    AxisSummary& summary = axes.emplace_back();
    summary.axis = axis;
    if (axis == Axis::kCentering) {
      summary.text = CenteringText(assessment.centering);
      continue;
    }
    if (!assessment.judges) {
      summary.text = "not judged by this detector";
      continue;
    }
    std::vector<const Defect*> defects;
    for (const Defect& defect : assessment.defects) {
      if (defect.axis == axis) defects.push_back(&defect);
    }
    summary.defects = static_cast<int>(defects.size());
    const auto groups = GroupsOf(defects);
    for (const Group& group : groups) summary.worst = std::max(summary.worst, group.worst);
    summary.text =
        (defects.empty() ? "nothing found" : ListOf(groups, true)) + UnseenText(assessment, axis);
  }
  return axes;
}

std::vector<std::string> NotesOn(const Assessment& assessment, const ScanReport& report) {
  std::vector<std::string> notes;
  if (!assessment.judges) {
    notes.emplace_back(
        "The classic detector marks damage and print alike. For defects with names "
        "and severities scan with --profile photometric.");
  } else if (!report.reference) {
    notes.emplace_back(
        "Stains, fading and rubbed print can be told from the artwork only beside a "
        "good copy (--reference); they were not looked for.");
  }
  if (report.unknown_percent.value_or(0) >= kMuchUnknown) {
    notes.push_back(
        fmt::format("{:.0f} % of the object could not be seen well enough to be judged.",
                    *report.unknown_percent));
  }
  const auto listed = static_cast<std::int64_t>(report.regions.size());
  if (assessment.judges && listed < report.regions_found) {
    notes.push_back(
        fmt::format("Only the {} largest of {} regions are named.", listed, report.regions_found));
  }
  if (assessment.scale && assessment.scale->assumed) {
    notes.push_back(fmt::format("Millimetres assume a {}, {:g} × {:g} mm; --size says another.",
                                assessment.scale->name, assessment.scale->width_mm,
                                assessment.scale->height_mm));
  }
  return notes;
}

}  // namespace glint
