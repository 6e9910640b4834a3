// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "glint/error.h"
#include "image/jpeg.h"
#include "image/jpeg_errors.h"

namespace glint {
namespace {

constexpr int kMaxScans = 100;  // encoders write about ten; each one costs a pass over the picture
constexpr int kMaxKilobytes = 2'000'000;  // what libjpeg may take for a progressive file

/// One file being read by libjpeg.
class JpegReader {
 public:
  JpegReader() { info_.err = errors_.Install(); }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  const char* complaint() const { return errors_.complaint.data(); }
  Size size() const {
    return {static_cast<int>(info_.image_width), static_cast<int>(info_.image_height)};
  }
  bool is_grey() const { return info_.jpeg_color_space == JCS_GRAYSCALE; }
  bool too_many_scans() const { return info_.input_scan_number > kMaxScans; }
  /// Whether the file was damaged or ended early: libjpeg only warns and paints grey.
  bool damaged() const { return errors_.base.num_warnings > 0; }

  /// Reads up to the first pixel. @return false on a complaint
  bool ReadHeader(std::span<const std::byte> file) {
    if (setjmp(errors_.place) != 0) return false;
    jpeg_create_decompress(&info_);
    info_.mem->max_memory_to_use = long{kMaxKilobytes} * 1000;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_read_header(&info_, TRUE);
    info_.out_color_space = is_grey() ? JCS_GRAYSCALE : JCS_RGB;
    info_.dct_method = JDCT_ISLOW;
    info_.progress = &progress_;
    progress_.progress_monitor = &StopAfterTooManyScans;
    return true;
  }

  /// @param plane  of the size and type of the picture. @return false on a complaint
  bool ReadPixels(const Plane& plane) {
    if (setjmp(errors_.place) != 0) return false;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = plane.Row<JSAMPLE>(static_cast<int>(info_.output_scanline));
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

 private:
  static void StopAfterTooManyScans(j_common_ptr info) {
    if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMaxScans) {
      info->err->error_exit(info);
    }
  }

  JpegErrors errors_{};
  jpeg_decompress_struct info_{};
  jpeg_progress_mgr progress_{};
};

absl::Status Unreadable(const JpegReader& reader) {
  return Error(Reason::kInputUnreadable,
               fmt::format("this is no JPEG file that can be read ({}): give another picture",
                           reader.complaint()));
}

}  // namespace

absl::StatusOr<Plane> DecodeJpeg(std::span<const std::byte> file, std::int64_t max_pixels) {
  JpegReader reader;
  if (!reader.ReadHeader(file)) return Unreadable(reader);
  if (reader.size().area() > max_pixels) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("the JPEG file is {} pixels large, more than the limit of {} in all: "
                             "make it smaller",
                             ToString(reader.size()), max_pixels));
  }
  Plane plane = Plane::Host(reader.size(), reader.is_grey() ? PixelType::kU8 : PixelType::kU8x3);
  const bool complete = reader.ReadPixels(plane);
  if (reader.too_many_scans()) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("the JPEG file has more than {} scans, as only a hostile one has: "
                             "give another picture",
                             kMaxScans));
  }
  if (!complete || reader.damaged()) return Unreadable(reader);
  return plane;
}

}  // namespace glint
