// SPDX-License-Identifier: Apache-2.0
// Labelled scans drawn by code: a printed object on a desk, damaged, lit by a moving light and
// filmed by hand. The labels have the format that eval/ and the project's reference scripts read.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "glint/cancel.h"
#include "glint/plane.h"

namespace glint {

class ThreadPool;

/// What is filmed.
enum class SynthKind {
  kPage,   ///< a comic page: panels, balloons, white gutters; rather matt paper
  kCover,  ///< a comic book's cover: full-bleed art and a title; glossy paper
  kCard,   ///< a collector's card: frame, picture, text box, round corners; very glossy
};

/// "page", "cover" or "card".
std::string_view Name(SynthKind kind);
/// The kind of that name, or nothing.
std::optional<SynthKind> SynthKindOf(std::string_view name);

/// How the object is lit.
enum class SynthLight {
  kSwing,    ///< a lamp that is moved over the object
  kTwo,      ///< two lamps that are moved, each on its own path
  kDiffuse,  ///< a lamp that is moved, most of whose light the room scatters
  kStill,    ///< a lamp that stays where it is, while the object is tilted
};

/// "swing", "two", "diffuse" or "still".
std::string_view Name(SynthLight light);
/// The light of that name, or nothing.
std::optional<SynthLight> SynthLightOf(std::string_view name);

/// What to draw. The same options give the same labels, masks and frames on every machine; the
/// video's bytes also depend on the version of the encoder's library.
struct SynthOptions {
  std::uint32_t seed = 1;
  std::optional<std::uint32_t>
      film_seed;  ///< of camera, lamp and noise: the same object filmed again; nothing: `seed`
  SynthKind kind = SynthKind::kPage;
  bool clean = false;  ///< the same artwork, camera and light without any damage
  std::string name;    ///< of the files, [A-Za-z0-9._-]{1,100} without leading dot; empty:
                       ///< "page_1", "page_1_clean"
  SynthLight light = SynthLight::kSwing;
  bool fingers = false;  ///< one reaches into the picture from the side now and then
  double bend = 0;       ///< how far the object's middle bulges, share of its longer side, 0..0.05
  Size video_size{1280, 720};  ///< as stored; even sides, 64..4096
  int rotation = 0;            ///< degrees clockwise that display adds: 0, 90, 180 or 270
  int frames = 180;            ///< 1..36000
  int frames_per_s = 30;       ///< 1..240
  double quality = 20;         ///< constant rate factor of H.264, 0 (lossless) .. 51
  double megabits = 0;         ///< Mbit/s that the video aims at instead, 0.1..200; 0: by quality
};

/// The seed of what films the object.
inline std::uint32_t FilmSeed(const SynthOptions& options) {
  return options.film_seed.value_or(options.seed);
}

/// Errors: INVALID_OPTION, naming the option and its range.
absl::Status Validate(const SynthOptions& options);

/// What was written.
struct SynthResult {
  std::string name;
  std::filesystem::path video;               ///< <name>.mp4
  std::filesystem::path labels;              ///< <name>.labels.json
  std::vector<std::filesystem::path> masks;  ///< <name>.mask_flat.png, <name>.mask_fNNNN.png
  Size display_size;                         ///< of the video, rotation applied
  Size flat_size;                            ///< of the object's coordinates
  int defects = 0;
  std::string encoder;  ///< e.g. "libx264"
};

/// Told after every frame how many of how many are done; called from the calling thread.
using SynthProgress = std::function<void(int done, int frames)>;

/// Draws a scan and writes its files into `folder`, which is made when it is missing. Files of the
/// same names are replaced. Either all files are there afterwards, or none that was not before; the
/// labels appear last.
/// Errors: INVALID_OPTION; OUTPUT_UNWRITABLE; DISK_FULL; UNSUPPORTED_VIDEO this FFmpeg has none of
/// the encoders that video_writer.h names; OUT_OF_MEMORY; CANCELLED; DEADLINE_EXCEEDED
absl::StatusOr<SynthResult> RenderScan(const SynthOptions& options,
                                       const std::filesystem::path& folder, ThreadPool& pool,
                                       const SynthProgress& progress, const CancelToken& cancel);

}  // namespace glint
