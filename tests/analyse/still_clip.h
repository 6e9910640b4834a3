// SPDX-License-Identifier: Apache-2.0
// A clip for the object search in which nothing moves.
#pragma once

#include <cstddef>
#include <map>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "analyse/location/outline_track.h"
#include "base/thread_pool.h"

namespace glint {

inline Quadrilateral Box(double left, double top, double right, double bottom) {
  return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
}

/// Six frames of one picture, each of which proposes the same outlines, and the motion between
/// them.
class StillClip {
 public:
  StillClip(const cv::Mat& rgb, const Quadrilateral& outline)
      : StillClip(rgb, {outline}, outline) {}
  StillClip(const cv::Mat& rgb, const std::vector<Quadrilateral>& proposed,
            const Quadrilateral& outline)
      : pool_(1), clip_(Views(rgb, proposed), pool_) {
    for (std::size_t i = 0; i < clip_.size(); ++i) {
      frames_.push_back(i);
      motion_[i] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
      track_[i] = {.corners = outline, .judged = JudgeOutline(clip_[i].edges, outline, 3)};
    }
  }

  const SearchedClip& clip() const { return clip_; }
  const std::vector<std::size_t>& frames() const { return frames_; }
  const std::map<std::size_t, Homography>& motion() const { return motion_; }
  const OutlineTrack& track() const { return track_; }

 private:
  static std::vector<SearchedView> Views(const cv::Mat& rgb,
                                         const std::vector<Quadrilateral>& proposed) {
    const ObjectSearchParams params;
    std::vector<JudgedOutline> proposals;
    proposals.reserve(proposed.size());
    for (const Quadrilateral& corners : proposed) {
      proposals.push_back({.corners = corners, .score = 0.9});
    }
    std::vector<SearchedView> views;
    views.reserve(6);
    for (int i = 0; i < 6; ++i) {
      views.push_back({.edges = EdgeMap(rgb, params.judging),
                       .grey = cv::Mat(rgb.size(), CV_8U, cv::Scalar(0)),
                       .features = {},
                       .proposals = proposals});
    }
    return views;
  }

  ThreadPool pool_;
  SearchedClip clip_;
  std::vector<std::size_t> frames_;
  std::map<std::size_t, Homography> motion_;
  OutlineTrack track_;
};

}  // namespace glint
