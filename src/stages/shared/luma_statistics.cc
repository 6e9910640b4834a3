// SPDX-License-Identifier: Apache-2.0
#include "glint/stages.h"

namespace glint {

double LumaStatistics::LaplacianVariance() const {
  if (pixels == 0) return 0;
  // n * sum(l^2) - sum(l)^2 as an exact integer: a difference of large doubles would lose digits.
  // It needs up to 2 * 26 + 21 bits for the largest frame, hence 128.
  __extension__ using Int128 = __int128;
  const Int128 n = pixels;
  const Int128 scaled = n * laplacian_square_sum - Int128{laplacian_sum} * laplacian_sum;
  const auto count = static_cast<double>(pixels);
  return static_cast<double>(scaled) / (count * count);
}

}  // namespace glint
