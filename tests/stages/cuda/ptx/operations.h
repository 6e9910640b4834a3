// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "stages/cuda/ptx/code.h"

namespace glint::cuda::ptx {

/// What an opcode does.
struct Opcode {
  Operation run = nullptr;
  int operands = 0;  ///< results, and what they are made of; an address is one
  Course course = Course::kNext;
};

/// Which arithmetic of floats is known.
enum class Floats : std::uint8_t {
  kExact,  ///< none whose result is left open: neither fma nor an add or mul without .rn, which a
           ///< later step may fuse
  kFused,  ///< these too, for kernels of others that are only counted
};

/// What an opcode with its modifiers does ("add.rn.f32"), null for one that is not known. One that
/// takes several registers as one has the suffix ".packed".
///
/// Known are those that nvcc makes of glint's kernels and of OpenCV's flow, and nothing with
/// .approx or .ftz.
const Opcode* FindOpcode(std::string_view opcode, Floats floats = Floats::kExact);

}  // namespace glint::cuda::ptx
