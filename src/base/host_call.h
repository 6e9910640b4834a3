// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <fmt/format.h>

#include <new>
#include <opencv2/core.hpp>
#include <string_view>

#include "glint/error.h"

namespace glint {

/// Calls `work` and turns what OpenCV and the allocator throw into a status: OUT_OF_MEMORY when
/// memory is out, INTERNAL for anything else that OpenCV refuses.
/// @param where  the stage, in front of the message
template <class Work>
absl::Status HostCall(std::string_view where, Work&& work) {
  try {
    work();
    return absl::OkStatus();
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, fmt::format("{}: host memory is out", where));
  } catch (const cv::Exception& exception) {
    const Reason reason =
        exception.code == cv::Error::StsNoMem ? Reason::kOutOfMemory : Reason::kInternal;
    return Error(reason, fmt::format("{}: OpenCV says: {}", where, exception.err));
  }
}

}  // namespace glint
