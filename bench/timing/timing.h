// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <functional>

#include "glint/cancel.h"

namespace glint {

/// The median seconds of a run, over as many as fit into `seconds`, at least three, after one that
/// counts for nothing. Errors: those of the work and of the token
absl::StatusOr<double> TimeRuns(const std::function<absl::Status()>& work, double seconds,
                                const CancelToken& cancel);

}  // namespace glint
