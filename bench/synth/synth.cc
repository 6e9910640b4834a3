// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/synth.h"

#include <fmt/format.h>

#include <new>
#include <opencv2/core.hpp>
#include <span>
#include <system_error>

#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "bench/synth/film.h"
#include "bench/synth/labels.h"
#include "bench/synth/scene.h"
#include "bench/synth/video_writer.h"
#include "glint/error.h"
#include "image/png.h"
#include "store/durable_file.h"
#include "store/staging_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

std::string NameOf(const SynthOptions& options) {
  if (!options.name.empty()) return options.name;
  const std::string again = options.film_seed ? fmt::format("_film{}", *options.film_seed) : "";
  return fmt::format("{}_{}{}{}", Name(options.kind), options.seed, again,
                     options.clean ? "_clean" : "");
}

absl::Status WriteMask(const fs::path& path, const Plane& ids) {
  GLINT_ASSIGN_OR_RETURN(std::vector<std::byte> png, EncodePng(ids));
  return WriteDurably(path, png);
}

/// Films the scene into a file. @return the encoder's name
absl::StatusOr<std::string> WriteVideo(const SynthOptions& options, const Scene& scene,
                                       const fs::path& path, ThreadPool& pool,
                                       const SynthProgress& progress, const CancelToken& cancel) {
  GLINT_ASSIGN_OR_RETURN(auto writer, VideoWriter::Open(path, {.size = options.video_size,
                                                               .rotation = options.rotation,
                                                               .frames_per_s = options.frames_per_s,
                                                               .quality = options.quality,
                                                               .megabits = options.megabits}));
  Film film(scene, options.rotation, FilmSeed(options), pool);
  for (int frame = 0; frame < options.frames; ++frame) {
    GLINT_RETURN_IF_ERROR(cancel.Check());
    GLINT_RETURN_IF_ERROR(writer->Write(film.Expose(static_cast<std::size_t>(frame))));
    if (progress) progress(frame + 1, options.frames);
  }
  GLINT_RETURN_IF_ERROR(writer->Finish());
  return writer->encoder();
}

/// Moves finished files to their places, in order; on failure none of them stays there.
absl::Status Publish(const fs::path& from, const fs::path& to,
                     const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::error_code error;
    fs::rename(from / names[i], to / names[i], error);
    if (!error) continue;
    std::error_code ignored;
    for (std::size_t k = 0; k < i; ++k) fs::remove(to / names[k], ignored);
    return OutputError("cannot write", to / names[i], error.value());
  }
  return SyncFolder(to);
}

absl::StatusOr<SynthResult> Render(const SynthOptions& options, const fs::path& folder,
                                   ThreadPool& pool, const SynthProgress& progress,
                                   const CancelToken& cancel) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return OutputError("cannot make the folder", folder, error.value());
  GLINT_ASSIGN_OR_RETURN(StagingFolder staging, StagingFolder::Make(folder));

  const std::string name = NameOf(options);
  const Scene scene = BuildScene(options);
  const std::vector<FrameMask> masks = MaskFrames(scene);
  std::vector<std::string> files = {name + ".mp4", name + ".mask_flat.png"};
  GLINT_ASSIGN_OR_RETURN(std::string encoder, WriteVideo(options, scene, staging.path() / files[0],
                                                         pool, progress, cancel));
  GLINT_RETURN_IF_ERROR(WriteMask(staging.path() / files[1], scene.damage.ids));
  for (const FrameMask& mask : masks) {
    files.push_back(MaskFileName(name, mask));
    GLINT_RETURN_IF_ERROR(WriteMask(staging.path() / files.back(), mask.ids));
  }
  files.push_back(name + ".labels.json");
  const std::string labels = LabelsJson(options, name, scene, masks);
  GLINT_RETURN_IF_ERROR(
      WriteDurably(staging.path() / files.back(), std::as_bytes(std::span(labels))));
  GLINT_RETURN_IF_ERROR(Publish(staging.path(), folder, files));

  SynthResult result{.name = name,
                     .video = folder / files.front(),
                     .labels = folder / files.back(),
                     .masks = {},
                     .display_size = scene.display_size,
                     .flat_size = scene.camera.flat_size,
                     .defects = static_cast<int>(scene.damage.defects.size()),
                     .encoder = std::move(encoder)};
  for (std::size_t i = 1; i + 1 < files.size(); ++i) result.masks.push_back(folder / files[i]);
  return result;
}

}  // namespace

absl::StatusOr<SynthResult> RenderScan(const SynthOptions& options, const fs::path& folder,
                                       ThreadPool& pool, const SynthProgress& progress,
                                       const CancelToken& cancel) {
  GLINT_RETURN_IF_ERROR(Validate(options));
  try {
    return Render(options, folder, pool, progress, cancel);
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, "no memory to draw the scan; choose a smaller video size");
  } catch (const cv::Exception& e) {
    return Error(Reason::kInternal, fmt::format("cannot draw the scan: {}", e.what()));
  }
}

}  // namespace glint
