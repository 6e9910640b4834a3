// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace glint {

/// What a progress bar shows.
struct BarState {
  std::string label;    ///< in front of the bar; cut when room is short
  double fraction = 0;  ///< done, 0..1
  std::string detail;   ///< behind the bar; left out when room is short
};

/// How it may look.
struct BarStyle {
  int columns = 80;  ///< of the terminal
  bool unicode = true;
  bool colour = false;
};

/// One line, narrower than the terminal (a full line would wrap on some). Colour adds bytes, no
/// columns.
std::string BarLine(const BarState& state, const BarStyle& style);

/// "0:12 left" by what was done so far; empty while that would be a guess (under one second or 3
/// %).
std::string TimeLeft(double elapsed_s, double fraction);

}  // namespace glint
