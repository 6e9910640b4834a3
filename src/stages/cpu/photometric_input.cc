// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/photometric_input.h"

#include <algorithm>

namespace glint::photometric {
namespace {

constexpr int kBandRows = 16;  // one task

}  // namespace

void ForRows(ThreadPool& pool, int height, const std::function<void(Rows)>& work) {
  pool.ParallelFor((height + kBandRows - 1) / kBandRows, [&](std::int64_t band) {
    const int begin = static_cast<int>(band) * kBandRows;
    work({begin, std::min(begin + kBandRows, height)});
  });
}

}  // namespace glint::photometric
