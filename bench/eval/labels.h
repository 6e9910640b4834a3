// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// How much of a defect a careful person sees in the video.
enum class Visibility { kPlain, kBarely, kNot };

/// Change against its surroundings over the frames, grey levels, from which a defect is plain to
/// see, and from which barely.
inline constexpr double kPlainDelta = 8;
inline constexpr double kBarelyDelta = 4;
/// Of what a line's own parallels change, where nothing is damaged: a line that changes less than
/// so many times that is told from gloss and print by nobody.
inline constexpr double kPlainParallels = 2;
/// Share of a line that shows paper, from which it is plain to see in any single frame.
inline constexpr double kPlainLostInk = 0.25;

/// One known damage of a labelled scan.
struct LabelledDefect {
  int id = 0;                              ///< value of its pixels in `ScanLabels::ids`
  std::string type;                        ///< e.g. "crease"
  std::string severity;                    ///< e.g. "light"
  std::optional<double> peak_delta{};      ///< its change over the frames; where the labels say
  std::optional<double> parallel_delta{};  ///< that of its parallels; where the labels say
  double lost_ink = 0;                     ///< share of it that shows paper
};

/// A defect of which the labels do not say how much it changes is taken for plain.
Visibility VisibilityOf(const LabelledDefect& defect);

/// What is known of a labelled scan.
struct ScanLabels {
  std::string name;                    ///< of the scan
  std::filesystem::path clip;          ///< its video
  std::string kind;                    ///< what it shows: "page", "cover", "card", "surface"; or ""
  std::string hand;                    ///< "lying", "held", "tilted"; "" where not said
  Size display_size;                   ///< of its displayed frames; 0x0 where the labels do not say
  Size flat_size;                      ///< of the object's coordinates
  std::vector<Quadrilateral> corners;  ///< per frame: TL, TR, BR, BL in displayed pixels
  std::vector<LabelledDefect> defects;
  Plane ids;  ///< kU8 or kS32, `flat_size`: the defect of each pixel, 0 where there is none
  bool in_object_pixels = false;  ///< of the result itself, wherever the object lies in frames
};

/// The item type under which `glint scan` takes an object of this kind.
std::string ItemTypeOf(std::string_view kind);

/// Reads `<name>.labels.json` and the mask that it names, as glint synth writes them.
/// Errors: INPUT_NOT_FOUND; INPUT_UNREADABLE no such file, a key is missing, or the mask has
/// another size; LIMIT_EXCEEDED a mask of more than 2^28 pixels; OUT_OF_MEMORY
absl::StatusOr<ScanLabels> ReadLabels(const std::filesystem::path& file);

/// What a scan left that can be judged.
struct Findings {
  ScanOutcome outcome = ScanOutcome::kScanned;
  std::optional<LocatedObject> object;  ///< nothing when the scan found none
  Plane mask;  ///< kU8; of a scan that judged nothing one that marks nothing, of the labels' size
};

/// Reads `report.json` and, unless the scan judged nothing and so left none, `mask.png`.
/// @param folder  of the result
/// Errors: INPUT_NOT_FOUND; INPUT_UNREADABLE; LIMIT_EXCEEDED
absl::StatusOr<Findings> ReadFindings(const std::filesystem::path& folder,
                                      const ScanLabels& labels);

/// Reads a mask: a grey PNG, kU8.
/// Errors: INPUT_NOT_FOUND; INPUT_UNREADABLE; LIMIT_EXCEEDED
absl::StatusOr<Plane> ReadMask(const std::filesystem::path& file);

}  // namespace glint
