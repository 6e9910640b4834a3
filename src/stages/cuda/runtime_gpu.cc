// SPDX-License-Identifier: Apache-2.0
// The GPU behind CUDA's runtime.
#include <fmt/format.h>

#include <fstream>

#include "glint/error.h"
#include "stages/cuda/context.h"
#include "stages/cuda/gpu_code.h"
#include "stages/cuda/runtime.h"
#include "stages/cuda/runtime_state.h"
#include "stages/cuda/runtime_stream.h"

namespace glint::cuda {
namespace {

static_assert(static_cast<int>(CudaError::kMemoryAllocation) == cudaErrorMemoryAllocation);
static_assert(static_cast<int>(CudaError::kInsufficientDriver) == cudaErrorInsufficientDriver);
static_assert(static_cast<int>(CudaError::kDevicesUnavailable) == cudaErrorDevicesUnavailable);
static_assert(static_cast<int>(CudaError::kNoDevice) == cudaErrorNoDevice);
static_assert(static_cast<int>(CudaError::kInvalidDevice) == cudaErrorInvalidDevice);
static_assert(static_cast<int>(CudaError::kNoKernelImageForDevice) ==
              cudaErrorNoKernelImageForDevice);
static_assert(static_cast<int>(CudaError::kUnsupportedPtxVersion) ==
              cudaErrorUnsupportedPtxVersion);

class RuntimeGpu final : public Gpu {
 public:
  explicit RuntimeGpu(GpuInfo info)
      : info_(std::move(info)), state_(std::make_shared<RuntimeState>(info_.ordinal)) {}

  const GpuInfo& info() const override { return info_; }

  absl::StatusOr<std::size_t> FreeMemory() override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    std::size_t free_bytes = 0, total = 0;
    GLINT_RETURN_IF_ERROR(state_->Check(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo"));
    return free_bytes;
  }

  absl::StatusOr<std::byte*> Allocate(std::size_t bytes) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    void* memory = nullptr;
    GLINT_RETURN_IF_ERROR(
        state_->Check(cudaMalloc(&memory, bytes), fmt::format("cudaMalloc of {} bytes", bytes)));
    return static_cast<std::byte*>(memory);
  }

  void Free(std::byte* memory) noexcept override {
    // The memory of a lost GPU went with it; its address may have a new owner.
    if (state_->lost()) return;
    absl::Status freed = state_->Enter();
    if (freed.ok()) freed = state_->Check(cudaFree(memory), "cudaFree");
    freed.IgnoreError();  // it has lost the GPU, which the next call reports
  }

  absl::StatusOr<std::byte*> AllocateHost(std::size_t bytes) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    void* memory = nullptr;
    GLINT_RETURN_IF_ERROR(state_->Check(cudaMallocHost(&memory, bytes),
                                        fmt::format("cudaMallocHost of {} bytes", bytes)));
    return static_cast<std::byte*>(memory);
  }

  void FreeHost(std::byte* memory) noexcept override {
    if (state_->lost()) return;
    const absl::Status freed = state_->Check(cudaFreeHost(memory), "cudaFreeHost");
    freed.IgnoreError();  // it has lost the GPU, which the next call reports
  }

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream() override {
    return MakeRuntimeStream(state_);
  }
  absl::StatusOr<std::unique_ptr<Event>> MakeEvent() override { return MakeRuntimeEvent(state_); }

  bool IsLost() const override { return state_->lost(); }

 private:
  const GpuInfo info_;
  const std::shared_ptr<RuntimeState> state_;
};

class Runtime final : public CudaRuntime {
 public:
  CudaError DriverVersion(int& version) override { return Tried(cudaDriverGetVersion(&version)); }
  std::string DriverRelease() override {
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line;
    std::getline(file, line);
    return DriverReleaseIn(line);
  }
  int RuntimeVersion() const override { return CUDART_VERSION; }
  CudaError CountGpus(int& count) override { return Tried(cudaGetDeviceCount(&count)); }

  CudaError Describe(int ordinal, GpuInfo& info) override {
    cudaDeviceProp properties;
    const CudaError error = Tried(cudaGetDeviceProperties(&properties, ordinal));
    if (error != CudaError::kSuccess) return error;
    info = {.ordinal = ordinal,
            .name = properties.name,
            .pci = fmt::format("{:04x}:{:02x}:{:02x}.0", properties.pciDomainID,
                               properties.pciBusID, properties.pciDeviceID),
            .major = properties.major,
            .minor = properties.minor,
            .multiprocessors = properties.multiProcessorCount,
            .memory = properties.totalGlobalMem,
            .driver = 0,
            .release = DriverRelease(),
            .runtime = RuntimeVersion(),
            .ptx = 0};
    const auto code = HeldGpuCode();
    if (code.ok() && FindCode(*code, info.major, info.minor) == CodeFor::kPtx) info.ptx = code->ptx;
    return DriverVersion(info.driver);
  }

  CudaError Start(int ordinal) override {
    CudaError error = Tried(cudaSetDevice(ordinal));
    if (error == CudaError::kSuccess) error = Tried(cudaFree(nullptr));  // makes the context
    if (IsSpoilt(error)) {
      error = Tried(cudaDeviceReset());
      if (error == CudaError::kSuccess) error = Tried(cudaFree(nullptr));
    }
    for (const Launcher& launcher : AllLaunchers()) {
      if (error != CudaError::kSuccess) break;
      error = Tried(launcher.load());
    }
    return error;
  }

  absl::StatusOr<std::shared_ptr<Gpu>> Open(int ordinal) override {
    GpuInfo info;
    const CudaError error = Describe(ordinal, info);
    if (error == CudaError::kSuccess) return std::make_shared<RuntimeGpu>(std::move(info));
    return Error(Reason::kDeviceUnavailable, Explain(error));
  }

  std::string Explain(CudaError error) const override {
    return Words(static_cast<cudaError_t>(error));
  }

 private:
  /// Whether an earlier error has left the process with a context that only a reset mends.
  static bool IsSpoilt(CudaError error) {
    switch (error) {
      case CudaError::kSuccess:
      case CudaError::kMemoryAllocation:
      case CudaError::kInsufficientDriver:
      case CudaError::kDevicesUnavailable:
      case CudaError::kNoDevice:
      case CudaError::kInvalidDevice:
      case CudaError::kNoKernelImageForDevice:
      case CudaError::kUnsupportedPtxVersion:
        return false;
    }
    return true;
  }
};

}  // namespace

CudaRuntime& MachineRuntime() {
  static Runtime runtime;
  return runtime;
}

}  // namespace glint::cuda
