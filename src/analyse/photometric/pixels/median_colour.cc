// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/pixels/median_colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/for_rows.h"
#include "base/host_call.h"
#include "base/status_macros.h"
#include "base/stored_rows.h"
#include "glint/error.h"
#include "stages/cpu/photometric/targets.h"
#include "stages/shared/check_plane.h"

namespace glint::photometric {
namespace {

/// Medians of `size` bytes, at most kByteTile, from `begin` of row y on.
void MedianOfTile(std::span<const Plane> pictures, std::span<const Exchange> network, int y,
                  int begin, int size, std::vector<std::uint8_t>& values, std::uint8_t* out) {
  const auto row = [&](std::size_t i) { return values.data() + i * kByteTile; };
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    std::copy_n(pictures[i].Row<std::uint8_t>(y) + begin, size, row(i));
  }
  SortBytes(network, values.data());
  const std::uint8_t* lower = row((pictures.size() - 1) / 2);
  const std::uint8_t* upper = row(pictures.size() / 2);
  for (int i = 0; i < size; ++i) out[i] = static_cast<std::uint8_t>((lower[i] + upper[i]) / 2);
}

Plane Median(std::span<const StoredPlane> pictures, ThreadPool& pool) {
  Plane median = Plane::Host(pictures[0].size(), PixelType::kU8x3);
  const auto network = SortingNetwork(static_cast<int>(pictures.size()));
  ForRows(
      pool, median.height(),
      [&](Rows rows) {
        std::vector<Plane> shown;
        shown.reserve(pictures.size());
        for (const StoredPlane& picture : pictures) {
          shown.push_back(picture.RowsOf(rows.begin, rows.end));
        }
        std::vector<std::uint8_t> values(pictures.size() * kByteTile);
        for (int y = rows.begin; y < rows.end; ++y) {
          for (int begin = 0; begin < 3 * median.width(); begin += kByteTile) {
            MedianOfTile(shown, network, y - rows.begin, begin,
                         std::min(kByteTile, 3 * median.width() - begin), values,
                         median.Row<std::uint8_t>(y) + begin);
          }
        }
      },
      kStoredBandRows);
  return median;
}

}  // namespace

absl::StatusOr<Plane> MedianColour(std::span<const StoredPlane> pictures, ThreadPool& pool) {
  if (pictures.empty() || pictures.size() > kMaxPhotometricViews) {
    return Error(Reason::kInternal, fmt::format("median: {} pictures given, 1 to {} needed",
                                                pictures.size(), kMaxPhotometricViews));
  }
  GLINT_RETURN_IF_ERROR(CheckPlanes("median: picture", pictures, PixelType::kU8x3, {}));
  Plane median;
  GLINT_RETURN_IF_ERROR(HostCall("median", [&] { median = Median(pictures, pool); }));
  return median;
}

}  // namespace glint::photometric
