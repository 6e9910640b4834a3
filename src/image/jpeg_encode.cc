// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "glint/error.h"
#include "image/jpeg.h"
#include "image/jpeg_errors.h"

namespace glint {
namespace {

constexpr int kMaxSide = 65'500;  // libjpeg's JPEG_MAX_DIMENSION

/// One file being written by libjpeg.
class JpegWriter {
 public:
  JpegWriter() { info_.err = errors_.Install(); }
  ~JpegWriter() {
    jpeg_destroy_compress(&info_);
    std::free(file_);  // NOLINT(cppcoreguidelines-no-malloc): jpeg_mem_dest takes it by malloc
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  const char* complaint() const { return errors_.complaint.data(); }
  std::span<const std::byte> file() const {
    return {reinterpret_cast<const std::byte*>(file_), file_bytes_};
  }

  /// @return false on a complaint
  bool Write(const Plane& plane, int quality) {
    if (setjmp(errors_.place) != 0) return false;
    jpeg_create_compress(&info_);
    jpeg_mem_dest(&info_, &file_, &file_bytes_);
    info_.image_width = static_cast<JDIMENSION>(plane.width());
    info_.image_height = static_cast<JDIMENSION>(plane.height());
    info_.input_components = BytesPerPixel(plane.type());
    info_.in_color_space = plane.type() == PixelType::kU8 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info_);
    jpeg_set_quality(&info_, quality, TRUE);
    info_.dct_method = JDCT_ISLOW;
    info_.optimize_coding = TRUE;
    jpeg_start_compress(&info_, TRUE);
    while (info_.next_scanline < info_.image_height) {
      JSAMPROW row = plane.Row<JSAMPLE>(static_cast<int>(info_.next_scanline));
      jpeg_write_scanlines(&info_, &row, 1);
    }
    jpeg_finish_compress(&info_);
    return true;
  }

 private:
  JpegErrors errors_{};
  jpeg_compress_struct info_{};
  unsigned char* file_ = nullptr;
  unsigned long file_bytes_ = 0;  // NOLINT(google-runtime-int): the type that jpeg_mem_dest takes
};

}  // namespace

absl::StatusOr<std::vector<std::byte>> EncodeJpeg(const Plane& plane, int quality) {
  const bool fits = !plane.empty() && plane.device().is_host() &&
                    (plane.type() == PixelType::kU8 || plane.type() == PixelType::kU8x3) &&
                    plane.width() <= kMaxSide && plane.height() <= kMaxSide;
  if (!fits || quality < 1 || quality > 100) {
    return Error(Reason::kInternal,
                 fmt::format("cannot write {} as JPEG of quality {}", Describe(plane), quality));
  }
  JpegWriter writer;
  if (!writer.Write(plane, quality)) {
    return Error(Reason::kOutOfMemory,
                 fmt::format("cannot write {} as JPEG: {}", Describe(plane), writer.complaint()));
  }
  return std::vector<std::byte>(writer.file().begin(), writer.file().end());
}

}  // namespace glint
