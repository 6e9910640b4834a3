// SPDX-License-Identifier: Apache-2.0
#include "glint/cancel.h"

#include "glint/error.h"

namespace glint {

absl::Status CancelToken::Check() const {
  if (stop_.stop_requested()) return Error(Reason::kCancelled, "cancelled");
  if (deadline_ && Clock::now() >= *deadline_) {
    return Error(Reason::kDeadlineExceeded, "the time allowed for this scan is over");
  }
  return absl::OkStatus();
}

}  // namespace glint
