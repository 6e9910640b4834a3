// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <nlohmann/json.hpp>
#include <string>

#include "jobs/failure_reason.h"

namespace glint {

/// One JSON object as one line. Bytes of file names that are no UTF-8 become U+FFFD.
inline std::string JsonLine(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// A failure for machines: event, reason, exit_code, message.
inline nlohmann::ordered_json FailureJson(const absl::Status& status) {
  const ReasonInfo& info = Info(FailureReasonOf(status).value_or(Reason::kInternal));
  return {{"event", "failed"},
          {"reason", info.name},
          {"exit_code", info.exit_code},
          {"message", Message(status)}};
}

}  // namespace glint
