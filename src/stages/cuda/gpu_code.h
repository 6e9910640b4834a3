// SPDX-License-Identifier: Apache-2.0
// The GPU code of this build, and what it takes to run it.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

namespace glint::cuda {

/// Code for GPUs, by compute capability: 75 is 7.5.
struct GpuCode {
  std::string compiler;      ///< nvcc's version, "11.8.89"
  int runtime = 0;           ///< CUDA version of the runtime that is linked in: 11080 is 11.8
  std::vector<int> sms;      ///< those with code of their own, which GPUs of the same major version
                             ///< and a greater minor one run, too
  int ptx = 0;               ///< whose PTX it holds: drivers make code from it for newer GPUs
  std::string least_driver;  ///< release of NVIDIA's driver that the runtime needs, "450.80.02"
};

/// That of this build. Errors: DEVICE_UNAVAILABLE it holds none; the message says why
absl::StatusOr<GpuCode> HeldGpuCode();

/// How a GPU of compute capability major.minor is served.
enum class CodeFor { kNone, kOwn, kPtx };
CodeFor FindCode(const GpuCode& code, int major, int minor);

/// "75, 80, 86".
std::string ListOf(const std::vector<int>& sms);

/// "11.8" of 11080.
std::string CudaVersionText(int version);

/// Release of the driver in the text of /proc/driver/nvidia/version, "535.104.05"; empty when the
/// text names none.
std::string DriverReleaseIn(std::string_view text);

/// Where the driver keeps the code that it makes from PTX, for people: "kept in /root/.nv/...", or
/// why it is made anew at every start. By the environment variables CUDA_CACHE_DISABLE,
/// CUDA_CACHE_PATH and HOME, null where they are not set.
std::string DescribePtxCache(const char* disable, const char* path, const char* home);

}  // namespace glint::cuda
