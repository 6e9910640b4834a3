// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "glint/error.h"
#include "stages/cuda/gpu_code.h"

namespace glint {

/// The GPU code of a build for machines; only `why` where there is none.
inline nlohmann::ordered_json GpuCodeJson(const absl::StatusOr<cuda::GpuCode>& code) {
  if (!code.ok()) return {{"why", Message(code.status())}};
  return {{"compiler", code->compiler},
          {"runtime", cuda::CudaVersionText(code->runtime)},
          {"sms", code->sms},
          {"ptx", code->ptx},
          {"least_driver", code->least_driver}};
}

/// The same for people: "runtime 11.8 (driver 450.80.02 or newer), code for sm 75, 80, PTX of 90".
inline std::string GpuCodeText(const cuda::GpuCode& code) {
  return fmt::format(
      "runtime {} (needs driver {} or newer), code for sm {}, PTX of {} for newer ones",
      cuda::CudaVersionText(code.runtime), code.least_driver, cuda::ListOf(code.sms), code.ptx);
}

}  // namespace glint
