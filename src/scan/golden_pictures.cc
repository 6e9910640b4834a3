// SPDX-License-Identifier: Apache-2.0
#include "scan/golden_pictures.h"

#include <cstddef>
#include <utility>

#include "report/golden_picture.h"

namespace glint {

GoldenPictures::GoldenPictures(std::span<const VideoFrame> frames, ThreadPool& pool, int sides)
    : pictures_(frames.size(), GoldenPicture()) {
  for (const VideoFrame& frame : frames) sources_.push_back(frame.picture);
  const std::size_t on_page = sources_.size() * static_cast<std::size_t>(sides);
  encoding_ = pool.Start(std::ssize(frames), [this, on_page](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    pictures_[at] = EncodeGoldenPicture(sources_[at]->ToRgb(), on_page);
    sources_[at].reset();  // nobody else may need it
  });
}

absl::StatusOr<std::vector<GoldenPicture>> GoldenPictures::Finish() {
  encoding_.Finish();
  std::vector<GoldenPicture> done;
  done.reserve(pictures_.size());
  for (auto& picture : pictures_) {
    if (!picture.ok()) return picture.status();
    done.push_back(*std::move(picture));
  }
  return done;
}

}  // namespace glint
