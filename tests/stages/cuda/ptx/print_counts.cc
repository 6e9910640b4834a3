// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/ptx/print_counts.h"

#include <fmt/format.h>

#include <string>

namespace glint::cuda::ptx {

void PrintCounts(std::string_view stage, std::string_view kernel, std::string_view symbol,
                 const Counts& counts, double pixels) {
  std::string kinds;
  for (std::size_t i = 0; i < kKinds; ++i) {
    kinds += fmt::format("{}\"{}\":{:.3f}", i == 0 ? "" : ",", NameOf(static_cast<Kind>(i)),
                         static_cast<double>(counts.instructions[i]) / pixels);
  }
  fmt::print(
      "{{\"stage\":\"{}\",\"kernel\":\"{}\",\"symbol\":\"{}\",\"pixels\":{:.0f},\"blocks\":{},"
      "\"per_pixel\":{{{}}},"
      "\"issued\":{},\"issued_float\":{},\"issued_integer\":{},\"branches\":{},\"divergent\":{},"
      "\"barriers\":{},\"useful_bytes\":{},\"sectors\":{},\"footprint_bytes\":{},\"passes\":{},"
      "\"least_passes\":{}}}\n",
      stage, kernel, symbol, pixels, counts.blocks, kinds, counts.issued, counts.issued_float,
      counts.issued_integer, counts.branches, counts.divergent, counts.barriers,
      counts.useful_bytes, counts.sectors, counts.footprint_bytes, counts.passes,
      counts.least_passes);
}

}  // namespace glint::cuda::ptx
