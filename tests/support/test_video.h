// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "glint/plane.h"

namespace glint {

/// What a test wants its video to be.
struct TestVideoOptions {
  Size size = {64, 48};
  int frames = 10;
  std::string codec = "libx264";         ///< an encoder of libavcodec
  std::string pixel_format = "yuv420p";  ///< as libav names it
  bool full_range = false;
  std::string color_space;   ///< "bt709", "smpte170m", ...; empty: not declared
  int frames_per_s = 30;     ///< ticks of 1 / frames_per_s when `timestamps` are given
  bool lossless = true;      ///< libx264, libx265, libvpx-vp9 only
  int key_frame_every = 12;  ///< frames
  int b_frames = 0;
  std::optional<std::array<std::int32_t, 9>> display_matrix;  ///< ISO, row major, 16.16
  std::vector<std::int64_t> timestamps;  ///< in ticks, one per frame; empty: 0, 1, 2, ...
  std::string muxer_flags;               ///< movflags of MP4 and MOV, e.g. "faststart"
  bool audio_only = false;               ///< a file with a silent sound track and nothing else
  /// From this frame on the frames have `other_size`; only for codecs of key frames (mjpeg).
  std::optional<int> other_size_from;
  Size other_size;
};

/// The display matrix that turns a picture clockwise by some degrees.
std::array<std::int32_t, 9> RotationMatrix(double degrees_clockwise);

/// A frame that a test fills in before it is encoded.
class TestFrame {
 public:
  struct Component {
    std::uint8_t* data;
    std::ptrdiff_t stride;  ///< bytes
    Size size;
    int step;    ///< bytes from one sample to the next
    int offset;  ///< bytes
    int shift;   ///< unused low bits
    int depth;
  };
  explicit TestFrame(std::vector<Component> components) : components_(std::move(components)) {}

  /// Number of components: 3 for Y, U, V and for R, G, B, 1 for gray.
  int components() const { return static_cast<int>(components_.size()); }
  Size size(int component) const { return components_[component].size; }
  int depth() const { return components_[0].depth; }
  /// Sets one sample. @param value  0 .. 2^depth - 1
  void Set(int component, int x, int y, int value);
  int Get(int component, int x, int y) const;

 private:
  std::vector<Component> components_;
};

using FillTestFrame = std::function<void(int index, TestFrame& frame)>;

/// Encodes a video; the container is chosen by the file's extension. Throws std::runtime_error when
/// libav cannot do it, which fails the test that asked.
void WriteTestVideo(const std::filesystem::path& file, const TestVideoOptions& options,
                    const FillTestFrame& fill);

/// Fills frames with a pattern that differs in every frame, component and direction and uses all
/// values that the range allows.
void FillPattern(int index, TestFrame& frame);

/// Whether this libavcodec can encode with that codec.
bool HasEncoder(const std::string& codec);

}  // namespace glint
