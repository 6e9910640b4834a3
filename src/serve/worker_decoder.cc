// SPDX-License-Identifier: Apache-2.0
#include "serve/worker_decoder.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "decode/build_id.h"
#include "decode/sandbox/video_opener.h"
#include "jobs/failure_reason.h"

namespace glint {
namespace {

constexpr std::chrono::seconds kBetweenLooks{5};
/// Below it not even small videos can be decoded: each of the decoder's threads has a stack.
constexpr std::int64_t kLeastDecoderBytes = std::int64_t{256} << 20;

}  // namespace

WorkerDecoder::WorkerDecoder(const ServeConfig& config, SandboxOptions how)
    : config_(config),
      how_(std::move(how)),
      open_(OpenerWith({.sandbox = how_.confined ? SandboxMode::kOn : SandboxMode::kOff,
                        .decode = config.decode_mode,
                        .warn = [](auto text) { spdlog::warn("{}", text); }},
                       how_)) {}

absl::StatusOr<std::unique_ptr<WorkerDecoder>> WorkerDecoder::Start(const ServeConfig& config,
                                                                    std::int64_t scan_bytes) {
  GLINT_ASSIGN_OR_RETURN(auto program, HelperProgram::Find(config.decoder));
  const bool confined = config.sandbox != SandboxMode::kOff;
  SandboxOptions how{.program = std::move(program), .confined = confined, .whole = confined};
  if (scan_bytes > 0) {
    const std::int64_t most = std::max(scan_bytes, kLeastDecoderBytes);
    how.memory_bytes = std::min(how.memory_bytes, most);
    how.frame_bytes = std::min(how.frame_bytes, most);
  }
  std::unique_ptr<WorkerDecoder> decoder(new WorkerDecoder(config, std::move(how)));
  GLINT_ASSIGN_OR_RETURN(decoder->status_, decoder->Probe({}));
  spdlog::info("{}", decoder->Describe());
  return decoder;
}

absl::StatusOr<DecoderStatus> WorkerDecoder::Probe(const CancelToken& cancel) const {
  auto found = ProbeDecoder(how_, DecodeMode::kAuto, cancel);
  if (found.ok()) {
    if (absl::Status decodes = TryToDecode(how_, cancel); !decodes.ok()) found = decodes;
  }
  if (found.ok() && !how_.confined) found->missing = "--decode-sandbox=off";
  if (found.ok() || !how_.confined) return found;
  SandboxOptions open = how_;
  open.confined = open.whole = false;
  if (!ProbeDecoder(open, DecodeMode::kAuto, cancel).ok()) return found;
  // It is the sandbox that does not work here. Strangers' videos are not decoded without.
  return Error(Reason::kDeviceUnavailable,
               fmt::format("the decode sandbox does not work here: {}; glint doctor says more, and "
                           "--decode-sandbox=off decodes without it, for videos that you trust",
                           Message(found.status())));
}

VideoOpener WorkerDecoder::opener() {
  return [this](const auto& file, const auto& options,
                const CancelToken& cancel) -> absl::StatusOr<std::unique_ptr<VideoSource>> {
    auto video = open_(file, options, cancel);
    if (ReasonOf(video.status()) != Reason::kDeviceUnavailable) return video;
    Remember(video.status());
    return Error(ServiceReason::kDecoderUnavailable, Message(video.status()));
  };
}

std::string WorkerDecoder::Describe() const {
  return fmt::format("decoder {}, build {}, FFmpeg {}, {}{}", status_.program.string(),
                     DecodeBuildId(), status_.ffmpeg_version,
                     status_.confined ? "confined" : "not confined",
                     status_.missing.empty() ? "" : fmt::format(" ({})", status_.missing));
}

absl::Status WorkerDecoder::trouble() const {
  const MutexLock lock(mutex_);
  return trouble_;
}

void WorkerDecoder::Remember(absl::Status trouble) {
  const MutexLock lock(mutex_);
  if (trouble_.ok() && !trouble.ok()) {
    spdlog::error("no scan is taken until the decoder is there again: {}", Message(trouble));
  } else if (!trouble_.ok() && trouble.ok()) {
    spdlog::info("the decoder is there again");
  }
  trouble_ = std::move(trouble);
  looked_ = Clock::now();
}

absl::Status WorkerDecoder::LookAgain(const CancelToken& cancel) {
  {
    const MutexLock lock(mutex_);
    if (trouble_.ok() || Clock::now() - looked_ < kBetweenLooks) return trouble_;
    looked_ = Clock::now() + std::chrono::minutes(1);  // one at a time; it may take its time
  }
  Remember(Probe(cancel).status());
  return trouble();
}

}  // namespace glint
