// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime as probing needs it, behind an interface so that every way in which it fails can
// be played to the prober without a GPU.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "stages/cuda/gpu.h"

namespace glint::cuda {

/// The cudaError_t values that mean something in particular (runtime_gpu.cc checks the numbers).
enum class CudaError : int {
  kSuccess = 0,
  kMemoryAllocation = 2,
  kInsufficientDriver = 35,
  kDevicesUnavailable = 46,  ///< another process has the GPU for itself
  kNoDevice = 100,
  kInvalidDevice = 101,
  kNoKernelImageForDevice = 209,
  kUnsupportedPtxVersion = 222,
};

/// What CUDA's runtime and driver say.
class CudaRuntime {
 public:
  virtual ~CudaRuntime() = default;
  /// CUDA version that the driver supports, as 13000 for 13.0; 0 where there is no driver.
  virtual CudaError DriverVersion(int& version) = 0;
  /// Its release, as NVIDIA numbers drivers: "535.104.05"; empty where it is unknown.
  virtual std::string DriverRelease() = 0;
  /// CUDA version of the runtime in this program.
  virtual int RuntimeVersion() const = 0;
  virtual CudaError CountGpus(int& count) = 0;
  virtual CudaError Describe(int ordinal, GpuInfo& info) = 0;
  /// Creates the context on a GPU and loads every kernel.
  virtual CudaError Start(int ordinal) = 0;
  /// The GPU, once started. Errors: as in gpu.h
  virtual absl::StatusOr<std::shared_ptr<Gpu>> Open(int ordinal) = 0;
  /// CUDA's name and words for an error.
  virtual std::string Explain(CudaError error) const = 0;
};

/// That of this machine.
CudaRuntime& MachineRuntime();

}  // namespace glint::cuda
