// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "glint/video_opener.h"

namespace glint {

/// Opens a video in this process, with the decoder's own code, as nothing but tests and fuzzers
/// does: what comes out of the decoder's process must be the same. Errors: those of OpenVideo but
/// DECODER_DIED and DEVICE_UNAVAILABLE
absl::StatusOr<std::unique_ptr<VideoSource>> OpenVideoInProcess(const std::filesystem::path& file,
                                                                const VideoOptions& options);

}  // namespace glint
