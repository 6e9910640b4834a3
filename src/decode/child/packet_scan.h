// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>

#include "decode/child/demuxer.h"

namespace glint {

/// What a video's packets say without decoding them.
struct PacketScan {
  std::int64_t frames = 0;  ///< packets that will be shown: those an edit list cuts are not counted
  double duration_s = 0;    ///< from the first frame's presentation to the end of the last
  double frames_per_s = 0;  ///< mean; 0 when there are no timestamps
  std::int64_t damaged = 0;  ///< packets that could not be read whole
};

/// Reads every packet of the stream once. Costs reading the file, not decoding it.
/// Errors: LIMIT_EXCEEDED (frames, duration).
absl::StatusOr<PacketScan> ScanPackets(Demuxer& demuxer, const InputFile& input,
                                       const VideoLimits& limits);

}  // namespace glint
