// SPDX-License-Identifier: Apache-2.0
#include "decode/in_process.h"

#include <utility>

#include "base/status_macros.h"
#include "decode/child/libav_picture.h"
#include "decode/child/nvdec.h"
#include "decode/child/raw_video.h"
#include "decode/luma.h"
#include "decode/rgb.h"

namespace glint {
namespace {

class Picture final : public RawPicture {
 public:
  Picture(PlanarPicture picture, Orientation orientation)
      : picture_(std::move(picture)), orientation_(orientation) {}
  Plane ToRgb() const override { return PictureToRgb(picture_, orientation_); }
  Plane ToLuma() const override { return PictureToLuma(picture_, orientation_); }

 private:
  PlanarPicture picture_;
  Orientation orientation_;
};

class Source final : public VideoSource {
 public:
  explicit Source(std::unique_ptr<RawVideo> raw) : raw_(std::move(raw)) {}

  const VideoInfo& info() const override { return raw_->info(); }
  const DecodeSummary& summary() const override { return raw_->summary(); }

  absl::StatusOr<std::optional<VideoFrame>> Next() override {
    GLINT_ASSIGN_OR_RETURN(const auto raw, raw_->Next());
    if (!raw) return std::nullopt;
    const auto picture =
        std::make_shared<Picture>(PictureOf(raw->picture, raw->full_range), raw_->orientation());
    return VideoFrame{raw_->summary().frames - 1, raw->timestamp_us, picture->ToLuma(), picture};
  }

 private:
  std::unique_ptr<RawVideo> raw_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<VideoSource>> OpenVideoInProcess(const std::filesystem::path& file,
                                                                const VideoOptions& options) {
  GLINT_ASSIGN_OR_RETURN(OpenFile opened, OpenRegularFile(file, options.limits));
  GLINT_ASSIGN_OR_RETURN(InputFile input, InspectFile(QuotedName(file), std::move(opened)));
  GLINT_ASSIGN_OR_RETURN(
      auto raw, RawVideo::Open(std::move(input), options, nullptr, ChooseDecoder(options.decode)));
  return std::make_unique<Source>(std::move(raw));
}

}  // namespace glint
