// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "cli/text.h"

namespace glint {
namespace {

constexpr int kLongestBar = 40;
constexpr int kShortestBar = 6;

/// A bar of `columns` characters, in eighths where the font has them.
std::string Bar(double fraction, int columns, bool unicode) {
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(fraction * columns * 8);
  std::string bar;
  for (int i = 0; i < eighths / 8; ++i) bar += unicode ? "█" : "#";
  if (unicode) bar += kEighths[static_cast<std::size_t>(eighths % 8)];
  const int drawn = Columns(bar);
  for (int i = drawn; i < columns; ++i) bar += unicode ? "░" : ".";
  return bar;
}

}  // namespace

std::string BarLine(const BarState& state, const BarStyle& style) {
  const int room = std::max(1, style.columns - 1);
  const double fraction = std::clamp(state.fraction, 0.0, 1.0);
  const std::string percent = fmt::format("{:3.0f} %", std::floor(fraction * 100));
  const int fixed = Columns(percent) + 2;  // and the spaces around the bar
  const std::string label =
      Fitted(state.label, std::min(Columns(state.label), std::max(0, room - fixed - kShortestBar)));
  // Half of what is left, whatever the detail is: a bar must not jump when the detail changes.
  const int left = room - Columns(label) - fixed;
  if (left < kShortestBar) return Fitted(percent, room);
  const int bar = std::clamp(left / 2, kShortestBar, kLongestBar);
  std::string detail = state.detail.empty() ? "" : "  " + state.detail;
  if (Columns(detail) > left - bar) detail.clear();
  const std::string drawn = Bar(fraction, bar, style.unicode);
  return fmt::format("{} {}{}{} {}{}", label, style.colour ? "\x1b[36m" : "", drawn,
                     style.colour ? "\x1b[0m" : "", percent, detail);
}

std::string TimeLeft(double elapsed_s, double fraction) {
  if (elapsed_s < 1 || fraction < 0.03 || fraction >= 1) return "";
  return Clock(elapsed_s * (1 - fraction) / fraction) + " left";
}

}  // namespace glint
