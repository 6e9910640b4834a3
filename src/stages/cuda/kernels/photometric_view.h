// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stages/cuda/kernel.h"

namespace glint::cuda {

/// One view.
struct View {
  Image<const std::uint8_t> grey;
  Image<const std::uint8_t> valid;
};

}  // namespace glint::cuda
