// SPDX-License-Identifier: Apache-2.0
// Batches as the API shows them.
#pragma once

#include <optional>
#include <string_view>

#include "glint/v1/batch_service.pb.h"
#include "jobs/job_store.h"

namespace glint {

/// Errors: INVALID_OPTION naming the field
absl::Status CheckBatchName(std::string_view field, std::string_view batch);

/// Scans that end by themselves, a minute; 0 when that is not known.
double ScansPerMinute(const BatchState& batch);
/// How long what is left will take; nothing when nothing is, or that is not known.
std::optional<std::chrono::milliseconds> TimeLeft(const BatchState& batch);

v1::Batch ToBatchMessage(const BatchName& name, const BatchState& batch);

}  // namespace glint
