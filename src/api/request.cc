// SPDX-License-Identifier: Apache-2.0
#include "api/request.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "analyse/item_types.h"
#include "api/failure.h"
#include "api/url.h"
#include "assess/object_size.h"
#include "base/status_macros.h"
#include "scan/request_check.h"

namespace glint {
namespace {

constexpr int kMaxGoldenFrames = 32;
constexpr int kMaxGoldenGap = 10'000;
constexpr double kMaxMotionPx = 100;
constexpr std::string_view kScanIdRule =
    "must be 1 to 128 of the characters A-Z a-z 0-9 . _ - without a leading dot";

constexpr std::string_view kTierRule =
    "must be 1 to 64 of the characters A-Z a-z 0-9 . _ - without a leading dot";
constexpr std::size_t kMaxTier = 64;

using Violations = std::vector<FieldViolation>;

void CheckRange(std::string_view field, int value, int most, Violations& wrong) {
  if (value >= 0 && value <= most) return;
  wrong.push_back({std::string(field),
                   fmt::format("is {}; it may be 1 to {}, or 0 for the default", value, most)});
}

/// Where the object's own top is.
absl::StatusOr<PictureSide> UpOf(const v1::ScanOptions& options) {
  if (options.up().empty()) return ScanRequest().up;
  return FindPictureSide(options.up());
}

void CheckOptions(const v1::ScanOptions& options, Violations& wrong) {
  if (const auto type = FindItemType(options.item_type()); !type.ok()) {
    wrong.push_back({"options.item_type", std::string(Message(type.status()))});
  }
  if (const auto profile = FindProfile(options.profile()); !profile.ok()) {
    wrong.push_back({"options.profile", std::string(Message(profile.status()))});
  }
  if (!v1::MotionMode_IsValid(options.motion())) {
    wrong.push_back(
        {"options.motion", fmt::format("{} is no MotionMode", static_cast<int>(options.motion()))});
  }
  CheckRange("options.golden_frames", options.golden_frames(), kMaxGoldenFrames, wrong);
  CheckRange("options.golden_gap", options.golden_gap(), kMaxGoldenGap, wrong);
  if (options.has_rotation() && !IsRotation(options.rotation())) {
    wrong.push_back({"options.rotation",
                     fmt::format("is {}; it may be 0, 90, 180 or 270", options.rotation())});
  }
  if (!options.object_size().empty()) {
    const auto size = ParseObjectSize(options.object_size());
    if (!size.ok()) wrong.push_back({"options.object_size", std::string(Message(size.status()))});
  }
  if (const auto up = UpOf(options); !up.ok()) {
    wrong.push_back({"options.up", std::string(Message(up.status()))});
  }
  const double limit = options.motion_limit_px();
  if (!std::isfinite(limit) || limit < 0 || limit > kMaxMotionPx) {
    wrong.push_back({"options.motion_limit_px",
                     fmt::format("is {}; it may be above 0 and at most {}, or 0 for the default",
                                 limit, kMaxMotionPx)});
  }
}

/// The options field by field, so that unknown fields of newer clients do not count.
v1::ScanOptions WithDefaults(const v1::ScanOptions& given, const RequestDefaults& defaults) {
  const ScanRequest usual;
  v1::ScanOptions options;
  options.set_item_type(given.item_type().empty() ? usual.item_type : given.item_type());
  options.set_profile(given.profile().empty() ? defaults.profile : given.profile());
  options.set_motion(given.motion() == v1::MOTION_MODE_UNSPECIFIED ? v1::MOTION_MODE_NEEDED
                                                                   : given.motion());
  options.set_golden_frames(given.golden_frames() == 0 ? usual.golden_frames
                                                       : given.golden_frames());
  options.set_golden_gap(given.golden_gap() == 0 ? usual.golden_gap : given.golden_gap());
  options.set_motion_limit_px(given.motion_limit_px() == 0 ? 0 : given.motion_limit_px());  // no -0
  if (given.has_rotation()) options.set_rotation(given.rotation());
  options.set_object_size(given.object_size());
  if (given.up() != Name(usual.up)) options.set_up(given.up());
  return options;
}

}  // namespace

bool IsTierName(std::string_view name) { return name.size() <= kMaxTier && IsScanId(name); }

absl::Status CheckScanId(std::string_view scan_id) {
  if (IsScanId(scan_id)) return absl::OkStatus();
  return BadRequest({{"scan_id", std::string(kScanIdRule)}});
}

absl::StatusOr<NewJob> ToNewJob(const v1::SubmitScanRequest& request,
                                const RequestDefaults& defaults) {
  Violations wrong;
  if (!IsScanId(request.scan_id())) wrong.push_back({"scan_id", std::string(kScanIdRule)});
  auto shown_url = CheckVideoUrl(request.video_url());
  if (!shown_url.ok()) wrong.push_back({"video_url", std::string(Message(shown_url.status()))});
  if (!request.back_video_url().empty()) {
    const auto back = CheckVideoUrl(request.back_video_url());
    if (!back.ok()) wrong.push_back({"back_video_url", std::string(Message(back.status()))});
  }
  if (!request.tier().empty() && !IsTierName(request.tier())) {
    wrong.push_back({"tier", std::string(kTierRule)});
  }
  if (!request.batch().empty() && !IsScanId(request.batch())) {
    wrong.push_back({"batch", std::string(kScanIdRule)});
  }
  v1::SubmitScanRequest canonical;
  canonical.set_video_url(request.video_url());
  canonical.set_back_video_url(request.back_video_url());
  *canonical.mutable_options() = WithDefaults(request.options(), defaults);
  CheckOptions(canonical.options(), wrong);
  if (!wrong.empty()) return BadRequest(wrong);
  return NewJob{.scan_id = request.scan_id(),
                .request = canonical.SerializeAsString(),
                .shown_url = *std::move(shown_url),
                .tier = request.tier(),
                .batch = request.batch()};
}

absl::StatusOr<ScanRequest> ToScanRequest(const Job& job) {
  v1::SubmitScanRequest canonical;
  if (!canonical.ParseFromString(job.request)) {
    return Error(Reason::kInternal,
                 fmt::format("the stored request of scan {} cannot be read", job.scan_id));
  }
  const v1::ScanOptions& options = canonical.options();
  ScanRequest request;
  request.scan_id = IdOf(job.scan_id);
  request.input = canonical.video_url();
  request.back = canonical.back_video_url();
  request.item_type = options.item_type();
  request.profile = options.profile();
  request.motion = options.motion() == v1::MOTION_MODE_ALL ? MotionMode::kAll : MotionMode::kNeeded;
  request.golden_frames = options.golden_frames();
  request.golden_gap = options.golden_gap();
  if (options.motion_limit_px() > 0) request.motion_limit_px = options.motion_limit_px();
  if (options.has_rotation()) request.rotation = options.rotation();
  request.size = options.object_size();
  GLINT_ASSIGN_OR_RETURN(request.up, UpOf(options));
  return request;
}

}  // namespace glint
