// SPDX-License-Identifier: Apache-2.0
#include "decode/child/packet_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

absl::Status CheckLimits(const PacketScan& scan, const InputFile& input,
                         const VideoLimits& limits) {
  if (scan.frames > limits.max_frames) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("{} has more than the {} frames allowed; shorten the video",
                             input.name, limits.max_frames));
  }
  if (scan.duration_s > limits.max_duration_s) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("{} lasts {:.1f} s, more than the {:.1f} s allowed; shorten the video",
                             input.name, scan.duration_s, limits.max_duration_s));
  }
  return absl::OkStatus();
}

// First and last moment of presentation, in units of the stream's time base.
struct Span {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_length = 0;

  void Add(const AVPacket& packet) {
    const std::int64_t at = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
    if (at == AV_NOPTS_VALUE) return;
    first = std::min(first, at);
    if (at < last) return;
    last = at;
    last_length = std::max<std::int64_t>(packet.duration, 0);
  }
  // As doubles: a damaged file's timestamps may be as far apart as 64 bits allow.
  double seconds(double seconds_per_tick) const {
    return first > last
               ? 0
               : (static_cast<double>(last) - static_cast<double>(first)) * seconds_per_tick;
  }
};

}  // namespace

absl::StatusOr<PacketScan> ScanPackets(Demuxer& demuxer, const InputFile& input,
                                       const VideoLimits& limits) {
  PacketScan scan;
  Span span;
  const double tick_s = av_q2d(demuxer.stream().time_base);
  const PacketPtr packet = NewPacket();
  for (bool end = false; !end;) {
    switch (demuxer.Read(*packet)) {
      case Demuxer::Result::kPacket:
        if ((packet->flags & AV_PKT_FLAG_CORRUPT) != 0) ++scan.damaged;
        if ((packet->flags & AV_PKT_FLAG_DISCARD) != 0) break;
        ++scan.frames;
        span.Add(*packet);
        break;
      case Demuxer::Result::kDamaged:
        ++scan.damaged;
        break;
      case Demuxer::Result::kEnd:
        end = true;
        break;
    }
    if (scan.frames > limits.max_frames) break;
  }
  const double between_s = span.seconds(tick_s);
  if (between_s > 0) scan.frames_per_s = static_cast<double>(scan.frames - 1) / between_s;
  double last_s = static_cast<double>(span.last_length) * tick_s;
  if (last_s <= 0 && scan.frames_per_s > 0) last_s = 1 / scan.frames_per_s;
  scan.duration_s = between_s + last_s;
  GLINT_RETURN_IF_ERROR(CheckLimits(scan, input, limits));
  return scan;
}

}  // namespace glint
