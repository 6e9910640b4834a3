// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"
#include "image/png.h"

namespace glint {
namespace {

// About the size that libpng's level 9 gives: in a fifteenth of its time for pictures of light, in
// a twelfth for shapes, which need the longer search.
constexpr int kLevelForLight = 6;
constexpr int kLevelForShapes = 7;
constexpr int kLevelForSamples = 3;

// Clause 5.2: 0x89 "PNG" and line ends that a careless transfer would change.
constexpr std::array<std::byte, 8> kSignature = {std::byte{0x89}, std::byte{'P'},  std::byte{'N'},
                                                 std::byte{'G'},  std::byte{'\r'}, std::byte{'\n'},
                                                 std::byte{0x1a}, std::byte{'\n'}};

/// How a plane's pixels are stored in the file.
struct Layout {
  std::uint8_t bit_depth;
  std::uint8_t colour_type;  // 0 grey, 2 RGB
  std::size_t pixel_bytes;
};

std::optional<Layout> LayoutOf(PixelType type) {
  switch (type) {
    case PixelType::kU8:
      return Layout{8, 0, 1};
    case PixelType::kU8x3:
      return Layout{8, 2, 3};
    case PixelType::kS32:
      return Layout{16, 0, 2};
    case PixelType::kS16:
    case PixelType::kF32:
    case PixelType::kF32x2:
      return std::nullopt;
  }
  return std::nullopt;
}

void FillRow(const Plane& plane, int y, std::span<std::uint8_t> row) {
  if (plane.type() != PixelType::kS32) {
    std::memcpy(row.data(), plane.Row<std::uint8_t>(y), row.size());
    return;
  }
  const std::int32_t* values = plane.Row<std::int32_t>(y);
  for (std::size_t x = 0; x < row.size() / 2; ++x) {
    const std::int32_t value = std::clamp(values[x], 0, 65535);
    row[2 * x] = static_cast<std::uint8_t>(value >> 8);
    row[2 * x + 1] = static_cast<std::uint8_t>(value);
  }
}

void AppendBigEndian(std::vector<std::byte>& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<std::byte>(value >> shift));
}

/// Length, type, data and checksum (clause 5.3).
void AppendChunk(std::vector<std::byte>& out, std::string_view type,
                 std::span<const std::byte> data) {
  AppendBigEndian(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  const auto* name = reinterpret_cast<const std::byte*>(type.data());
  out.insert(out.end(), name, name + type.size());
  out.insert(out.end(), data.begin(), data.end());
  AppendBigEndian(out, libdeflate_crc32(0, out.data() + start, out.size() - start));
}

std::vector<std::byte> Header(Size size, const Layout& layout) {
  std::vector<std::byte> header;
  AppendBigEndian(header, static_cast<std::uint32_t>(size.width));
  AppendBigEndian(header, static_cast<std::uint32_t>(size.height));
  // After depth and colour type: deflate, adaptive filters, not interlaced.
  for (const std::uint8_t value :
       {layout.bit_depth, layout.colour_type, std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0}}) {
    header.push_back(static_cast<std::byte>(value));
  }
  return header;
}

/// Predictors of a byte (clause 9.2), by their number in the file. Left out are Sub, which hardly
/// ever is the best on such pictures, and a choice per row: by the least sum of differences, as
/// libpng makes it, it is as good as the best of these for all rows, and no better.
enum class Filter : std::uint8_t { kNone = 0, kUp = 2, kAverage = 3, kPaeth = 4 };
constexpr std::array kFilters = {Filter::kNone, Filter::kUp, Filter::kAverage, Filter::kPaeth};

/// Without branches, so that compilers make vector code of it.
template <Filter kFilter>
std::uint8_t Predicted(std::int16_t left, std::int16_t above, std::int16_t corner) {
  if constexpr (kFilter == Filter::kUp) return static_cast<std::uint8_t>(above);
  if constexpr (kFilter == Filter::kAverage) return static_cast<std::uint8_t>((left + above) / 2);
  if constexpr (kFilter == Filter::kPaeth) {
    const auto to_left = static_cast<std::int16_t>(std::abs(above - corner));
    const auto to_above = static_cast<std::int16_t>(std::abs(left - corner));
    const auto to_corner = static_cast<std::int16_t>(std::abs(left + above - 2 * corner));
    const std::int16_t other = to_above <= to_corner ? above : corner;
    const bool is_left = (to_left <= to_above) & (to_left <= to_corner);
    return static_cast<std::uint8_t>(is_left ? left : other);
  }
  return 0;
}

template <Filter kFilter>
void Filtered(std::span<const std::uint8_t> row, const std::uint8_t* above, std::size_t pixel_bytes,
              std::uint8_t* out) {
  for (std::size_t i = 0; i < pixel_bytes; ++i)
    out[i] = static_cast<std::uint8_t>(row[i] - Predicted<kFilter>(0, above[i], 0));
  for (std::size_t i = pixel_bytes; i < row.size(); ++i) {
    const std::uint8_t predicted =
        Predicted<kFilter>(row[i - pixel_bytes], above[i], above[i - pixel_bytes]);
    out[i] = static_cast<std::uint8_t>(row[i] - predicted);
  }
}

/// Rows begin..end - 1 as they are compressed, appended to `out`: the filter's number, then bytes.
void AppendRows(const Plane& plane, const Layout& layout, Filter filter, int begin, int end,
                std::vector<std::uint8_t>& out) {
  const std::size_t row_bytes = static_cast<std::size_t>(plane.width()) * layout.pixel_bytes;
  std::vector<std::uint8_t> row(row_bytes);
  std::vector<std::uint8_t> above(row_bytes, 0);
  if (begin > 0) FillRow(plane, begin - 1, above);
  const auto filtered = filter == Filter::kUp        ? Filtered<Filter::kUp>
                        : filter == Filter::kAverage ? Filtered<Filter::kAverage>
                        : filter == Filter::kPaeth   ? Filtered<Filter::kPaeth>
                                                     : Filtered<Filter::kNone>;
  for (int y = begin; y < end; ++y) {
    out.push_back(static_cast<std::uint8_t>(filter));
    FillRow(plane, y, row);
    out.resize(out.size() + row_bytes);
    filtered(row, above.data(), layout.pixel_bytes, out.data() + out.size() - row_bytes);
    std::swap(row, above);
  }
}

absl::StatusOr<std::vector<std::byte>> Deflate(std::span<const std::uint8_t> data, int level) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) return Error(Reason::kOutOfMemory, "no memory to compress a picture");
  std::vector<std::byte> out(libdeflate_zlib_compress_bound(compressor.get(), data.size()));
  out.resize(
      libdeflate_zlib_compress(compressor.get(), data.data(), data.size(), out.data(), out.size()));
  return out;
}

/// The filter under which a few bands of the picture, a sixteenth of it, become the smallest.
absl::StatusOr<Filter> BestFilter(const Plane& plane, const Layout& layout) {
  constexpr int kBands = 4;
  const int rows = (plane.height() + 16 * kBands - 1) / (16 * kBands);
  Filter best = Filter::kNone;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const Filter filter : kFilters) {
    std::vector<std::uint8_t> sample;
    for (int band = 0; band < kBands; ++band) {
      const int begin = plane.height() * (2 * band + 1) / (2 * kBands);
      AppendRows(plane, layout, filter, begin, std::min(begin + rows, plane.height()), sample);
    }
    GLINT_ASSIGN_OR_RETURN(const auto deflated, Deflate(sample, kLevelForSamples));
    if (deflated.size() >= least) continue;
    least = deflated.size();
    best = filter;
  }
  return best;
}

absl::StatusOr<std::vector<std::byte>> Compressed(const Plane& plane, const Layout& layout) {
  GLINT_ASSIGN_OR_RETURN(const Filter filter, BestFilter(plane, layout));
  std::vector<std::uint8_t> rows;
  rows.reserve((static_cast<std::size_t>(plane.width()) * layout.pixel_bytes + 1) *
               static_cast<std::size_t>(plane.height()));
  AppendRows(plane, layout, filter, 0, plane.height(), rows);
  return Deflate(rows, filter == Filter::kNone ? kLevelForShapes : kLevelForLight);
}

}  // namespace

absl::StatusOr<std::vector<std::byte>> EncodePng(const Plane& plane) {
  const std::optional<Layout> layout = LayoutOf(plane.type());
  if (plane.empty() || !plane.device().is_host() || !layout) {
    return Error(Reason::kInternal, fmt::format("cannot write {} as PNG", Describe(plane)));
  }
  GLINT_ASSIGN_OR_RETURN(const std::vector<std::byte> pixels, Compressed(plane, *layout));
  if (pixels.size() > 0x7fff'ffff) {
    return Error(Reason::kInternal, fmt::format("{} is too large for a PNG", Describe(plane)));
  }
  std::vector<std::byte> file;
  file.reserve(pixels.size() + 64);  // the other chunks take 57
  file.assign(kSignature.begin(), kSignature.end());
  AppendChunk(file, "IHDR", Header(plane.size(), *layout));
  AppendChunk(file, "IDAT", pixels);
  AppendChunk(file, "IEND", {});
  return file;
}

}  // namespace glint
