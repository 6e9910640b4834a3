// SPDX-License-Identifier: Apache-2.0
#include "base/status_macros.h"
#include "scan/steps/scan_steps.h"

namespace glint {

absl::StatusOr<Fetched> FetchInput(const ScanContext& scan) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kDownloading));
  Fetched fetched;
  if (!scan.request.reference.empty()) {
    GLINT_ASSIGN_OR_RETURN(fetched.good_copy, ReadReference(scan.request.reference, scan.cancel));
  }
  const auto progress = [&scan](std::int64_t bytes, std::int64_t bytes_of) {
    scan.clock.Downloaded(bytes, bytes_of);
  };
  GLINT_ASSIGN_OR_RETURN(fetched.file,
                         scan.deps.fetcher.Fetch(scan.request.input, progress, scan.cancel));
  return fetched;
}

absl::StatusOr<Opened> OpenInput(const ScanContext& scan, const FetchedFile& file) {
  GLINT_RETURN_IF_ERROR(scan.Enter(ScanStep::kDecoding));
  const ScanRequest& request = scan.request;
  const VideoOptions options{
      .limits = request.limits, .threads = scan.deps.pool.threads(), .rotation = request.rotation};
  Opened opened;
  GLINT_ASSIGN_OR_RETURN(opened.video, scan.deps.open_video(file.path(), options, scan.cancel));
  opened.report.scan_id = request.scan_id;
  opened.report.item_type = request.item_type;
  opened.report.profile = request.profile;
  opened.report.video = opened.video->info();
  opened.report.motion_limit_px = request.motion_limit_px.value_or(
      MotionLimit(opened.report.video.size.width, scan.params.selection));
  return opened;
}

}  // namespace glint
