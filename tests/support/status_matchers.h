// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "glint/error.h"

namespace glint {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <class T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

/// Matches an OK status or result.
MATCHER(IsOk, "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

/// Matches a failure with this reason and a message that matches, e.g.
/// FailsWith(Reason::kNotAVideo, HasSubstr("text")).
MATCHER_P2(FailsWith, reason, message, "fails with " + std::string(Info(reason).name)) {
  const absl::Status& status = StatusOf(arg);
  *result_listener << status.ToString();
  std::string name = ReasonName(status);
  if (name.empty() && !status.ok()) name = Info(*ReasonOf(status)).name;  // a foreign status
  return name == Info(reason).name &&
         testing::ExplainMatchResult(message, std::string(Message(status)), result_listener);
}

}  // namespace glint
