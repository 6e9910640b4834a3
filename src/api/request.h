// SPDX-License-Identifier: Apache-2.0
// What a caller asks for, checked and in the form that the job store keeps.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "glint/scan.h"
#include "glint/v1/scan_service.pb.h"
#include "jobs/job_store.h"

namespace glint {

/// What stands in for options that a caller leaves out.
struct RequestDefaults {
  std::string profile = ScanRequest().profile;
};

/// Checks a submission and brings it into canonical form: defaults filled in, so that equal bytes
/// in `NewJob::request` mean the same request. Errors: INVALID_OPTION that lists every wrong field
/// (see BadRequest in api/failure.h)
absl::StatusOr<NewJob> ToNewJob(const v1::SubmitScanRequest& request,
                                const RequestDefaults& defaults);

/// The scan that a job's canonical request means: input, item type, profile and options are filled
/// in; the limits and the place of the result are the worker's.
/// Errors: INTERNAL for bytes that ToNewJob did not make
absl::StatusOr<ScanRequest> ToScanRequest(const Job& job);

/// Whether a tier, or an owner, may be called so: as a scan, with 64 characters at most.
bool IsTierName(std::string_view name);

/// Errors: INVALID_OPTION naming the field `scan_id`
absl::Status CheckScanId(std::string_view scan_id);

}  // namespace glint
