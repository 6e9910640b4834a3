// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "glint/cancel.h"
#include "glint/scan.h"

namespace glint {

/// Whole scans of one video on one device, several at a time.
struct ScanRow {
  std::string device;  ///< that made them, as their reports say
  int at_a_time = 1;
  std::int64_t frames = 0;  ///< of the video
  double s_per_scan = 0;    ///< wall time of all, by their number
  double frames_per_s = 0;
};

/// Times whole scans of a local video, from the file to the stored result.
/// @param folder  results go here
/// Errors: those of RunScan
absl::StatusOr<ScanRow> TimeScans(const std::filesystem::path& video, DevicePool& devices,
                                  ThreadPool& pool, int at_a_time, const std::string& profile,
                                  const std::filesystem::path& folder, const CancelToken& cancel);

/// Draws the video that benches scan when they are given none. @return the file
/// Errors: those of RenderScan
absl::StatusOr<std::filesystem::path> DrawBenchVideo(Size size, int frames,
                                                     const std::filesystem::path& folder,
                                                     ThreadPool& pool, const CancelToken& cancel);

}  // namespace glint
