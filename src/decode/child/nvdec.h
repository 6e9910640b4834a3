// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>

#include "decode/child/video_accelerator.h"
#include "glint/video.h"

namespace glint {

/// Opens the video decoder of the first NVIDIA GPU that the driver names, through FFmpeg. Takes a
/// part of a second and some hundred megabytes. Nothing of the driver is loaded after it but what
/// the driver loads by itself.
/// Errors: DEVICE_UNAVAILABLE FFmpeg knows no NVDEC, there is no driver or GPU, or the driver came
/// without its decoder
absl::StatusOr<std::shared_ptr<VideoAccelerator>> OpenNvdec();

/// Loads the part of the driver that decodes, for good. @param library  its file
/// Errors: DEVICE_UNAVAILABLE it is missing
absl::Status LoadVideoDriver(const char* library);

/// Who shall decode in this mode. Opens the GPU's decoder only for DecodeMode::kNvdec.
Acceleration ChooseDecoder(DecodeMode mode);

/// Why the CPU decodes although NVDEC was asked for.
Acceleration NoNvdec(std::string_view why);

}  // namespace glint
