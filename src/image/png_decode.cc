// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>

#include "base/status_macros.h"
#include "glint/error.h"
#include "image/png.h"

namespace glint {
namespace {

/// One file being read by libpng, which reports errors by longjmp. Every function that calls libpng
/// sets the place to return to itself and holds nothing that has a destructor, so a jump passes
/// over none; all memory belongs to this object or to the caller.
class PngReader {
 public:
  explicit PngReader(std::span<const std::byte> file) : rest_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &OnError, &OnWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  bool created() const { return info_ != nullptr; }
  /// What libpng complained about last.
  const char* complaint() const { return complaint_.data(); }

  Size size() const {
    return {static_cast<int>(png_get_image_width(png_, info_)),
            static_cast<int>(png_get_image_height(png_, info_))};
  }
  int bit_depth() const { return png_get_bit_depth(png_, info_); }
  bool has_colour() const { return (png_get_color_type(png_, info_) & PNG_COLOR_MASK_COLOR) != 0; }

  /// Reads up to the first pixel. @return false on a complaint
  bool ReadHeader() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, this, &OnRead);
    png_read_info(png_, info_);
    return true;
  }

  /// Asks for 8 bits a component, grey or RGB, without alpha. @return bytes of one row, 0 on a
  /// complaint
  std::size_t WantEightBits() {
    if (setjmp(png_jmpbuf(png_)) != 0) return 0;
    png_set_expand(png_);
    png_set_scale_16(png_);
    png_set_strip_alpha(png_);
    return Start();
  }

  /// Asks for the values as they are stored, without alpha. @return as WantEightBits
  std::size_t WantStored() {
    if (setjmp(png_jmpbuf(png_)) != 0) return 0;
    png_set_strip_alpha(png_);
    return Start();
  }

  /// @param rows  one pointer per row, each with room for a row. @return false on a complaint
  bool ReadPixels(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

 private:
  std::size_t Start() {
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return png_get_rowbytes(png_, info_);
  }

  [[noreturn]] static void OnError(png_structp png, png_const_charp message) {
    auto& self = *static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(self.complaint_.data(), message, self.complaint_.size() - 1);
    png_longjmp(png, 1);
  }
  static void OnWarning(png_structp, png_const_charp) {}
  static void OnRead(png_structp png, png_bytep out, std::size_t count) {
    auto& rest = static_cast<PngReader*>(png_get_io_ptr(png))->rest_;
    if (count > rest.size()) png_error(png, "the file ends early");
    std::memcpy(out, rest.data(), count);
    rest = rest.subspan(count);
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::span<const std::byte> rest_;
  std::array<char, 128> complaint_{};
};

absl::Status Unreadable(const PngReader& reader) {
  return Error(Reason::kInputUnreadable,
               fmt::format("this is no PNG file that can be read ({}): give another picture",
                           reader.complaint()));
}

absl::Status Open(PngReader& reader, std::int64_t max_pixels) {
  if (!reader.created()) return Error(Reason::kOutOfMemory, "no memory to read a PNG file");
  if (!reader.ReadHeader()) return Unreadable(reader);
  if (reader.size().area() <= max_pixels) return absl::OkStatus();
  return Error(Reason::kLimitExceeded,
               fmt::format("the PNG file is {} pixels large, more than the limit of {} in all: "
                           "make it smaller",
                           ToString(reader.size()), max_pixels));
}

/// The pointers that libpng wants, into rows that start `stride` bytes after each other.
std::vector<png_bytep> RowPointers(std::byte* first, std::ptrdiff_t stride, int height) {
  std::vector<png_bytep> rows(static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    rows[static_cast<std::size_t>(y)] = reinterpret_cast<png_bytep>(first + y * stride);
  }
  return rows;
}

}  // namespace

absl::StatusOr<Plane> DecodePng(std::span<const std::byte> file, std::int64_t max_pixels) {
  PngReader reader(file);
  GLINT_RETURN_IF_ERROR(Open(reader, max_pixels));
  const PixelType type = reader.has_colour() ? PixelType::kU8x3 : PixelType::kU8;
  const std::size_t row_bytes = reader.WantEightBits();
  if (row_bytes == 0) return Unreadable(reader);
  Plane plane = Plane::Host(reader.size(), type);
  if (row_bytes !=
      static_cast<std::size_t>(plane.width()) * static_cast<std::size_t>(BytesPerPixel(type))) {
    return Error(Reason::kInternal,
                 fmt::format("libpng wants rows of {} bytes for {}", row_bytes, Describe(plane)));
  }
  std::vector<png_bytep> rows = RowPointers(plane.data(), plane.stride(), plane.height());
  if (!reader.ReadPixels(rows.data())) return Unreadable(reader);
  return plane;
}

absl::StatusOr<Plane> DecodeLabelPng(std::span<const std::byte> file, std::int64_t max_pixels) {
  PngReader reader(file);
  GLINT_RETURN_IF_ERROR(Open(reader, max_pixels));
  const int bits = reader.bit_depth();
  if (reader.has_colour() || bits < 8) {
    return Error(Reason::kInputUnreadable,
                 "the PNG file is no picture of numbers: give a grey one of 8 or 16 bits");
  }
  const std::size_t row_bytes = reader.WantStored();
  if (row_bytes == 0) return Unreadable(reader);
  Plane plane = Plane::Host(reader.size(), PixelType::kS32);
  std::vector<std::byte> stored(row_bytes * static_cast<std::size_t>(plane.height()));
  std::vector<png_bytep> rows =
      RowPointers(stored.data(), static_cast<std::ptrdiff_t>(row_bytes), plane.height());
  if (!reader.ReadPixels(rows.data())) return Unreadable(reader);
  for (int y = 0; y < plane.height(); ++y) {
    const png_bytep row = rows[static_cast<std::size_t>(y)];
    std::int32_t* out = plane.Row<std::int32_t>(y);
    for (std::ptrdiff_t x = 0; x < plane.width(); ++x) {
      out[x] = bits == 8 ? row[x] : row[2 * x] << 8 | row[2 * x + 1];
    }
  }
  return plane;
}

}  // namespace glint
