// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "glint/plane.h"

namespace glint {

/// Success when both host planes have the same size, type and bytes; otherwise says how many pixels
/// differ and shows the first one.
testing::AssertionResult SameBytes(const Plane& actual, const Plane& expected);

/// A kU8 host plane of noise, the same for the same seed everywhere.
Plane NoisePlane(Size size, std::uint32_t seed);

}  // namespace glint
