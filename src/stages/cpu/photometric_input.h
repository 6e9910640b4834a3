// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <span>
#include <string_view>

#include "base/thread_pool.h"
#include "glint/photometric_stages.h"
#include "stages/cpu/photometric/targets.h"

namespace glint::photometric {

/// The views are what PhotometricViews promises. @param where  the stage, for the message
absl::Status CheckViews(std::string_view where, const PhotometricViews& views);

/// There is one residual per view, of its size.
absl::Status CheckResiduals(std::string_view where, const PhotometricViews& views,
                            std::span<const Plane> residuals);

/// The artwork has the size `size`.
absl::Status CheckArtwork(std::string_view where, const Artwork& artwork, Size size);

/// Works on all rows of a plane of this height, some at a time.
void ForRows(ThreadPool& pool, int height, const std::function<void(Rows)>& work);

}  // namespace glint::photometric
