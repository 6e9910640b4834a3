// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>  // jpeglib.h uses FILE and size_t without including them

namespace glint {

/// Makes libjpeg return to a function of ours when it gives up, where its own handler ends the
/// process. Every function that calls libjpeg sets `place` to itself and holds nothing that has a
/// destructor, so the jump passes over none.
struct JpegErrors {
  jpeg_error_mgr base;  // first: libjpeg's pointer to it is a pointer to this
  std::jmp_buf place;
  std::array<char, JMSG_LENGTH_MAX> complaint{};  ///< what libjpeg said last

  /// Fills in the handlers. @return what goes into the `err` of libjpeg's objects
  jpeg_error_mgr* Install() {
    jpeg_std_error(&base);
    base.error_exit = &GiveUp;
    base.output_message = &Keep;
    return &base;
  }

 private:
  [[noreturn]] static void GiveUp(j_common_ptr info) {
    auto& self = *reinterpret_cast<JpegErrors*>(info->err);
    info->err->format_message(info, self.complaint.data());
    std::longjmp(self.place, 1);
  }
  static void Keep(j_common_ptr info) {
    info->err->format_message(info, reinterpret_cast<JpegErrors*>(info->err)->complaint.data());
  }
};

}  // namespace glint
