// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <new>

#include "glint/error.h"
#include "glint/scan.h"
#include "scan/request_check.h"
#include "scan/scan_run.h"

namespace glint {
namespace {

absl::StatusOr<ScanResult> RunSteps(const ScanRequest& request, const ScanDeps& deps,
                                    const CancelToken& cancel) {
  if (absl::Status valid = CheckRequest(request); !valid.ok()) return valid;
  ScanRun scan(request, deps, cancel);
  if (absl::Status status = scan.Fetch(); !status.ok()) return In("downloading", status);
  if (absl::Status status = scan.Open(); !status.ok()) return In("decoding", status);
  if (absl::Status status = scan.Measure(); !status.ok()) return In("measuring", status);
  if (scan.Select()) {
    if (absl::Status status = scan.Locate(); !status.ok()) return In("locating", status);
    if (absl::Status status = scan.Register(); !status.ok()) return In("registering", status);
    if (absl::Status status = scan.Detect(); !status.ok()) return In("detecting", status);
  }
  if (absl::Status status = scan.Render(); !status.ok()) return In("rendering", status);
  if (absl::Status status = scan.Upload(); !status.ok()) return In("uploading", status);
  return scan.Finish();
}

}  // namespace

absl::StatusOr<ScanResult> RunScan(const ScanRequest& request, const ScanDeps& deps,
                                   const CancelToken& cancel) {
  try {
    return RunSteps(request, deps, cancel);
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory,
                 "memory is out; try a smaller video, or fewer scans at a time");
  } catch (const std::exception& bug) {
    return Error(Reason::kInternal, bug.what());
  }
}

}  // namespace glint
