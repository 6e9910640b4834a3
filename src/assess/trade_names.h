// SPDX-License-Identifier: Apache-2.0
// What defects, severities, axes and parts are called: for machines and for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "glint/assessment.h"

namespace glint {

/// For machines: "crease", "spine_tick", "scratch", "crack", "dent", "tear", "missing_corner",
/// "missing_piece", "worn_corner", "stain", "fading", "crease_or_scratch"
std::string_view Name(DefectName name);
/// For machines: "none", "light", "moderate", "heavy"
std::string_view Name(Severity severity);
/// For machines: "centering", "corners", "edges", "surface"
std::string_view Name(Axis axis);

/// All names of defects.
inline constexpr std::array kDefectNames = {
    DefectName::kCrease,        DefectName::kSpineTick,    DefectName::kScratch,
    DefectName::kCrack,         DefectName::kDent,         DefectName::kTear,
    DefectName::kMissingCorner, DefectName::kMissingPiece, DefectName::kWornCorner,
    DefectName::kStain,         DefectName::kFading,       DefectName::kCreaseOrScratch};

/// For people, inside a sentence: "spine tick". @param count  1: singular
std::string Words(DefectName name, std::int64_t count = 1);
/// For people: "the light never changes".
std::string_view Words(NotJudgedCause cause);
/// "no", "one", ..., "twelve", "13".
std::string InWords(std::int64_t count);
/// "two creases", "one spine tick", "14 scratches".
std::string Counted(DefectName name, std::int64_t count);
/// "Top left corner" of "corner_tl"; other names with spaces and a capital.
std::string PartTitle(std::string_view part);

/// A text with its first letter large.
std::string Capital(std::string_view text);

}  // namespace glint
