// SPDX-License-Identifier: Apache-2.0
// Telling a device that is not there from one that does not work.
#pragma once

#include <absl/status/status.h>
#include <absl/strings/cord.h>

namespace glint {

inline constexpr char kAbsentDeviceUrl[] = "glint/absent-device";

/// Marks a failure as one of a machine without such a device: nobody who did not ask for it needs
/// to hear of it.
inline absl::Status Absent(absl::Status failure) {
  failure.SetPayload(kAbsentDeviceUrl, absl::Cord());
  return failure;
}

inline bool IsAbsent(const absl::Status& failure) {
  return failure.GetPayload(kAbsentDeviceUrl).has_value();
}

}  // namespace glint
