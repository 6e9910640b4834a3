// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/pixels/masks.h"

#include <algorithm>
#include <cstdint>
#include <opencv2/imgproc.hpp>

namespace glint::photometric {

cv::Mat Disc(int radius) {
  return cv::getStructuringElement(cv::MORPH_ELLIPSE, {2 * radius + 1, 2 * radius + 1});
}

cv::Mat Square(int radius) { return cv::Mat::ones(2 * radius + 1, 2 * radius + 1, CV_8U); }

Components FindComponents(const cv::Mat& mask, int connectivity) {
  Components components;
  components.count = cv::connectedComponents(mask, components.labels, connectivity, CV_32S);
  return components;
}

cv::Mat Components::Select(const std::vector<bool>& keep) const {
  cv::Mat mask(labels.size(), CV_8U);
  for (int y = 0; y < labels.rows; ++y) {
    const auto* label = labels.ptr<std::int32_t>(y);
    auto* out = mask.ptr<std::uint8_t>(y);
    for (int x = 0; x < labels.cols; ++x) {
      out[x] = label[x] != 0 && keep[static_cast<std::size_t>(label[x])] ? 255 : 0;
    }
  }
  return mask;
}

std::vector<int> Components::CountIn(const cv::Mat& where) const {
  std::vector<int> pixels(static_cast<std::size_t>(count));
  for (int y = 0; y < labels.rows; ++y) {
    const auto* label = labels.ptr<std::int32_t>(y);
    const auto* marked = where.ptr<std::uint8_t>(y);
    for (int x = 0; x < labels.cols; ++x) {
      if (marked[x] != 0) ++pixels[static_cast<std::size_t>(label[x])];
    }
  }
  return pixels;
}

std::vector<float> Components::MaxOf(const cv::Mat& values) const {
  std::vector<float> largest(static_cast<std::size_t>(count));
  for (int y = 0; y < labels.rows; ++y) {
    const auto* label = labels.ptr<std::int32_t>(y);
    const auto* value = values.ptr<float>(y);
    for (int x = 0; x < labels.cols; ++x) {
      float& to = largest[static_cast<std::size_t>(label[x])];
      if (label[x] != 0) to = std::max(to, value[x]);
    }
  }
  return largest;
}

cv::Mat ComponentsTouching(const cv::Mat& mask, const cv::Mat& where, int connectivity) {
  const Components components = FindComponents(mask, connectivity);
  std::vector<bool> keep;
  for (const int pixels : components.CountIn(where)) keep.push_back(pixels > 0);
  return components.Select(keep);
}

cv::Mat InnerDistance(const cv::Mat& mask) {
  cv::Mat framed, distance;
  cv::copyMakeBorder(mask, framed, 1, 1, 1, 1, cv::BORDER_REPLICATE);
  cv::distanceTransform(framed, distance, cv::DIST_L2, 5);
  return distance(cv::Rect(1, 1, mask.cols, mask.rows));
}

cv::Point At(Side side, int along, int deep, cv::Size size) {
  switch (side) {
    case Side::kTop:
      return {along, deep};
    case Side::kRight:
      return {size.width - 1 - deep, along};
    case Side::kBottom:
      return {along, size.height - 1 - deep};
    case Side::kLeft:
      return {deep, along};
  }
  return {};
}

int LengthOf(Side side, cv::Size size) {
  return side == Side::kTop || side == Side::kBottom ? size.width : size.height;
}

int DepthOf(Side side, cv::Size size) {
  return side == Side::kTop || side == Side::kBottom ? size.height : size.width;
}

std::vector<int> RunsFrom(Side side, const cv::Mat& mask, int limit) {
  std::vector<int> depths(static_cast<std::size_t>(LengthOf(side, mask.size())));
  for (std::size_t i = 0; i < depths.size(); ++i) {
    int& depth = depths[i];
    while (depth < limit &&
           mask.at<std::uint8_t>(At(side, static_cast<int>(i), depth, mask.size())) != 0) {
      ++depth;
    }
  }
  return depths;
}

}  // namespace glint::photometric
