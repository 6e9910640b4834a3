// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/print/whiteness.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/median.h"

namespace glint::photometric {

cv::Mat WhitenessOf(const cv::Mat& colour) {
  cv::Mat whiteness(colour.size(), CV_8U);
  for (int y = 0; y < colour.rows; ++y) {
    const auto* from = colour.ptr<cv::Vec3b>(y);
    auto* to = whiteness.ptr<std::uint8_t>(y);
    for (int x = 0; x < colour.cols; ++x) to[x] = std::min({from[x][0], from[x][1], from[x][2]});
  }
  return whiteness;
}

int WhitenessOfShare(double share, const cv::Mat& whiteness, const cv::Mat& mask) {
  std::vector<std::uint8_t> all;
  all.reserve(whiteness.total());
  for (int y = 0; y < whiteness.rows; ++y) {
    const auto* value = whiteness.ptr<std::uint8_t>(y);
    const auto* on = mask.ptr<std::uint8_t>(y);
    for (int x = 0; x < whiteness.cols; ++x) {
      if (on[x] != 0) all.push_back(value[x]);
    }
  }
  if (all.empty()) return 255;
  const auto last = static_cast<double>(all.size() - 1);
  return NthSmallest(all, static_cast<std::size_t>(share * last));
}

}  // namespace glint::photometric
