// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/normal_equations.h"

namespace glint {

/// Adds what many equations add to all rows of the sums of NormalEquations, in their order, with
/// the best instruction set of this machine: the same bits with any.
/// @param weights  one per equation; those of weight 0 add nothing
void AddToSums(std::span<const NormalEquations::Equation> equations,
               std::span<const double> weights, NormalEquations::Matrix& matrix,
               NormalEquations::Vector& right);

}  // namespace glint
