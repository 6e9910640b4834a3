// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "decode/luma.h"
#include "decode/nvdec.h"
#include "decode/raw_video.h"
#include "decode/rgb.h"
#include "glint/video.h"

namespace glint {
namespace {

class LibavVideoSource final : public VideoSource {
 public:
  explicit LibavVideoSource(std::unique_ptr<RawVideo> raw)
      : raw_(std::move(raw)), luma_(raw_->orientation()) {}

  const VideoInfo& info() const override { return raw_->info(); }
  const DecodeSummary& summary() const override { return raw_->summary(); }

  absl::StatusOr<std::optional<VideoFrame>> Next() override {
    const auto next = raw_->Next();
    if (!next.ok()) return next.status();
    if (!next->has_value()) return std::nullopt;
    const RawFrame& raw = **next;
    const auto layout = LayoutOf(static_cast<AVPixelFormat>(raw.picture->format));
    VideoFrame frame;
    frame.index = raw.index;
    frame.timestamp_us = raw.timestamp_us;
    frame.luma = luma_.Make(raw.picture, *layout, raw.full_range);
    frame.picture =
        std::make_shared<LibavPicture>(raw.picture, *layout, raw.full_range, raw_->orientation());
    return frame;
  }

 private:
  std::unique_ptr<RawVideo> raw_;
  LumaMaker luma_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<VideoSource>> OpenVideo(const std::filesystem::path& file,
                                                       const VideoOptions& options,
                                                       const CancelToken& cancel) {
  auto opened = OpenRegularFile(file, options.limits);
  if (!opened.ok()) return opened.status();
  auto input = InspectFile(QuotedName(file), *std::move(opened));
  if (!input.ok()) return input.status();
  auto raw =
      RawVideo::Open(*std::move(input), options, cancel, nullptr, ChooseDecoder(options.decode));
  if (!raw.ok()) return raw.status();
  return std::make_unique<LibavVideoSource>(*std::move(raw));
}

}  // namespace glint
