// SPDX-License-Identifier: Apache-2.0
#include "assess/trade_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace glint {
namespace {

struct NameOf {
  DefectName defect;
  std::string_view machine, singular, plural;
};

constexpr std::array kNames = {
    NameOf{DefectName::kCrease, "crease", "crease", "creases"},
    NameOf{DefectName::kSpineTick, "spine_tick", "spine tick", "spine ticks"},
    NameOf{DefectName::kScratch, "scratch", "scratch", "scratches"},
    NameOf{DefectName::kCrack, "crack", "crack", "cracks"},
    NameOf{DefectName::kDent, "dent", "dent", "dents"},
    NameOf{DefectName::kTear, "tear", "tear", "tears"},
    NameOf{DefectName::kMissingCorner, "missing_corner", "missing corner", "missing corners"},
    NameOf{DefectName::kMissingPiece, "missing_piece", "missing piece", "missing pieces"},
    NameOf{DefectName::kWornCorner, "worn_corner", "worn corner", "worn corners"},
    NameOf{DefectName::kStain, "stain", "stain", "stains"},
    NameOf{DefectName::kFading, "fading", "faded area", "faded areas"},
    NameOf{DefectName::kCreaseOrScratch, "crease_or_scratch", "crease or scratch",
           "creases or scratches"}};

const NameOf& Find(DefectName name) { return *std::ranges::find(kNames, name, &NameOf::defect); }

constexpr std::array<std::string_view, 13> kNumbers = {"no",   "one",    "two",   "three", "four",
                                                       "five", "six",    "seven", "eight", "nine",
                                                       "ten",  "eleven", "twelve"};

}  // namespace

std::string_view Name(DefectName name) { return Find(name).machine; }

std::string_view Name(Severity severity) {
  switch (severity) {
    case Severity::kNone:
      return "none";
    case Severity::kLight:
      return "light";
    case Severity::kModerate:
      return "moderate";
    case Severity::kHeavy:
      return "heavy";
  }
  return "?";
}

std::string_view Name(Axis axis) {
  switch (axis) {
    case Axis::kCentering:
      return "centering";
    case Axis::kCorners:
      return "corners";
    case Axis::kEdges:
      return "edges";
    case Axis::kSurface:
      return "surface";
  }
  return "?";
}

std::string Words(DefectName name, std::int64_t count) {
  return std::string(count == 1 ? Find(name).singular : Find(name).plural);
}

std::string_view Words(NotJudgedCause cause) {
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

std::string InWords(std::int64_t count) {
  const auto place = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  return place < kNumbers.size() ? std::string(kNumbers[place]) : std::to_string(count);
}

std::string Counted(DefectName name, std::int64_t count) {
  return InWords(count) + " " + Words(name, count);
}

std::string Capital(std::string_view text) {
  std::string title(text);
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') {
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
  }
  return title;
}

std::string PartTitle(std::string_view part) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTitles = {
      {{"corner_tl", "Top left corner"},
       {"corner_tr", "Top right corner"},
       {"corner_br", "Bottom right corner"},
       {"corner_bl", "Bottom left corner"},
       {"edge_top", "Top edge"},
       {"edge_right", "Right edge"},
       {"edge_bottom", "Bottom edge"},
       {"edge_left", "Left edge"},
       {"face", "Inside the edges"}}};
  for (const auto& [name, title] : kTitles) {
    if (part == name) return std::string(title);
  }
  std::string title = Capital(part);
  std::ranges::replace(title, '_', ' ');
  return title;
}

}  // namespace glint
