// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/for_rows.h"
#include "base/host_call.h"
#include "base/luma_arithmetic.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_luma.h"

namespace glint {
namespace {

constexpr int kBandRows = 64;  // one task

class CpuLumaConversion final : public CpuStage<LumaConversionStage> {
 public:
  using CpuStage::CpuStage;

  absl::StatusOr<std::vector<Plane>> Run(std::span<const Plane> stored,
                                         const LumaFormat& format) override {
    GLINT_RETURN_IF_ERROR(CheckStoredLuma(stored, format, {}));
    std::vector<Plane> luma;
    luma.reserve(stored.size());
    GLINT_RETURN_IF_ERROR(HostCall("luma conversion", [&] {
      const std::vector<std::uint8_t> table = Table(format);
      for (const Plane& plane : stored) {
        luma.push_back(Plane::Host(plane.size(), PixelType::kU8));
        Convert(plane, table, luma.back());
      }
    }));
    return luma;
  }

 private:
  /// The luma of everything that a sample's place can hold.
  static std::vector<std::uint8_t> Table(const LumaFormat& format) {
    const int mask = (1 << format.depth) - 1;
    std::vector<std::uint8_t> table(format.depth > 8 ? 65'536 : 256);
    for (std::size_t place = 0; place < table.size(); ++place) {
      const int sample = (static_cast<int>(place) >> format.shift) & mask;
      table[place] = FullRangeLuma(sample, format.depth, format.full_range);
    }
    return table;
  }

  template <class Sample>
  static void ConvertRow(const Sample* from, const std::uint8_t* table, int count,
                         std::uint8_t* to) {
    for (int x = 0; x < count; ++x) to[x] = table[from[x]];
  }

  void Convert(const Plane& stored, const std::vector<std::uint8_t>& table, const Plane& luma) {
    const auto work = [&](Rows rows) {
      for (int y = rows.begin; y < rows.end; ++y) {
        auto* to = luma.Row<std::uint8_t>(y);
        if (stored.type() == PixelType::kU8) {
          ConvertRow(stored.Row<std::uint8_t>(y), table.data(), stored.width(), to);
        } else {
          ConvertRow(stored.Row<std::uint16_t>(y), table.data(), stored.width(), to);
        }
      }
    };
    ForRows(pool_, stored.height(), work, kBandRows);
  }
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(LumaConversion, CpuLumaConversion)

}  // namespace glint
