// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace glint {

/// The steps of a scan, in order. Their names are the same in progress, timings, metrics and logs.
enum class ScanStep {
  kQueued,
  kDownloading,
  kDecoding,
  kMeasuring,
  kSelecting,
  kLocating,
  kRegistering,
  kDetecting,
  kRendering,
  kUploading,
  kDone,
};

/// "decoding", "measuring", ...
std::string_view Name(ScanStep step);

/// How far a scan is.
struct Progress {
  ScanStep step = ScanStep::kQueued;
  double fraction = 0;         ///< of the whole scan, 0..1, never falling
  std::int64_t frames = 0;     ///< frames measured so far
  std::int64_t frames_of = 0;  ///< frames that the file announces; 0 when unknown
  std::int64_t bytes = 0;      ///< bytes downloaded so far; 0 for a local file
  std::int64_t bytes_of = 0;   ///< bytes that the server announces; 0 when unknown
};

/// Receives a scan's progress. Called from the thread that runs the scan, at least once per step.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void OnProgress(const Progress& progress) = 0;
};

}  // namespace glint
