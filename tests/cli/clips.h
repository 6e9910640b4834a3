// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "support/test_video.h"

namespace glint {

/// A video of a still, printed card on a dark desk, as `options` wants it.
void WriteCardVideo(const std::filesystem::path& file, const TestVideoOptions& options);

}  // namespace glint
