// SPDX-License-Identifier: Apache-2.0
#include "report/selection.h"

#include <algorithm>

namespace glint {

Selection Summarise(const ScanReport& report) {
  constexpr std::size_t kNearMisses = 5;
  Selection selection;
  for (const FrameMeasure& frame : report.frames) {
    if (frame.eligible) {
      ++selection.eligible;
    } else if (!frame.motion256) {
      ++selection.unmeasured;
    } else {
      ++selection.moving;
      selection.near_misses.push_back(frame);
    }
  }
  std::stable_sort(
      selection.near_misses.begin(), selection.near_misses.end(),
      [](const FrameMeasure& a, const FrameMeasure& b) { return *a.motion256 < *b.motion256; });
  if (selection.near_misses.size() > kNearMisses) selection.near_misses.resize(kNearMisses);
  return selection;
}

}  // namespace glint
