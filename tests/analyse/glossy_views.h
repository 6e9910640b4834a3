// SPDX-License-Identifier: Apache-2.0
// Residuals of views of a mottled, glossy sheet over which a highlight passes, with lines on it.
#pragma once

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/evidence/line_response.h"
#include "analyse/photometric_drawing.h"
#include "base/mat.h"
#include "stages/shared/photometric_arithmetic.h"
#include "support/stored.h"

namespace glint::photometric {

/// What the tests of lines in mottle look at.
struct GlossyViews {
  static constexpr int kViews = 48;

  Size size;
  std::vector<Plane> residuals, valid;
  mutable std::vector<StoredPlane> stored;  // of Views()
  Plane albedo, gradient, surface;

  /// A plain sheet: mottle that is strong where the highlight is, and noise.
  /// @param mottled  how strong beside that of most covers
  explicit GlossyViews(Size of, double mottled = 1)
      : size(of),
        albedo(Filled(of, PixelType::kS16, 128 * kGrey)),
        gradient(Filled(of, PixelType::kS32, 0)),
        surface(Filled(of, PixelType::kU8, 255)) {
    cv::RNG random(7);
    cv::Mat mottle(size.height, size.width, CV_32F);
    random.fill(mottle, cv::RNG::NORMAL, 0, 24 * mottled);
    cv::GaussianBlur(mottle, mottle, {}, 2.5);  // a deviation of some 2.7 grey values, if 1
    for (int view = 0; view < kViews; ++view) {
      cv::Mat rest(mottle.size(), CV_32F), gloss(mottle.size(), CV_32F);
      random.fill(rest, cv::RNG::NORMAL, 0, 1);
      cv::GaussianBlur(rest, rest, {}, 0.8);
      for (int y = 0; y < size.height; ++y) {
        const double away = (y - HighlightAt(view)) / 40.0;
        gloss.row(y).setTo(std::exp(-away * away / 2));
      }
      rest += mottle.mul(gloss);
      rest.convertTo(rest, CV_16S, kGrey);
      residuals.push_back(AsPlane(rest));
      valid.push_back(Filled(size, PixelType::kU8, 255));
    }
  }

  /// Where the highlight is in a view.
  double HighlightAt(int view) const { return size.height * (view + 0.5) / kViews; }

  /// Draws a line, 2 px wide, that answers to the highlight by up to so much grey, now bright, now
  /// dark.
  void Scratch(cv::Point from, cv::Point to, double grey) {
    for (int view = 0; view < kViews; ++view) {
      const double away = ((from.y + to.y) / 2.0 - HighlightAt(view)) / 100.0;
      cv::Mat line(size.height, size.width, CV_8U, cv::Scalar(0));
      cv::line(line, from, to, cv::Scalar(255), 2);
      const double shown = grey * std::sin(5 * away) * std::exp(-away * away / 2);
      cv::Mat rest = AsMat(residuals[static_cast<std::size_t>(view)]);
      cv::add(rest, cv::Scalar(shown * kGrey), rest, line);
    }
  }

  ResidualViews Views() const {
    stored = Stored(residuals);
    return {.residuals = stored, .valid = valid, .gradient = gradient, .surface = surface};
  }
};

}  // namespace glint::photometric
