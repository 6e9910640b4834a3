// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/photometric/targets.h"

// The same sets as for the flow: without SSSE3, which no processor has that lacks SSE4, and SVE.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stages/cpu/photometric/targets.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Once per instruction set.
#include "stages/cpu/photometric/groups-inl.h"
#include "stages/cpu/photometric/lines-inl.h"
#include "stages/cpu/photometric/median-inl.h"
#include "stages/cpu/photometric/residual-inl.h"

#if HWY_ONCE
namespace glint::photometric {

HWY_EXPORT(MedianOfViews);
HWY_EXPORT(MedianOfMagnitudes);
HWY_EXPORT(SortBytes);
HWY_EXPORT(FitCurve);
HWY_EXPORT(FitView);
HWY_EXPORT(SumGroup);
HWY_EXPORT(FindLines);

void MedianOfViews(const PhotometricViews& views, std::span<const Exchange> network, Rows rows,
                   const Plane& grey, const Plane& counts) {
  HWY_DYNAMIC_DISPATCH(MedianOfViews)(views, network, rows, grey, counts);
}

void MedianOfMagnitudes(const PhotometricViews& views, std::span<const Plane> residuals,
                        int first_row, std::span<const Exchange> network, Rows rows,
                        const Plane& out) {
  HWY_DYNAMIC_DISPATCH(MedianOfMagnitudes)(views, residuals, first_row, network, rows, out);
}

void SortBytes(std::span<const Exchange> network, std::uint8_t* values) {
  HWY_DYNAMIC_DISPATCH(SortBytes)(network, values);
}

void FitCurve(const Plane& surface, const ModelInput& model, const Plane& out) {
  HWY_DYNAMIC_DISPATCH(FitCurve)(surface, model, out);
}

void FitView(const Plane& grey, const Plane& valid, const Plane& surface, const ModelInput& model,
             const Plane& out) {
  HWY_DYNAMIC_DISPATCH(FitView)(grey, valid, surface, model, out);
}

void SumGroup(const PhotometricViews& views, std::span<const StoredPlane> residuals,
              const Plane& scale, const LineEvidenceParams& params, int begin, int end,
              PaddedGroup& out) {
  HWY_DYNAMIC_DISPATCH(SumGroup)(views, residuals, scale, params, begin, end, out);
}

void FindLines(const PhotometricViews& views, std::span<const PaddedGroup> groups,
               std::span<const LineTaps> taps, const Plane& counts, int min_views, Rows rows,
               const LineEvidence& out) {
  HWY_DYNAMIC_DISPATCH(FindLines)(views, groups, taps, counts, min_views, rows, out);
}

std::vector<Exchange> SortingNetwork(int count) {
  std::vector<Exchange> network;
  int top = 1;
  while (2 * top < count) top *= 2;
  for (int p = top; p > 0; p /= 2) {
    int q = top, r = 0, d = p;
    while (true) {
      for (int i = 0; i < count - d; ++i) {
        if ((i & p) == r) {
          network.push_back({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i + d)});
        }
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
  return network;
}

}  // namespace glint::photometric
#endif
