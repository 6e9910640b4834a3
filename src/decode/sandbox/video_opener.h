// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "decode/sandbox/sandboxed_video.h"
#include "glint/video_opener.h"

namespace glint {

/// As MakeVideoOpener, with a child that is started like this; `options.decoder` is left out.
VideoOpener OpenerWith(const VideoOpenerOptions& options, SandboxOptions sandbox);

}  // namespace glint
