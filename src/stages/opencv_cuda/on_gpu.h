// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <fmt/format.h>

#include <new>
#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>
#include <string_view>

#include "glint/error.h"

namespace glint::opencv_cuda {

/// What an exception of OpenCV's means.
inline absl::Status Failure(std::string_view where, const cv::Exception& exception) {
  const bool full = exception.code == cv::Error::StsNoMem ||
                    exception.err.find("out of memory") != std::string::npos;
  const bool device =
      exception.code == cv::Error::GpuApiCallError || exception.code == cv::Error::GpuNotSupported;
  const Reason reason = full     ? Reason::kOutOfMemory
                        : device ? Reason::kDeviceUnavailable
                                 : Reason::kInternal;
  return Error(reason, fmt::format("{}: OpenCV says: {}", where, exception.err));
}

/// Calls `work` with the GPU `ordinal` as this thread's, and turns what it throws into a status.
template <class Work>
absl::Status OnGpu(std::string_view where, int ordinal, const Work& work) {
  try {
    cv::cuda::setDevice(ordinal);
    work();
    return absl::OkStatus();
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, fmt::format("{}: host memory is out", where));
  } catch (const cv::Exception& exception) {
    return Failure(where, exception);
  }
}

}  // namespace glint::opencv_cuda
