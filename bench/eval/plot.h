// SPDX-License-Identifier: Apache-2.0
// The frame of a figure whose two axes go from 0 to 1.
#pragma once

#include <string>

namespace glint {

/// A square figure (SVG 1.1) on white, so that it looks right on light and dark pages.
class SquarePlot {
 public:
  /// @param title, across, up  plain text without markup
  SquarePlot(std::string title, std::string across, std::string up);

  /// Where a value lies; SVG units.
  double X(double value) const;
  double Y(double value) const;

  /// The figure's head, its title, axes and grid; what is drawn follows, then End().
  std::string Begin() const;
  static std::string End() { return "</svg>\n"; }

 private:
  std::string title_, across_, up_;
};

}  // namespace glint
