// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/gpu_code.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "glint/error.h"
#if GLINT_WITH_CUDA
#include "stages/cuda/runtime.h"
#endif

namespace glint::cuda {
namespace {

#if GLINT_WITH_CUDA
/// NVIDIA's table "CUDA Toolkit and Minimum Required Driver Version for CUDA Minor Version
/// Compatibility" (release notes of CUDA 13.0). @param runtime  its CUDA version
std::string LeastDriver(int runtime) {
  switch (runtime / 1000) {
    case 11:
      return "450.80.02";
    case 12:
      return "525.60.13";
    case 13:
      return "580";
    default:
      return fmt::format("for CUDA {}.0", runtime / 1000);
  }
}
#endif

/// Whether files can be made in the folder, or the folder itself where it is not there yet.
bool IsWritable(std::filesystem::path folder) {
  std::error_code error;
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return std::filesystem::is_directory(folder, error) && access(folder.c_str(), W_OK) == 0;
}

}  // namespace

absl::StatusOr<GpuCode> HeldGpuCode() {
#if GLINT_WITH_CUDA
  const int runtime = MachineRuntime().RuntimeVersion();
  return GpuCode{.compiler = GLINT_NVCC_VERSION,
                 .runtime = runtime,
                 .sms = {GLINT_CUDA_SMS},
                 .ptx = GLINT_CUDA_PTX,
                 .least_driver = LeastDriver(runtime)};
#else
  return Error(Reason::kDeviceUnavailable,
               "this build of glint holds no CUDA code (CMake said: " GLINT_WITHOUT_CUDA_WHY ")");
#endif
}

CodeFor FindCode(const GpuCode& code, int major, int minor) {
  const bool own =
      std::ranges::any_of(code.sms, [&](int sm) { return sm / 10 == major && sm % 10 <= minor; });
  if (own) return CodeFor::kOwn;
  return code.ptx > 0 && 10 * major + minor >= code.ptx ? CodeFor::kPtx : CodeFor::kNone;
}

std::string ListOf(const std::vector<int>& sms) { return fmt::format("{}", fmt::join(sms, ", ")); }

std::string CudaVersionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string DriverReleaseIn(std::string_view text) {
  // NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023
  const std::string_view line = text.substr(0, text.find('\n'));
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const bool release = word.size() > 4 && word.find('.') == 3 &&
                         word.find_first_not_of("0123456789.") == std::string_view::npos;
    if (release) return std::string(word);
    at = end + 1;
  }
  return "";
}

std::string DescribePtxCache(const char* disable, const char* path, const char* home) {
  if (disable != nullptr && std::string_view(disable) == "1") {
    return "made anew at every start: CUDA_CACHE_DISABLE is 1";
  }
  if (path == nullptr && home == nullptr) {
    return "made anew at every start: neither CUDA_CACHE_PATH nor HOME is set";
  }
  const auto folder = path != nullptr ? std::filesystem::path(path)
                                      : std::filesystem::path(home) / ".nv" / "ComputeCache";
  if (IsWritable(folder)) return "kept in " + folder.string();
  return fmt::format(
      "made anew at every start: {} cannot be written; set CUDA_CACHE_PATH to a folder that can",
      folder.string());
}

}  // namespace glint::cuda
