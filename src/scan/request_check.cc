// SPDX-License-Identifier: Apache-2.0
#include "scan/request_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assess/object_size.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "glint/error.h"
#include "glint/item_type.h"
#include "glint/profile.h"

namespace glint {
namespace {

bool IsScanIdCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

absl::Status CheckRange(std::string_view what, int value, int least, int most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return Error(Reason::kInvalidOption,
               fmt::format("{} is {}; it may be {} to {}", what, value, least, most));
}

}  // namespace

bool IsScanId(std::string_view id) {
  return !id.empty() && id.size() <= 128 && id.front() != '.' &&
         std::ranges::all_of(id, IsScanIdCharacter);
}

bool IsLocalScanId(std::string_view id) {
  std::string ascii(id);  // with what is not ASCII as a letter
  const bool other = std::ranges::any_of(id, [](char c) { return (c & 0x80) != 0; });
  for (char& c : ascii) c = (c & 0x80) != 0 ? 'x' : c;
  return IsScanId(ascii) && (!other || ValidUtf8(id) == id);
}

bool IsRotation(int degrees) {
  return degrees == 0 || degrees == 90 || degrees == 180 || degrees == 270;
}

absl::Status CheckRequest(const ScanRequest& request) {
  if (!IsLocalScanId(request.scan_id)) {
    return Error(Reason::kInvalidOption,
                 fmt::format("scan id '{}' is not 1 to 128 of the characters A-Z a-z 0-9 . _ - and "
                             "letters of other scripts, without a leading dot",
                             request.scan_id));
  }
  GLINT_RETURN_IF_ERROR(FindProfile(request.profile).status());
  GLINT_RETURN_IF_ERROR(FindItemType(request.item_type).status());
  if (!request.reference.empty() && request.profile != kProfilePhotometric) {
    return Error(Reason::kInvalidOption,
                 fmt::format("the profile {} compares with no reference; --reference needs "
                             "--profile {}",
                             request.profile, kProfilePhotometric));
  }
  if (const auto limit = request.motion_limit_px; limit && !(std::isfinite(*limit) && *limit > 0)) {
    return Error(Reason::kInvalidOption,
                 fmt::format("the motion limit is {} px; it must be above 0", *limit));
  }
  if (const auto turn = request.rotation; turn && !IsRotation(*turn)) {
    return Error(Reason::kInvalidOption,
                 fmt::format("the rotation is {} degrees; it must be 0, 90, 180 or 270", *turn));
  }
  if (!request.size.empty()) GLINT_RETURN_IF_ERROR(ParseObjectSize(request.size).status());
  GLINT_RETURN_IF_ERROR(CheckRange("the number of golden frames", request.golden_frames, 1, 32));
  return CheckRange("the gap between golden frames", request.golden_gap, 1, 10'000);
}

}  // namespace glint
