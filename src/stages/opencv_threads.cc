// SPDX-License-Identifier: Apache-2.0
#include "stages/opencv_threads.h"

#include <mutex>
#include <opencv2/core/utility.hpp>

namespace glint {

void KeepOpenCvOnTheCallingThread() {
  // Once only: OpenCV's setter must not run while another thread is inside OpenCV.
  static std::once_flag once;
  std::call_once(once, [] { cv::setNumThreads(1); });
}

}  // namespace glint
