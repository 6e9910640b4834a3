// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace glint {

/// Copies the packets of a video without sound `times` times in a row, timestamps going on: a long
/// clip for little work. The video must begin with a key frame and refer to no frame before it.
/// Throws std::runtime_error when libav cannot do it.
/// @param to  its extension names the container
void LoopVideo(const std::filesystem::path& from, const std::filesystem::path& to, int times);

}  // namespace glint
