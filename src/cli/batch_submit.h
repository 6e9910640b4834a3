// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "client/client.h"
#include "glint/v1/batch_service.pb.h"

namespace glint {

/// What became of the scans of a batch.
struct BatchSubmitted {
  std::int64_t created = 0, existed = 0;
  std::vector<v1::BatchRefusal> refused;
};

/// How a submission goes on when it cannot at once.
struct BatchSubmitOptions {
  std::chrono::milliseconds give_up_after{60'000};  ///< without any answer
  std::chrono::milliseconds queue_pause{2'000};     ///< between looks at a full queue
};

/// Hears how far it is, and why it waits (empty while it does not).
using OnBatchProgress = std::function<void(std::size_t submitted, const std::string& waits)>;

/// Submits scans of one batch, piece by piece. What a worker that is away or a full queue did not
/// take is sent again until it is there. Those that were sent before count as existed, or, when the
/// answer was lost, as such once more.
/// Errors: CANCELLED when `stop` was requested; those of the calls that do not pass
absl::StatusOr<BatchSubmitted> SubmitInPieces(Client& client,
                                              std::vector<v1::SubmitScanRequest> scans,
                                              const BatchSubmitOptions& options,
                                              const OnBatchProgress& on_progress,
                                              const std::stop_token& stop);

}  // namespace glint
