// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <vector>

#include "base/for_rows.h"
#include "base/host_call.h"
#include "base/status_macros.h"
#include "stages/cpu/stages.h"
#include "stages/shared/check_plane.h"
#include "stages/shared/classic_arithmetic.h"

namespace glint {
namespace {

constexpr int kRadius = classic::kDetailRadius;
constexpr int kWindow = 2 * kRadius + 1;
constexpr int kBandRows = 32;  // one task; the rows that two bands both read cost 1/8

/// The rows around one row, with the border written out, and the sums of the columns under it.
class Neighbourhood {
 public:
  explicit Neighbourhood(const Plane& grey)
      : grey_(grey),
        padded_(static_cast<std::size_t>(grey.width() + 2 * kRadius)),
        pixels_(padded_ * kWindow),
        sums_(padded_),
        square_sums_(padded_) {}

  /// Moves to row `y`. Rows that were read for `y - 1` are kept.
  void MoveTo(int y) {
    for (int dy = -kRadius; dy <= kRadius; ++dy) {
      const int row = y + dy;
      if (filled_ && row <= last_) continue;
      Fill(row);
    }
    filled_ = true;
    last_ = y + kRadius;
    SumColumns(y);
  }

  /// Row `y` with |y - current row| <= kRadius, at column 0; columns -kRadius .. width + kRadius -
  /// 1 exist.
  const std::uint8_t* Row(int y) const { return Slot(y) + kRadius; }

  void WriteVariance(std::int32_t* __restrict out) const {
    const int width = grey_.width();
    const std::uint16_t* s = sums_.data();
    const std::int32_t* q = square_sums_.data();
    for (int x = 0; x < width; ++x) {
      const std::int32_t sum = s[x] + s[x + 1] + s[x + 2] + s[x + 3] + s[x + 4];
      const std::int32_t square_sum = q[x] + q[x + 1] + q[x + 2] + q[x + 3] + q[x + 4];
      out[x] = classic::Variance625(sum, square_sum);
    }
  }

 private:
  std::uint8_t* Slot(int y) {
    return &pixels_[padded_ * static_cast<std::size_t>((y + kRadius) % kWindow)];
  }
  const std::uint8_t* Slot(int y) const { return const_cast<Neighbourhood*>(this)->Slot(y); }

  void Fill(int y) {
    const auto* source = grey_.Row<std::uint8_t>(classic::Reflect101(y, grey_.height()));
    std::uint8_t* slot = Slot(y);
    std::memcpy(slot + kRadius, source, static_cast<std::size_t>(grey_.width()));
    for (int i = 1; i <= kRadius; ++i) {
      slot[kRadius - i] = source[classic::Reflect101(-i, grey_.width())];
      slot[kRadius + grey_.width() - 1 + i] =
          source[classic::Reflect101(grey_.width() - 1 + i, grey_.width())];
    }
  }

  void SumColumns(int y) {
    const std::array rows = {Slot(y - 2), Slot(y - 1), Slot(y), Slot(y + 1), Slot(y + 2)};
    static_assert(rows.size() == kWindow);
    for (std::size_t x = 0; x < padded_; ++x) {
      const int a = rows[0][x], b = rows[1][x], c = rows[2][x], d = rows[3][x], e = rows[4][x];
      sums_[x] = static_cast<std::uint16_t>(a + b + c + d + e);
      square_sums_[x] = a * a + b * b + c * c + d * d + e * e;
    }
  }

  const Plane& grey_;
  const std::size_t padded_;  // columns with the border
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint16_t> sums_;
  std::vector<std::int32_t> square_sums_;
  bool filled_ = false;
  int last_ = 0;
};

void WriteDerivatives(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below,
                      int width, std::int32_t* __restrict laplacian,
                      std::int32_t* __restrict gradient) {
  for (int x = 0; x < width; ++x) {
    laplacian[x] = classic::AbsLaplacian(above + x, row + x, below + x);
    gradient[x] = classic::SquaredGradient(above + x, row + x, below + x);
  }
}

class CpuDetail final : public CpuStage<DetailStage> {
 public:
  using CpuStage::CpuStage;

  absl::StatusOr<DetailMaps> Run(const Plane& grey) override {
    GLINT_RETURN_IF_ERROR(CheckPlane("detail: grey", grey, PixelType::kU8, {}));
    DetailMaps maps;
    GLINT_RETURN_IF_ERROR(HostCall("detail", [&] { maps = Compute(grey); }));
    return maps;
  }

 private:
  DetailMaps Compute(const Plane& grey) {
    DetailMaps maps{.laplacian = Plane::Host(grey.size(), PixelType::kS32),
                    .gradient = Plane::Host(grey.size(), PixelType::kS32),
                    .variance = Plane::Host(grey.size(), PixelType::kS32)};
    const auto work = [&](Rows rows) {
      Neighbourhood around(grey);
      for (int y = rows.begin; y < rows.end; ++y) {
        around.MoveTo(y);
        WriteDerivatives(around.Row(y - 1), around.Row(y), around.Row(y + 1), grey.width(),
                         maps.laplacian.Row<std::int32_t>(y), maps.gradient.Row<std::int32_t>(y));
        around.WriteVariance(maps.variance.Row<std::int32_t>(y));
      }
    };
    ForRows(pool_, grey.height(), work, kBandRows);
    return maps;
  }
};

}  // namespace

GLINT_DEFINE_CPU_STAGE(Detail, CpuDetail)

}  // namespace glint
