// SPDX-License-Identifier: Apache-2.0
// How a scan worker knows that a stored result is the one that its job asks for. Each result
// carries "receipt.json": the scan's id, the SHA-256 of the request's canonical bytes, and the
// bytes that go to JobStore::Complete. A worker that dies between storing a result and saying so
// leaves a marker; the next one finds it and completes the job with the same bytes.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <string_view>

#include "glint/object_store.h"
#include "jobs/job_store.h"

namespace glint {

inline constexpr std::string_view kCompletionMarkerName = "receipt.json";

/// The marker's content.
std::string MakeCompletionMarker(const Job& job, std::string_view result);

/// The result bytes of a complete set that holds this job's marker; nothing when the set is not
/// there, has no marker, or belongs to another scan (it is then replaced by the new one).
/// Errors: SCAN_CONFLICT it is another request's under the same id, which the queue has forgotten;
/// those of the store
absl::StatusOr<std::optional<std::string>> FindCompletedResult(ObjectStore& store,
                                                               std::string_view prefix,
                                                               const Job& job,
                                                               const CancelToken& cancel);

}  // namespace glint
