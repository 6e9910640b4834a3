// SPDX-License-Identifier: Apache-2.0
#include "scan/golden_pictures.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "report/golden_picture.h"

namespace glint {
namespace {

/// A picture that makes its colours once, and then forgets what it made them of.
class ColouredOnce final : public RawPicture {
 public:
  ColouredOnce(std::shared_ptr<const RawPicture> raw, Plane luma)
      : luma_(std::move(luma)), raw_(std::move(raw)) {}

  Plane ToRgb() const override {
    const MutexLock lock(mutex_);
    if (raw_) {
      rgb_ = raw_->ToRgb();
      raw_.reset();
    }
    return rgb_;
  }

  Plane ToLuma() const override { return luma_; }

 private:
  const Plane luma_;
  mutable Mutex mutex_;
  mutable std::shared_ptr<const RawPicture> raw_ ABSL_GUARDED_BY(mutex_);  // null: rgb_ is there
  mutable Plane rgb_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

GoldenPictures::GoldenPictures(std::vector<VideoFrame>& frames, ThreadPool& pool, int sides)
    : pictures_(frames.size(), GoldenPicture()) {
  std::vector<std::shared_ptr<const RawPicture>> sources;
  sources.reserve(frames.size());
  for (VideoFrame& frame : frames) {
    frame.picture = std::make_shared<ColouredOnce>(std::move(frame.picture), frame.luma);
    sources.push_back(frame.picture);
  }
  const std::size_t on_page = sources.size() * static_cast<std::size_t>(sides);
  encoding_ =
      pool.Start(std::ssize(frames), [this, on_page, sources = std::move(sources)](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        pictures_[at] = EncodeGoldenPicture(sources[at]->ToRgb(), on_page);
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
