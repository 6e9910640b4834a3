// SPDX-License-Identifier: Apache-2.0
// The GPU behind CUDA's runtime. Every call of the runtime stands inside Check() or Tried(), whose
// results cannot be dropped; scripts/check_cuda_calls.py looks for calls that do not.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "glint/error.h"
#include "stages/cuda/launch/launchers.h"
#include "stages/cuda/runtime.h"
#include "stages/cuda/session.h"

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

/// The error of a call, for those who decide about it themselves.
[[nodiscard]] CudaError Tried(cudaError_t error) { return static_cast<CudaError>(error); }
[[nodiscard]] CudaError Tried(int error) { return static_cast<CudaError>(error); }

std::string Words(cudaError_t error) {
  return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
}

/// How each kernel is launched, by KernelId.
std::array<Launcher, kKernels> CollectLaunchers() {
  std::array<Launcher, kKernels> all{};
  for (const auto part :
       {MeasureLaunchers(), FlowLaunchers(), ClassicLaunchers(), PhotometricLaunchers()}) {
    for (const Launcher& launcher : part) all[static_cast<std::size_t>(launcher.id)] = launcher;
  }
  return all;
}

const std::array<Launcher, kKernels>& Launchers() {
  static const std::array<Launcher, kKernels> launchers = CollectLaunchers();
  return launchers;
}

/// The state of one GPU that its streams share.
class State {
 public:
  explicit State(int ordinal) : ordinal_(ordinal) {}

  /// A failure of the call, with what it says; anything but a lack of memory loses the GPU.
  [[nodiscard]] absl::Status Check(int code, std::string_view call) {
    if (code == cudaSuccess) return absl::OkStatus();
    const auto error = static_cast<cudaError_t>(code);
    const std::string message = fmt::format("GPU {}: {}: {}", ordinal_, call, Words(error));
    if (error == cudaErrorMemoryAllocation) {
      // So that no later call reports it.
      [[maybe_unused]] const CudaError reported = Tried(cudaGetLastError());
      return Error(Reason::kOutOfMemory, message);
    }
    lost_ = true;
    return Error(Reason::kDeviceUnavailable, message);
  }

  /// Makes this GPU the calling thread's.
  [[nodiscard]] absl::Status Enter() { return Check(cudaSetDevice(ordinal_), "cudaSetDevice"); }

  bool lost() const { return lost_; }

 private:
  const int ordinal_;
  std::atomic<bool> lost_ = false;
};

/// Memory of the host that the GPU reads and writes without help, for what is copied between two
/// waits. Copies from and to other memory would wait, or go through such memory of the driver's.
class PinnedMemory {
 public:
  explicit PinnedMemory(State& state) : state_(state) {}
  ~PinnedMemory() { Free(); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  /// Room until the next Reset(); null when there is none.
  std::byte* Take(std::size_t bytes) {
    constexpr std::size_t kAlignment = 256;
    constexpr std::size_t kMost = 64U << 20;
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (used_ == 0 && bytes > size_ && bytes <= kMost) Grow(bytes);
    if (bytes > size_ - used_) return nullptr;
    used_ += bytes;
    return memory_ + used_ - bytes;
  }

  void Reset() { used_ = 0; }

 private:
  void Grow(std::size_t bytes) {
    Free();
    void* memory = nullptr;
    // Without it, copies are slower, not wrong: where the host gives none, there is none.
    const CudaError error = Tried(cudaMallocHost(&memory, bytes));
    if (error != CudaError::kSuccess) {
      // So that no later call reports it.
      [[maybe_unused]] const CudaError reported = Tried(cudaGetLastError());
      return;
    }
    memory_ = static_cast<std::byte*>(memory);
    size_ = bytes;
  }

  void Free() {
    if (memory_ != nullptr && !state_.lost()) {
      const absl::Status freed = state_.Check(cudaFreeHost(memory_), "cudaFreeHost");
      freed.IgnoreError();  // it has lost the GPU, which the next call reports
    }
    memory_ = nullptr;
    size_ = used_ = 0;
  }

  State& state_;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

void CopyRows(Rows2d to, Rows2d from, std::size_t row_bytes, int rows) {
  for (int y = 0; y < rows; ++y) {
    std::memcpy(to.first + y * to.stride, from.first + y * from.stride, row_bytes);
  }
}

class RuntimeStream final : public Stream {
 public:
  static absl::StatusOr<std::unique_ptr<Stream>> Make(std::shared_ptr<State> state) {
    GLINT_RETURN_IF_FAILED(state->Enter());
    cudaStream_t stream = nullptr;
    GLINT_RETURN_IF_FAILED(state->Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                        "cudaStreamCreateWithFlags"));
    return std::unique_ptr<Stream>(new RuntimeStream(std::move(state), stream));
  }

  ~RuntimeStream() override {
    if (state_->lost()) return;  // it went with the GPU
    absl::Status ended = Wait();
    ended.Update(state_->Check(cudaStreamDestroy(stream_), "cudaStreamDestroy"));
    ended.IgnoreError();  // it has lost the GPU, which the next call reports
  }

  absl::Status CopyIn(Rows2d device, Rows2d host, std::size_t row_bytes, int rows) override {
    GLINT_RETURN_IF_FAILED(state_->Enter());
    Rows2d from = host;
    if (std::byte* pinned = pinned_.Take(row_bytes * static_cast<std::size_t>(rows))) {
      from = {pinned, static_cast<std::ptrdiff_t>(row_bytes)};
      CopyRows(from, host, row_bytes, rows);
    }
    return Copy(device, from, row_bytes, rows, cudaMemcpyHostToDevice);
  }

  absl::Status CopyOut(Rows2d host, Rows2d device, std::size_t row_bytes, int rows) override {
    GLINT_RETURN_IF_FAILED(state_->Enter());
    Rows2d to = host;
    if (std::byte* pinned = pinned_.Take(row_bytes * static_cast<std::size_t>(rows))) {
      to = {pinned, static_cast<std::ptrdiff_t>(row_bytes)};
      arriving_.push_back({host, to, row_bytes, rows});
    }
    return Copy(to, device, row_bytes, rows, cudaMemcpyDeviceToHost);
  }

  absl::Status Clear(std::byte* device, std::size_t bytes) override {
    GLINT_RETURN_IF_FAILED(state_->Enter());
    return state_->Check(cudaMemsetAsync(device, 0, bytes, stream_), "cudaMemsetAsync");
  }

  absl::Status Wait() override {
    GLINT_RETURN_IF_FAILED(state_->Enter());
    const absl::Status done =
        state_->Check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    for (const Arriving& copy : arriving_) {
      if (done.ok()) CopyRows(copy.to, copy.from, copy.row_bytes, copy.rows);
    }
    arriving_.clear();
    pinned_.Reset();
    return done;
  }

 protected:
  absl::Status Launch(KernelId kernel, const void* arguments, std::size_t /*bytes*/,
                      Blocks blocks) override {
    GLINT_RETURN_IF_FAILED(state_->Enter());
    const Launcher& launcher = Launchers()[static_cast<std::size_t>(kernel)];
    return state_->Check(launcher.launch(arguments, blocks, stream_),
                         fmt::format("kernel {}", static_cast<int>(kernel)));
  }

 private:
  /// What lies in pinned memory and belongs elsewhere.
  struct Arriving {
    Rows2d to;
    Rows2d from;
    std::size_t row_bytes;
    int rows;
  };

  RuntimeStream(std::shared_ptr<State> state, cudaStream_t stream)
      : state_(std::move(state)), stream_(stream), pinned_(*state_) {}

  absl::Status Copy(Rows2d to, Rows2d from, std::size_t row_bytes, int rows, cudaMemcpyKind kind) {
    // A single row may come without a stride.
    const auto pitch = [&](const Rows2d& side) {
      return rows == 1 ? row_bytes : static_cast<std::size_t>(side.stride);
    };
    return state_->Check(cudaMemcpy2DAsync(to.first, pitch(to), from.first, pitch(from), row_bytes,
                                           static_cast<std::size_t>(rows), kind, stream_),
                         "cudaMemcpy2DAsync");
  }

  const std::shared_ptr<State> state_;
  const cudaStream_t stream_;
  PinnedMemory pinned_;
  std::vector<Arriving> arriving_;
};

class RuntimeGpu final : public Gpu {
 public:
  explicit RuntimeGpu(GpuInfo info)
      : info_(std::move(info)), state_(std::make_shared<State>(info_.ordinal)) {}

  const GpuInfo& info() const override { return info_; }

  absl::StatusOr<std::size_t> FreeMemory() override {
    GLINT_RETURN_IF_FAILED(state_->Enter());
    std::size_t free_bytes = 0, total = 0;
    GLINT_RETURN_IF_FAILED(state_->Check(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo"));
    return free_bytes;
  }

  absl::StatusOr<std::byte*> Allocate(std::size_t bytes) override {
    GLINT_RETURN_IF_FAILED(state_->Enter());
    void* memory = nullptr;
    GLINT_RETURN_IF_FAILED(
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

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream() override {
    return RuntimeStream::Make(state_);
  }

  bool IsLost() const override { return state_->lost(); }

 private:
  const GpuInfo info_;
  const std::shared_ptr<State> state_;
};

class Runtime final : public CudaRuntime {
 public:
  CudaError DriverVersion(int& version) override { return Tried(cudaDriverGetVersion(&version)); }
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
            .runtime = RuntimeVersion()};
    return DriverVersion(info.driver);
  }

  CudaError Start(int ordinal) override {
    CudaError error = Tried(cudaSetDevice(ordinal));
    if (error == CudaError::kSuccess) error = Tried(cudaFree(nullptr));  // makes the context
    if (IsSpoilt(error)) {
      error = Tried(cudaDeviceReset());
      if (error == CudaError::kSuccess) error = Tried(cudaFree(nullptr));
    }
    for (const Launcher& launcher : Launchers()) {
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
