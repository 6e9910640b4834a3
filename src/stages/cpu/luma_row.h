// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "glint/stages.h"

namespace glint {

/// A row of a luma plane with its neighbours, mirrored already where the plane ends.
struct LumaRow {
  const std::uint8_t* above = nullptr;
  const std::uint8_t* row = nullptr;
  const std::uint8_t* below = nullptr;
  int width = 0;
};

/// Adds one row to the sums, with the best instruction set of this machine; integers, so every
/// instruction set gives the same.
void AddLumaRow(const LumaRow& luma, LumaStatistics& sums);

}  // namespace glint
