// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/evidence/directed_evidence.h"

#include <algorithm>

#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {

EvidenceField::EvidenceField(const Plane& energies, const Plane& turned, std::int32_t most)
    : size(energies.size()) {
  energy.reserve(static_cast<std::size_t>(size.area()));
  directions.reserve(energy.capacity());
  for (int y = 0; y < size.height; ++y) {
    const auto* value = energies.Row<std::int32_t>(y);
    const auto* direction = turned.Row<std::uint8_t>(y);
    for (int x = 0; x < size.width; ++x) {
      energy.push_back(static_cast<std::uint16_t>(std::min(value[x], most)));
      directions.push_back(static_cast<std::uint16_t>(1 << (direction[x] % kDirections)));
    }
  }
}

DirectedEvidence::DirectedEvidence(Size size, int reach)
    : stride_(size.width + std::ptrdiff_t{2} * reach),
      middle_(reach * stride_ + reach),
      values_(static_cast<std::size_t>(stride_ * (size.height + std::ptrdiff_t{2} * reach)), 0) {}

void DirectedEvidence::Fill(const EvidenceField& field, const Choice& choice) {
  const Size size = field.size;
  const std::uint16_t counted = choice.directions;  // of the loop's own: compilers vectorise it
  for (int y = 0; y < size.height; ++y) {
    std::uint16_t* to = values_.data() + middle_ + Offset(0, y);
    std::fill_n(to, size.width, std::uint16_t{0});
    if (y < choice.rim_y || y >= size.height - choice.rim_y) continue;
    const auto row = static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width);
    const std::uint16_t* value = field.energy.data() + row;
    const std::uint16_t* direction = field.directions.data() + row;
    for (int x = choice.rim_x; x < size.width - choice.rim_x; ++x) {
      const auto kept = static_cast<std::uint16_t>((direction[x] & counted) != 0 ? 0xffff : 0);
      to[x] = value[x] & kept;
    }
  }
}

}  // namespace glint::photometric
