// SPDX-License-Identifier: Apache-2.0
// Straight edges of one picture that may be sides of the object.
#pragma once

#include <opencv2/core/mat.hpp>
#include <vector>

#include "analyse/outline_params.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// A frame made small for the search of outlines: means of factor x factor blocks.
struct SmallPicture {
  cv::Mat rgb;     ///< CV_8UC3
  int factor = 1;  ///< frame pixels per small pixel

  /// A point of the small picture in the frame's pixels.
  Point ToFrame(Point small) const {
    const double shift = (factor - 1) / 2.0;
    return {small.x * factor + shift, small.y * factor + shift};
  }
  /// A point of the frame in the small picture's pixels.
  Point FromFrame(Point frame) const {
    const double shift = (factor - 1) / 2.0;
    return {(frame.x - shift) / factor, (frame.y - shift) / factor};
  }
};

/// Pixels of a frame per small pixel.
int FactorOf(Size frame, const EdgeParams& params = {});

/// @param rgb  kU8x3 on the host
SmallPicture Shrink(const Plane& rgb, const EdgeParams& params = {});

/// How the colours of a picture change (S. Di Zenzo, "A note on the gradient of a multi-image",
/// 1986): the root of the structure tensor's largest eigenvalue, and its vector.
struct ColourGradient {
  cv::Mat length;  ///< CV_32F, Sobel units
  cv::Mat normal;  ///< CV_32FC2, unit vectors
};

/// @param rgb  CV_8UC3
ColourGradient GradientOf(const cv::Mat& rgb);

/// Whether the gradient is steepest here among the neighbours across it, in the nearest of eight
/// directions. @param x,y  not at the border
bool IsCrest(const ColourGradient& gradient, int x, int y);

/// A pixel on an edge.
struct EdgePoint {
  Point at;         ///< small pixels
  Point normal;     ///< unit vector across the edge
  double strength;  ///< 0..1, saturating: what the edge counts
};

/// Edge points by the colour gradient, thinned across the edge: outlines of equal brightness on
/// both sides count, too.
std::vector<EdgePoint> FindEdgePoints(const cv::Mat& rgb, const EdgeParams& params = {});

/// A straight line with the edge evidence along it.
struct EvidenceLine {
  Point normal;       ///< unit vector
  double offset = 0;  ///< Dot(normal, p) of its points p
  double begin = 0;   ///< where it enters and leaves the picture, as positions along it
  double end = 0;
  bool border = false;         ///< a side of the picture itself: the object may go on outside
  std::vector<float> covered;  ///< covered[i]: pixels with evidence from `begin` to begin + i

  Point direction() const { return {-normal.y, normal.x}; }
  double Position(Point p) const { return direction().x * p.x + direction().y * p.y; }
  Point At(double position) const {
    return {normal.x * offset + direction().x * position,
            normal.y * offset + direction().y * position};
  }
  /// Pixels with evidence between two positions, from <= to.
  double Covered(double from, double to) const;
};

/// The lines with the most evidence, most first, and the four borders of the picture.
std::vector<EvidenceLine> FindLines(const std::vector<EdgePoint>& edges, Size size,
                                    const OutlineLineParams& params = {});

}  // namespace glint
