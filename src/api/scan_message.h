// SPDX-License-Identifier: Apache-2.0
// Jobs as the API shows them.
#pragma once

#include <optional>

#include "glint/v1/scan.pb.h"
#include "jobs/job_store.h"

namespace glint {

google::protobuf::Timestamp ToTimestamp(JobTime time);

/// A failure as a part of a scan, or of a batch.
v1::ScanError ToErrorMessage(const JobFailure& failure);

/// The scan as it stands.
/// @param result  of a scan that succeeded (see DecodeResult); without, it is left out
v1::Scan ToScanMessage(const Job& job, const v1::ScanResult* result = nullptr);

/// The scan as it stands, as the first message of a stream.
v1::ScanEvent ToSnapshot(const Job& job, JobTime now, const v1::ScanResult* result = nullptr);

/// The scan after one of its events.
/// @param job  as it stands now, at or after the event
v1::ScanEvent ToEventMessage(const Job& job, const JobEvent& event,
                             const v1::ScanResult* result = nullptr);

/// The state that a request may filter by; nothing for UNSPECIFIED.
std::optional<JobState> ToJobState(v1::ScanState state);

}  // namespace glint
