// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>

#include "glint/error.h"
#include "glint/scan.h"
#include "scan/request_check.h"
#include "scan/scan_run.h"

namespace glint {
namespace {

absl::StatusOr<ScanResult> RunSteps(ScanRun& scan) {
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

/// Whether a scan failed because of its GPU.
bool FailedByGpu(const ScanRun& scan, const absl::Status& status) {
  if (scan.device() == nullptr || scan.device()->backend->device().is_host()) return false;
  const auto reason = ReasonOf(status);
  return reason == Reason::kDeviceUnavailable || reason == Reason::kOutOfMemory;
}

/// Makes the scan; where a GPU fails or has no memory left, once more on the CPU, and the report's
/// device and its reason say so.
absl::StatusOr<ScanResult> RunOnAnyDevice(const ScanRequest& request, const ScanDeps& deps,
                                          const CancelToken& cancel) {
  if (absl::Status valid = CheckRequest(request); !valid.ok()) return valid;
  std::string why;
  absl::Status failure;
  {
    ScanRun scan(request, deps, cancel);
    absl::StatusOr<ScanResult> result = RunSteps(scan);
    if (result.ok() || !FailedByGpu(scan, result.status())) return result;
    failure = result.status();
    why = fmt::format("the scan was made again here, because {} failed: {}", scan.device()->name,
                      Message(failure));
  }  // lets go of the GPU, which is opened anew when nobody uses it
  absl::StatusOr<BackendChoice> cpu = SelectBackend("cpu", BackendTable(), {.pool = &deps.pool});
  if (!cpu.ok()) return failure;
  cpu->why = std::move(why);
  DevicePool with_cpu(*std::move(cpu));
  const ScanDeps on_cpu{.fetcher = deps.fetcher,
                        .store = deps.store,
                        .devices = with_cpu,
                        .pool = deps.pool,
                        .progress = deps.progress,
                        .seal = deps.seal,
                        .open_video = deps.open_video};
  ScanRun again(request, on_cpu, cancel);
  return RunSteps(again);
}

}  // namespace

absl::StatusOr<ScanResult> RunScan(const ScanRequest& request, const ScanDeps& deps,
                                   const CancelToken& cancel) {
  try {
    return RunOnAnyDevice(request, deps, cancel);
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory,
                 "memory is out; try a smaller video, or fewer scans at a time");
  } catch (const std::exception& bug) {
    return Error(Reason::kInternal, bug.what());
  }
}

}  // namespace glint
