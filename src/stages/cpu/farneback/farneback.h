// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/thread_pool.h"
#include "glint/plane.h"
#include "stages/cpu/farneback/expansion.h"
#include "stages/shared/farneback/geometry.h"

namespace glint::farneback {

/// G. Farnebäck's flow between frames of one size (kU8 on the host, both sides >= 16), with its
/// working memory: two expansions (little more than one for pairs that are no sequence), however
/// many threads there are, and some rows per thread. All
/// threads work on the same pair: frames are expanded in bands of rows, and each level's flow is
/// found in tiles of columns. Used by one thread at a time; the results depend neither on the
/// threads nor on the instruction set (targets.h). Throws std::bad_alloc when memory is out.
class Farneback {
 public:
  /// @param pool  must outlive this
  Farneback(Size size, ThreadPool& pool);

  Size size() const { return geometry_.levels.front().size; }

  /// Motion that carries `previous` onto `next`, kF32x2.
  Plane Field(const Plane& previous, const Plane& next);

  /// Begins a sequence of frames. A frame that was the last, or next to last, that any call here
  /// was given is not expanded again.
  void Start(const Plane& first);

  /// The mean length of the motion from the frame before to this one, in pixels: that given to
  /// Start or to the last call. Each frame is expanded once.
  double MeanLengthTo(const Plane& next);

  /// The same for a pair that is no part of a sequence: of `previous`, the finest level is expanded
  /// while the flow is found, a few rows at a time, and not kept.
  double MeanLength(const Plane& previous, const Plane& next);

 private:
  class Borrowed;
  void Expand(const Plane& luma, int place);
  void ExpandInto(Expansion& expansion, const Plane& luma);
  const FramePair& EstimateCoarse(const FramePair& pair);
  double MeanLengthOf(const FramePair& pair);
  void ForTiles(int width, const std::function<void(int, Columns)>& work);

  ThreadPool& pool_;
  const Geometry geometry_;
  std::array<Expansion, 2> expansions_;  // no levels before they are needed
  std::array<Plane, 2> expanded_;        // what they are of
  int latest_ = 0;                       // of expansions_: that of the latest frame
  Expansion streamed_;                   // the coarse levels of MeanLength's first frame
  std::vector<RowBuffer> coarse_flow_;
  int parts_ = 1;  // bands of an expansion, and tiles of the finest level
  Mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace glint::farneback
