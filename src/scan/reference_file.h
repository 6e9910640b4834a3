// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>

#include "analyse/reference/compare.h"
#include "glint/cancel.h"
#include "glint/report.h"

namespace glint {

/// Limits of a reference's files: they are read into memory.
inline constexpr std::int64_t kMaxReferenceBytes = std::int64_t{256} << 20;
inline constexpr std::int64_t kMaxReferencePixels = std::int64_t{64} << 20;

/// A good copy as read, and what the report says of it; the rest is filled in by comparing.
struct ReferenceFile {
  GoodCopy copy;
  ReferenceFacts facts;
};

/// Reads what `--reference` names: a PNG or JPEG file; or an earlier scan, by its folder or its
/// report.json, of which median.png beside the report is taken (the object without highlights;
/// rectified.png where there is none), and mask.png where `photometric` made it. Images larger than
/// 2400 px are made smaller. Only local files: pictures are decoded in this process, unlike videos.
/// @param input  a path or a file: URL
/// Errors: INPUT_NOT_FOUND; INPUT_UNREADABLE what is neither, or damaged; LIMIT_EXCEEDED;
/// INVALID_OPTION another kind of URL, or an earlier scan that has no object; CANCELLED
absl::StatusOr<ReferenceFile> ReadReference(const std::string& input, const CancelToken& cancel);

}  // namespace glint
