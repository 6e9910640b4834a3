// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "analyse/stage_names.h"
#include "glint/scan.h"

namespace glint {

/// Whether a scan may be called this: [A-Za-z0-9._-]{1,128} without a leading dot.
bool IsScanId(std::string_view id);

/// Whether a scan on this machine may be called so: as IsScanId, and letters of other scripts are
/// fine, too: 128 bytes of UTF-8 at most.
bool IsLocalScanId(std::string_view id);

/// Whether pictures can be turned by so much: 0, 90, 180 or 270 degrees.
bool IsRotation(int degrees);

/// Errors: INVALID_OPTION naming the field, its value and what it may be.
absl::Status CheckRequest(const ScanRequest& request);

}  // namespace glint
