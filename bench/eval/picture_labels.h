// SPDX-License-Identifier: Apache-2.0
// Labels that people drew on the pictures of a result: COCO, or a mask for each picture.
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bench/eval/evaluation.h"
#include "bench/eval/labels.h"

namespace glint {

/// What is known of one picture: of the object (rectified.png, median.png, ...) or of a golden
/// frame.
struct PictureLabels {
  std::string picture;             ///< its file, as the labels call it
  std::vector<std::string> names;  ///< that its result's folder may have, the likeliest first
  Size size;
  std::vector<LabelledDefect> defects;
  Plane ids;  ///< kS32, `size`
};

/// Reads COCO: each image with its annotations, polygons or run lengths, compressed or not. The
/// type of a defect is its category's name. Where annotations overlap, the later one counts.
/// Errors: INPUT_NOT_FOUND; INPUT_UNREADABLE; LIMIT_EXCEEDED
absl::StatusOr<std::vector<PictureLabels>> ReadCoco(const std::filesystem::path& file);

/// Reads a grey PNG: every piece (8-connected) of what is not 0 is a defect of the type "damage".
/// Errors: as ReadMask
absl::StatusOr<PictureLabels> ReadMaskLabels(const std::filesystem::path& file);

/// The folder of the result that the labels are of. @param reports  it, or a folder of results
/// Errors: INPUT_NOT_FOUND
absl::StatusOr<std::filesystem::path> ResultOf(const PictureLabels& labels,
                                               const std::filesystem::path& reports);

/// Judges a result in object pixels; labels of a golden frame are carried there.
/// @param name  of the evaluation
/// Errors: INPUT_UNREADABLE the picture is none of the result's; as EvaluateScan
absl::StatusOr<ScanEvaluation> EvaluatePicture(const PictureLabels& labels,
                                               const std::filesystem::path& result);

}  // namespace glint
