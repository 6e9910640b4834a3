// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "glint/video.h"

namespace glint {

/// OpenVideo, or what does the same elsewhere (decode/sandbox). Called from several threads.
using VideoOpener = std::function<absl::StatusOr<std::unique_ptr<VideoSource>>(
    const std::filesystem::path& file, const VideoOptions& options, const CancelToken& cancel)>;

}  // namespace glint
