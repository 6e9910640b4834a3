// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/farneback/farneback.h"

#include "stages/cpu/farneback/targets.h"
#include "stages/flow_length.h"

namespace glint::farneback {

Farneback::Farneback(std::shared_ptr<const Geometry> geometry)
    : geometry_(std::move(geometry)),
      scratch_(*geometry_),
      expansions_{Expansion(*geometry_), Expansion(*geometry_)} {}

Plane Farneback::Field(const Plane& previous, const Plane& next) {
  Expand(*geometry_, previous, scratch_, expansions_[0]);
  Expand(*geometry_, next, scratch_, expansions_[1]);
  Plane field = Plane::Host(previous.size(), PixelType::kF32x2);
  EstimateField(*geometry_, expansions_[0], expansions_[1], scratch_, field);
  return field;
}

void Farneback::MeanLengths(std::span<const Plane> frames, std::span<double> out) {
  Expand(*geometry_, frames[0], scratch_, expansions_[0]);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Expansion& previous = expansions_[i % 2];
    Expansion& next = expansions_[(i + 1) % 2];
    Expand(*geometry_, frames[i + 1], scratch_, next);
    out[i] = MeanOfQuantisedLengths(SumLengths(*geometry_, previous, next, scratch_),
                                    frames[i].size().area());
  }
}

}  // namespace glint::farneback
