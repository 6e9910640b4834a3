// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/detect.h"
#include "base/mat.h"
#include "glint/plane.h"

namespace glint::photometric {

/// A plane of one value in all channels.
inline Plane Filled(Size size, PixelType type, int value) {
  Plane plane = Plane::Host(size, type);
  AsMat(plane).setTo(cv::Scalar::all(value));
  return plane;
}

inline int CountMarked(const Plane& mask) { return cv::countNonZero(AsMat(mask)); }

/// Marked pixels of both masks.
inline int CountBoth(const Plane& mask, const cv::Mat& where) {
  return cv::countNonZero(AsMat(mask) & where);
}

/// Colours of a drawn object and of what it lies on, R, G, B.
inline const cv::Scalar kDesk(90, 70, 50);
inline const cv::Scalar kPaper(225, 220, 205);

/// Views of bare stone, with a dark crack that no light changes.
/// @param size  220 x 260 or more. @param truth  gets the crack, 3 px wide
inline ViewStack FilmedStone(Size size, cv::Mat* truth) {
  cv::Mat stone(size.height, size.width, CV_32F), grain(stone.size(), CV_32F);
  stone.setTo(120);
  cv::RNG random(3);
  random.fill(grain, cv::RNG::NORMAL, 0, 18);
  cv::GaussianBlur(grain, grain, {}, 1.2);
  stone += grain;
  *truth = cv::Mat(stone.size(), CV_8U, cv::Scalar(0));
  cv::line(*truth, {40, 30}, {170, 220}, cv::Scalar(255), 3);
  cv::subtract(stone, 25, stone, *truth);
  ViewStack stack;
  for (int i = 0; i < 24; ++i) {
    cv::Mat view, noise(stone.size(), CV_32F);
    random.fill(noise, cv::RNG::NORMAL, 0, 1.2);
    cv::Mat((0.8 + 0.01 * i) * stone + noise).convertTo(view, CV_8U);
    stack.greys.push_back(AsPlane(view));
    stack.valid.push_back(Filled(size, PixelType::kU8, 255));
  }
  return stack;
}

}  // namespace glint::photometric
