// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "base/status_macros.h"
#include "glint/error.h"
#include "image/png.h"
#include "report/json_file.h"
#include "report/read_report.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

Size ToSize(const nlohmann::json& json) { return {json.at(0).get<int>(), json.at(1).get<int>()}; }

Plane EmptyMask(Size size) {
  Plane mask = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y)
    std::memset(mask.Row<std::uint8_t>(y), 0, static_cast<std::size_t>(size.width));
  return mask;
}

/// Where it is there, and known.
std::optional<double> NumberIn(const nlohmann::json& json, const char* key) {
  const auto number = json.find(key);
  if (number == json.end() || number->is_null()) return std::nullopt;
  return number->get<double>();
}

ScanLabels ParseLabels(const fs::path& file, const nlohmann::json& json) {
  ScanLabels labels;
  constexpr std::string_view kEnding = ".labels.json";
  labels.name = file.filename().string();
  if (labels.name.ends_with(kEnding)) labels.name.resize(labels.name.size() - kEnding.size());
  labels.clip = file.parent_path() / json.at("clip").get<std::string>();
  labels.kind = json.value("kind", std::string());
  labels.hand = json.value("hand", std::string());
  labels.flat_size = ToSize(json.at("flat_size"));
  if (json.contains("display_size")) labels.display_size = ToSize(json.at("display_size"));
  for (const nlohmann::json& corners : json.at("corners"))
    labels.corners.push_back(ToCorners(corners));
  for (const nlohmann::json& defect : json.at("defects")) {
    labels.defects.push_back({.id = defect.at("id").get<int>(),
                              .type = defect.at("type").get<std::string>(),
                              .severity = defect.value("severity", std::string()),
                              .lost_ink = defect.value("lost_ink", 0.0)});
    labels.defects.back().peak_delta = NumberIn(defect, "peak_delta");
    labels.defects.back().parallel_delta = NumberIn(defect, "parallel_delta");
  }
  return labels;
}

}  // namespace

Visibility VisibilityOf(const LabelledDefect& defect) {
  if (!defect.peak_delta || defect.lost_ink >= kPlainLostInk) return Visibility::kPlain;
  const double beside = defect.parallel_delta.value_or(0);
  if (*defect.peak_delta >= std::max(kPlainDelta, kPlainParallels * beside)) {
    return Visibility::kPlain;
  }
  return *defect.peak_delta >= kBarelyDelta ? Visibility::kBarely : Visibility::kNot;
}

std::string ItemTypeOf(std::string_view kind) {
  if (kind == "cover") return "comic";
  if (kind == "page" || kind == "card" || kind == "surface") return std::string(kind);
  return "generic";
}

absl::StatusOr<ScanLabels> ReadLabels(const fs::path& file) {
  return WithJson(file, [&](const nlohmann::json& json) -> absl::StatusOr<ScanLabels> {
    ScanLabels labels = ParseLabels(file, json);
    if (labels.flat_size.width < 1 || labels.flat_size.height < 1 ||
        labels.flat_size.area() > kMaxPicturePixels) {
      return Unusable(file, "its flat_size is no picture's size");
    }
    if (!json.contains("mask_flat") || json.at("mask_flat").is_null()) {
      labels.ids = EmptyMask(labels.flat_size);
      return labels;
    }
    const fs::path mask = file.parent_path() / json.at("mask_flat").get<std::string>();
    GLINT_ASSIGN_OR_RETURN(Plane ids, ReadMask(mask));
    if (ids.size() != labels.flat_size) {
      return Unusable(mask, fmt::format("it is {}, but the labels say {}", ToString(ids.size()),
                                        ToString(labels.flat_size)));
    }
    labels.ids = std::move(ids);
    return labels;
  });
}

absl::StatusOr<Findings> ReadFindings(const fs::path& folder, const ScanLabels& labels) {
  GLINT_ASSIGN_OR_RETURN(const StoredReport stored, ReadReport(folder));
  Findings findings{.outcome = stored.report.outcome, .object = stored.report.object};
  if (findings.outcome != ScanOutcome::kScanned) {
    findings.mask = EmptyMask(labels.flat_size);
    return findings;
  }
  GLINT_ASSIGN_OR_RETURN(findings.mask, ReadMask(folder / "mask.png"));
  return findings;
}

absl::StatusOr<Plane> ReadMask(const fs::path& file) {
  GLINT_ASSIGN_OR_RETURN(const std::string content, ReadFile(file));
  absl::StatusOr<Plane> mask = DecodePng(std::as_bytes(std::span(content)));
  if (!mask.ok()) return In(file.string(), mask.status());
  if (mask->type() != PixelType::kU8) return Unusable(file, "a mask is a grey picture");
  return mask;
}

}  // namespace glint
