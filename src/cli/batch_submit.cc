// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_submit.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "jobs/failure_reason.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kPiece = 500;  // scans of one call: each answer says how far it is

/// Whether there may be room for it later: the queue is full, or the owner's part of it.
bool WantsRoom(const v1::BatchRefusal& refusal) {
  return refusal.error().reason() == Info(ServiceReason::kQueueFull).name ||
         refusal.error().reason() == Info(ServiceReason::kQuotaExceeded).name;
}

/// The call, again while the worker is away.
absl::StatusOr<v1::SubmitBatchResponse> SubmitPiece(Client& client,
                                                    std::span<const v1::SubmitScanRequest> scans,
                                                    const BatchSubmitOptions& options,
                                                    const std::function<void(std::string)>& waits,
                                                    const std::stop_token& stop) {
  constexpr auto kMinBackoff = 200ms;
  constexpr auto kMaxBackoff = 5'000ms;
  std::chrono::milliseconds backoff = kMinBackoff;
  const auto start = Steady::now();
  while (true) {
    auto response = client.SubmitBatch(scans);
    if (response.ok() || !MayPassLater(response.status()) ||
        Steady::now() - start > options.give_up_after) {
      return response;
    }
    waits(std::string(Message(response.status())));
    if (!RealClock().Sleep(backoff, stop)) return Error(Reason::kCancelled, "stopped submitting");
    backoff = std::min<std::chrono::milliseconds>(backoff * 2, kMaxBackoff);
  }
}

/// Those of a piece for which there was no room, in their order.
std::vector<v1::SubmitScanRequest> LeftOf(std::span<const v1::SubmitScanRequest> piece,
                                          const v1::SubmitBatchResponse& response) {
  std::map<std::string_view, bool> full;
  for (const v1::BatchRefusal& refusal : response.refused()) {
    if (WantsRoom(refusal)) full[refusal.scan_id()] = true;
  }
  std::vector<v1::SubmitScanRequest> left;
  for (const v1::SubmitScanRequest& scan : piece) {
    if (full.contains(scan.scan_id())) left.push_back(scan);
  }
  return left;
}

}  // namespace

absl::StatusOr<BatchSubmitted> SubmitInPieces(Client& client,
                                              std::vector<v1::SubmitScanRequest> scans,
                                              const BatchSubmitOptions& options,
                                              const OnBatchProgress& on_progress,
                                              const std::stop_token& stop) {
  BatchSubmitted submitted;
  std::size_t done = 0;
  for (std::size_t next = 0; next < scans.size(); next += kPiece) {
    const auto piece = std::span(scans).subspan(next, std::min(kPiece, scans.size() - next));
    std::vector<v1::SubmitScanRequest> left(piece.begin(), piece.end());
    while (!left.empty()) {
      if (stop.stop_requested()) return Error(Reason::kCancelled, "stopped submitting");
      GLINT_ASSIGN_OR_RETURN(
          const auto response,
          SubmitPiece(
              client, left, options, [&](std::string why) { on_progress(done, why); }, stop));
      submitted.created += response.created();
      submitted.existed += response.existed();
      std::string waits;
      for (const v1::BatchRefusal& refusal : response.refused()) {
        if (WantsRoom(refusal)) {
          waits = refusal.error().message();
        } else {
          submitted.refused.push_back(refusal);
        }
      }
      auto refused = LeftOf(left, response);
      done += left.size() - refused.size();
      left = std::move(refused);
      on_progress(done, waits);
      if (!left.empty() && !RealClock().Sleep(options.queue_pause, stop)) {
        return Error(Reason::kCancelled, "stopped submitting");
      }
    }
  }
  return submitted;
}

}  // namespace glint
