// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "decode/sandbox/sandboxed_video.h"
#include "glint/video_opener.h"
#include "serve/serve_config.h"

namespace glint {

/// A worker's decoder: started once before the worker serves, and looked at again when a video met
/// none, as after an upgrade that overwrote its file.
class WorkerDecoder {
 public:
  /// Finds it, starts it as scans will, and logs what it is. A worker that cannot decode must not
  /// take scans.
  /// @param scan_bytes  what a scan may take; no decoder gets more of its own, nor of memory that
  /// it shares with the worker. 0: nobody knows Errors: those of HelperProgram::Find and
  /// ProbeDecoder
  static absl::StatusOr<std::unique_ptr<WorkerDecoder>> Start(const ServeConfig& config,
                                                              std::int64_t scan_bytes);

  /// Opens videos as the settings say. Where no decoder can be started it fails with
  /// DECODER_UNAVAILABLE: that is not the video's fault. Must not outlive this.
  VideoOpener opener();

  /// Why the last video met no decoder; OK when it did.
  absl::Status trouble() const ABSL_LOCKS_EXCLUDED(mutex_);

  /// As trouble(), but after some seconds starts the decoder to see whether that is over.
  absl::Status LookAgain(const CancelToken& cancel) ABSL_LOCKS_EXCLUDED(mutex_);

  /// What it was when it was started.
  const DecoderStatus& status() const { return status_; }
  /// The same in a line: "decoder /usr/bin/glint-decode, build 0.1.0 3f2a…, FFmpeg 5.1, confined".
  std::string Describe() const;

 private:
  using Clock = std::chrono::steady_clock;

  WorkerDecoder(const ServeConfig& config, SandboxOptions how);
  absl::StatusOr<DecoderStatus> Probe(const CancelToken& cancel) const;
  void Remember(absl::Status trouble) ABSL_LOCKS_EXCLUDED(mutex_);

  const ServeConfig& config_;
  const SandboxOptions how_;
  const VideoOpener open_;
  DecoderStatus status_;
  mutable Mutex mutex_;
  absl::Status trouble_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point looked_ ABSL_GUARDED_BY(mutex_);  // when it was last tried
};

}  // namespace glint
