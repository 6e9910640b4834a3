// SPDX-License-Identifier: Apache-2.0
// What the worker and its decoder child say to each other, one datagram each. Whoever parses treats
// the bytes as hostile: a message is either wholly as described here, or nothing.
//
// First of all the child says which build it is, as text: builds may differ in all that follows.
//
//   worker                            child
//                             ◀─────  Greeting()
//   Start ─────────────────────────▶  confines itself
//                             ◀─────  Ready
//   More(n) ───────────────────────▶  opens the video
//                             ◀─────  NeedSlot   any number of times, each answered in order by
//   SlotGiven (+ memory) or
//   SlotRefused ───────────────────▶
//                             ◀─────  Opened or Failed
//                             ◀─────  Frame      at most one for each More
//   More(1, released slots) ───────▶
//                             ◀─────  Starved    no slot for the next frame: release some
//   More(0, released slots) ───────▶
//                             ◀─────  Ended or Failed, and nothing after it
//
// The child says Alive now and then while it works on something long.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "decode/orientation.h"
#include "decode/planar_picture.h"
#include "glint/plane.h"
#include "glint/video.h"

namespace glint::sandbox {

inline constexpr std::size_t kMaxMessageBytes = std::size_t{64} * 1024;
inline constexpr std::size_t kMaxTextBytes =
    std::size_t{6} * 1024;  ///< a path of 4096 bytes and words around it
inline constexpr std::size_t kMaxWarnings = 8;
inline constexpr int kMaxSlots = 512;
inline constexpr int kPlanes = 4;
/// The codecs that glint decodes, by FFmpeg's names.
inline constexpr std::array<std::string_view, 7> kCodecs = {"h264", "hevc",  "vp8",  "vp9",
                                                            "av1",  "mjpeg", "mpeg4"};

// From the worker.

/// What to do and what it may cost. Comes first, once.
struct Start {
  std::string name;  ///< of the file, quoted, for messages
  VideoLimits limits;
  int threads = 1;
  std::optional<int> rotation;    ///< VideoOptions::rotation
  std::int64_t memory_bytes = 0;  ///< private memory of the child
  std::int64_t cpu_s = 0;         ///< seconds of processor time
  DecodeMode decode = DecodeMode::kAuto;
  bool confined = true;  ///< false: the child keeps its rights
};
/// Memory for one picture; its descriptor comes with the message.
struct SlotGiven {
  int slot = 0;
  std::int64_t bytes = 0;
};
struct SlotRefused {};
/// The child may send `frames` more frames, and has these slots back.
struct More {
  int frames = 0;
  std::vector<int> released;
};
using WorkerMessage = std::variant<Start, SlotGiven, SlotRefused, More>;

// From the child.

/// The child has given up its rights, unless it was told not to.
struct Ready {
  std::string missing;                           ///< protections that this system refused, or ""
  std::string ffmpeg;                            ///< its version
  std::array<bool, kCodecs.size()> decodable{};  ///< which codecs it has a decoder for
  bool accelerated = false;                      ///< whether a GPU shall decode
  std::string decoder_why;                       ///< why it shall, or shall not
};
struct Alive {};
struct NeedSlot {
  std::int64_t bytes = 0;
};
struct Starved {};
/// What stands in the video's header and first frame.
struct Opened {
  std::string container, codec, pixel_format;
  Size coded_size;
  Orientation orientation;
  std::int64_t frames = 0;
  double duration_s = 0;
  double frames_per_s = 0;
  int bit_depth = 8;
  bool full_range = false;
  bool truncated = false;
  std::string decoder = "cpu";  ///< as in VideoInfo
  std::string decoder_why;
  std::vector<std::string> warnings;
};
/// A picture in a slot, as the decoder laid it out.
struct Frame {
  int slot = 0;
  PixelLayout layout;
  ColorMatrix matrix = ColorMatrix::kUnspecified;
  ChromaSite chroma_site = ChromaSite::kLeft;
  bool full_range = false;
  std::int64_t timestamp_us = 0;
  std::int64_t damaged = 0;                    ///< DecodeSummary::damaged by then
  std::array<std::int64_t, kPlanes> offset{};  ///< bytes from the slot's start to the first row
  std::array<std::int64_t, kPlanes> stride{};  ///< bytes from one row to the next, any sign
};
/// The whole summary, but its count of frames.
struct Ended {
  std::int64_t damaged = 0;
  std::vector<std::string> warnings;
};
struct Failed {
  std::string reason;  ///< name of a glint::Reason
  std::string message;
};
using ChildMessage = std::variant<Ready, Alive, NeedSlot, Starved, Opened, Frame, Ended, Failed>;

/// What a child of this build says first: "glint-decode 0.1.0 3f2a9c01d4e5b6a7".
inline constexpr std::string_view kGreeting = "glint-decode ";
std::string Greeting();

std::vector<std::uint8_t> Serialise(const WorkerMessage& message);
std::vector<std::uint8_t> Serialise(const ChildMessage& message);

/// The message that the bytes are, or nothing when they are none: unknown, too short, too long, a
/// number out of its range, a text that is too long, a value that is not finite.
std::optional<WorkerMessage> ParseWorkerMessage(std::span<const std::uint8_t> bytes);
std::optional<ChildMessage> ParseChildMessage(std::span<const std::uint8_t> bytes);

}  // namespace glint::sandbox
