// SPDX-License-Identifier: Apache-2.0
// Following one outline through the frames that are searched.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyse/homography_fit.h"
#include "analyse/location/outline_judge.h"
#include "analyse/location/outline_proposals.h"
#include "glint/thread_pool.h"

namespace glint {

/// A frame that is searched for the object, made small.
struct SearchedView {
  EdgeMap edges;
  cv::Mat grey;  ///< CV_8U
  Features features;
  std::vector<JudgedOutline> proposals;
};

/// The frames in order of time, and the matched features of those that are near each other.
class SearchedClip {
 public:
  /// Frames further apart than this are matched only on demand (Match).
  static constexpr std::size_t kLinked = 2;

  /// @param pool  matches the frames
  SearchedClip(std::vector<SearchedView> views, ThreadPool& pool);

  std::size_t size() const { return views_.size(); }
  const SearchedView& operator[](std::size_t i) const { return views_[i]; }
  Size picture() const { return views_.front().edges.size(); }

  /// Has each frame say where its foreground ends, and propose it as an outline.
  void AddForegrounds(ThreadPool& pool, const ObjectSearchParams& params);

  /// Matches from one frame to another, at most kLinked apart.
  std::vector<Correspondence> Links(std::size_t from, std::size_t to) const;

 private:
  std::vector<SearchedView> views_;
  std::vector<std::vector<Correspondence>> links_;  // [i * kLinked + k]: from i to i + k + 1
};

/// An outline in one frame of its track.
struct TrackedOutline {
  Quadrilateral corners{};  ///< small pixels; corner i is the same one in every frame
  OutlineJudgement judged;
  bool proposed = false;           ///< the frame itself proposes it
  std::optional<double> apart;     ///< share of the diagonal by which it moved unlike the rest
  std::optional<double> likeness;  ///< correlation of its inside with that in the first frame
};

/// An outline by frame (place in the clip).
using OutlineTrack = std::map<std::size_t, TrackedOutline>;

/// Follows a frame's outline both ways, from frame to frame by the features inside it; one without
/// print inside, by the frames' own proposals.
OutlineTrack FollowOutline(const SearchedClip& clip, std::size_t first,
                           const Quadrilateral& outline, const ObjectSearchParams& params);

/// Adds frames that following did not reach, straight from the track's best frame.
void FindLostFrames(const SearchedClip& clip, const ObjectSearchParams& params,
                    OutlineTrack& track);

/// The track's outline in every frame whose print says where it is, from the frame with the most
/// support. Following goes along edges, and where one of them is weak it drifts from frame to
/// frame; the print does not.
OutlineTrack RelateByPrint(const SearchedClip& clip, const ObjectSearchParams& params,
                           const OutlineTrack& track);

}  // namespace glint
