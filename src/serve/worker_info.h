// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "decode/sandbox/sandboxed_video.h"
#include "glint/backend.h"
#include "glint/v1/worker_service.pb.h"
#include "serve/serve_config.h"

namespace glint {

/// What the worker says of itself: version, device and why, what was probed, decoder, limits.
v1::WorkerInfo DescribeWorker(const ServeConfig& config, std::span<const BackendChoice> devices,
                              int scans_at_once, const DecoderStatus& decoder);

}  // namespace glint
