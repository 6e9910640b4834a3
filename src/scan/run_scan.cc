// SPDX-License-Identifier: Apache-2.0
#include "scan/run_scan.h"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "base/catch_exceptions.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "scan/request_check.h"
#include "scan/steps/scan_steps.h"

namespace glint {
namespace {

/// What a step gave, or its failure with the step's name in front.
template <class Given>
absl::StatusOr<Given> In(ScanStep step, absl::StatusOr<Given> given) {
  if (!given.ok()) return glint::In(Name(step), given.status());
  return given;
}

/// The device that a scan computes on; null until it has taken one.
using Device = std::shared_ptr<const BackendChoice>;

/// From the chosen frames to what was found in them. A step that finds the clip without what a
/// verdict needs says so in its report (LeaveUnjudged), and those after it have nothing to do.
/// @param golden_pictures  begun here, once it is known which frames are golden
absl::StatusOr<Detected> Judge(const ScanContext& scan, StageSet& stages, Selected selected,
                               std::optional<ReferenceFile> good_copy,
                               std::optional<GoldenPictures>& golden_pictures) {
  Detected unjudged;
  if (selected.golden.empty()) {
    golden_pictures.emplace(selected.golden, scan.deps.pool, scan.sides);
    unjudged.report = std::move(selected.report);
    return unjudged;
  }
  GLINT_ASSIGN_OR_RETURN(Located located,
                         In(ScanStep::kLocating, LocateObject(scan, stages, std::move(selected))));
  golden_pictures.emplace(located.golden, scan.deps.pool, scan.sides);  // made beside the rest
  if (located.report.not_judged) {
    unjudged.report = std::move(located.report);
    return unjudged;
  }
  GLINT_ASSIGN_OR_RETURN(
      Registered registered,
      In(ScanStep::kRegistering, RegisterFrames(scan, stages, std::move(located))));
  if (registered.report.not_judged) {
    unjudged.report = std::move(registered.report);
    return unjudged;
  }
  return In(ScanStep::kDetecting,
            DetectDamage(scan, stages, std::move(registered), std::move(good_copy)));
}

/// One side from its input to what was found on it. Its video goes when it returns.
/// @param device  set as soon as it is taken, for whoever wants to know on which device it failed
absl::StatusOr<Pictured> ScanSide(const ScanContext& scan, DevicePool& devices, Device& device) {
  GLINT_ASSIGN_OR_RETURN(Fetched fetched, In(ScanStep::kDownloading, FetchInput(scan)));
  GLINT_ASSIGN_OR_RETURN(Opened opened, In(ScanStep::kDecoding, OpenInput(scan, *fetched.file)));
  device = devices.Take(opened.report.video.size);
  opened.report.device = device->name;
  opened.report.device_why = device->why;
  GLINT_ASSIGN_OR_RETURN(StageSet stages, In(ScanStep::kDecoding, StageSet::Make(device->backend)));
  GLINT_ASSIGN_OR_RETURN(Measured measured,
                         In(ScanStep::kMeasuring, MeasureVideo(scan, stages, std::move(opened))));
  GLINT_ASSIGN_OR_RETURN(Selected selected,
                         In(ScanStep::kSelecting, SelectFrames(scan, std::move(measured))));
  std::optional<GoldenPictures> golden_pictures;
  GLINT_ASSIGN_OR_RETURN(Detected detected, Judge(scan, stages, std::move(selected),
                                                  std::move(fetched.good_copy), golden_pictures));
  return In(ScanStep::kRendering,
            RenderPictures(scan, stages, std::move(detected), *golden_pictures));
}

/// The scan of the item's other side. A good copy shows the front, so it is compared with none.
ScanRequest ForBack(const ScanRequest& request) {
  ScanRequest back = request;
  back.input = std::exchange(back.back, "");
  back.reference.clear();
  return back;
}

/// One scan from its inputs to its result. The sides are fetched one after the other: a fetcher may
/// let a scan hold one file at a time. @param device  of the side that was scanned last
absl::StatusOr<ScanResult> RunSteps(const ScanContext& scan, DevicePool& devices, Device& device) {
  scan.clock.BeginSide(0, scan.sides);
  GLINT_ASSIGN_OR_RETURN(Pictured front, ScanSide(scan, devices, device));
  std::optional<Pictured> back;
  if (scan.sides > 1) {
    const ScanRequest request = ForBack(scan.request);
    const ScanContext of_back{request,    scan.deps,         scan.params, scan.cancel,
                              scan.clock, ObjectSide::kBack, scan.sides};
    scan.clock.BeginSide(1, scan.sides);
    auto pictured = ScanSide(of_back, devices, device);
    if (!pictured.ok()) return glint::In("back", pictured.status());
    back = *std::move(pictured);
  }
  GLINT_ASSIGN_OR_RETURN(
      Rendered rendered,
      In(ScanStep::kRendering, RenderReport(scan, std::move(front), std::move(back))));
  GLINT_ASSIGN_OR_RETURN(ScanResult result,
                         In(ScanStep::kUploading, UploadResult(scan, std::move(rendered))));
  scan.clock.Enter(ScanStep::kDone);
  return result;
}

/// Whether a scan failed because of its GPU.
bool FailedByGpu(const Device& device, const absl::Status& status) {
  if (device == nullptr || device->backend->device().is_host()) return false;
  const auto reason = ReasonOf(status);
  return reason == Reason::kDeviceUnavailable || reason == Reason::kOutOfMemory;
}

/// Makes the scan; where a GPU fails or has no memory left, once more on the CPU, and the report's
/// device and its reason say so.
absl::StatusOr<ScanResult> RunOnAnyDevice(const ScanRequest& request, const AnalysisParams& params,
                                          const ScanDeps& deps, const CancelToken& cancel) {
  GLINT_RETURN_IF_ERROR(CheckRequest(request));
  GLINT_RETURN_IF_ERROR(params.Check());
  const int sides = request.back.empty() ? 1 : 2;
  std::string why;
  absl::Status failure;
  {
    StepClock clock(deps.progress);
    Device device;
    auto result = RunSteps({request, deps, params, cancel, clock, ObjectSide::kFront, sides},
                           deps.devices, device);
    if (result.ok() || !FailedByGpu(device, result.status())) return result;
    failure = result.status();
    why = fmt::format("the scan was made again here, because {} failed: {}", device->name,
                      Message(failure));
  }  // lets go of the GPU, which is opened anew when nobody uses it
  absl::StatusOr<BackendChoice> cpu = SelectBackend("cpu", BackendTable(), {.pool = &deps.pool});
  if (!cpu.ok()) return failure;
  cpu->why = std::move(why);
  DevicePool with_cpu(*std::move(cpu));
  StepClock clock(deps.progress);
  Device device;
  return RunSteps({request, deps, params, cancel, clock, ObjectSide::kFront, sides}, with_cpu,
                  device);
}

}  // namespace

absl::StatusOr<ScanResult> RunScan(const ScanRequest& request, const AnalysisParams& params,
                                   const ScanDeps& deps, const CancelToken& cancel) {
  try {
    return RunOnAnyDevice(request, params, deps, cancel);
  } catch (const std::exception& thrown) {
    return StatusOf(thrown, "memory is out; try a smaller video, or fewer scans at a time");
  }
}

absl::StatusOr<ScanResult> RunScan(const ScanRequest& request, const ScanDeps& deps,
                                   const CancelToken& cancel) {
  return RunScan(request, AnalysisParams(), deps, cancel);
}

}  // namespace glint
