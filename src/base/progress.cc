// SPDX-License-Identifier: Apache-2.0
#include "glint/progress.h"

namespace glint {

std::string_view Name(ScanStep step) {
  switch (step) {
    case ScanStep::kQueued:
      return "queued";
    case ScanStep::kDownloading:
      return "downloading";
    case ScanStep::kDecoding:
      return "decoding";
    case ScanStep::kMeasuring:
      return "measuring";
    case ScanStep::kSelecting:
      return "selecting";
    case ScanStep::kLocating:
      return "locating";
    case ScanStep::kRegistering:
      return "registering";
    case ScanStep::kDetecting:
      return "detecting";
    case ScanStep::kRendering:
      return "rendering";
    case ScanStep::kUploading:
      return "uploading";
    case ScanStep::kDone:
      return "done";
  }
  return "unknown";
}

}  // namespace glint
