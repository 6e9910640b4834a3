// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/runtime_stream.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "stages/cuda/context.h"
#include "stages/cuda/runtime_graph.h"

namespace glint::cuda {
namespace {

/// How each kernel is launched, by KernelId.
std::array<Launcher, kKernels> CollectLaunchers() {
  std::array<Launcher, kKernels> all{};
  for (const auto part :
       {MeasureLaunchers(), FlowLaunchers(), ClassicLaunchers(), PhotometricLaunchers()}) {
    for (const Launcher& launcher : part) all[static_cast<std::size_t>(launcher.id)] = launcher;
  }
  return all;
}

/// Memory of the host that the GPU reads and writes without help, for what is copied between two
/// waits. Copies from and to other memory would wait, or go through such memory of the driver's.
class PinnedMemory {
 public:
  explicit PinnedMemory(RuntimeState& state) : state_(state) {}
  ~PinnedMemory() { Free(); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  /// Room until the next Reset(); null when there is none.
  std::byte* Allocate(std::size_t bytes) {
    constexpr std::size_t kAlignment = 256;
    constexpr std::size_t kMax = 64U << 20;
    bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (used_ == 0 && bytes > size_ && bytes <= kMax) Grow(bytes);
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

  RuntimeState& state_;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

void CopyRows(Rows2d to, Rows2d from, std::size_t row_bytes, int rows) {
  for (int y = 0; y < rows; ++y) {
    std::memcpy(to.first + y * to.stride, from.first + y * from.stride, row_bytes);
  }
}

class RuntimeEvent final : public Event {
 public:
  RuntimeEvent(std::shared_ptr<RuntimeState> state, cudaEvent_t event)
      : state_(std::move(state)), event_(event) {}

  ~RuntimeEvent() override {
    if (state_->lost()) return;  // it went with the GPU
    const absl::Status destroyed = state_->Check(cudaEventDestroy(event_), "cudaEventDestroy");
    destroyed.IgnoreError();  // it has lost the GPU, which the next call reports
  }

  absl::Status Wait() override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    return state_->Check(cudaEventSynchronize(event_), "cudaEventSynchronize");
  }

  cudaEvent_t handle() const { return event_; }

 private:
  const std::shared_ptr<RuntimeState> state_;
  const cudaEvent_t event_;
};

/// A runtime's streams are given a runtime's events only.
cudaEvent_t HandleOf(const Event& event) {
  return static_cast<const RuntimeEvent&>(event).handle();
}

class RuntimeStream final : public Stream {
 public:
  RuntimeStream(std::shared_ptr<RuntimeState> state, cudaStream_t stream)
      : state_(std::move(state)), stream_(stream), pinned_(*state_) {}

  ~RuntimeStream() override {
    if (state_->lost()) return;  // it went with the GPU
    absl::Status ended = Wait();
    ended.Update(state_->Check(cudaStreamDestroy(stream_), "cudaStreamDestroy"));
    ended.IgnoreError();  // it has lost the GPU, which the next call reports
  }

  absl::Status CopyIn(Rows2d device, Rows2d host, std::size_t row_bytes, int rows) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    Rows2d from = host;
    if (std::byte* pinned = pinned_.Allocate(row_bytes * static_cast<std::size_t>(rows))) {
      from = {pinned, static_cast<std::ptrdiff_t>(row_bytes)};
      CopyRows(from, host, row_bytes, rows);
    }
    return Copy(device, from, row_bytes, rows, cudaMemcpyHostToDevice);
  }

  absl::Status CopyOut(Rows2d host, Rows2d device, std::size_t row_bytes, int rows) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    Rows2d to = host;
    if (std::byte* pinned = pinned_.Allocate(row_bytes * static_cast<std::size_t>(rows))) {
      to = {pinned, static_cast<std::ptrdiff_t>(row_bytes)};
      arriving_.push_back({host, to, row_bytes, rows});
    }
    return Copy(to, device, row_bytes, rows, cudaMemcpyDeviceToHost);
  }

  absl::Status CopyPinnedToDevice(Rows2d device, Rows2d host, std::size_t row_bytes,
                                  int rows) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    return Copy(device, host, row_bytes, rows, cudaMemcpyHostToDevice);
  }

  absl::Status CopyDeviceToPinned(Rows2d host, Rows2d device, std::size_t row_bytes,
                                  int rows) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    return Copy(host, device, row_bytes, rows, cudaMemcpyDeviceToHost);
  }

  absl::Status Record(Event& event) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    return state_->Check(cudaEventRecord(HandleOf(event), stream_), "cudaEventRecord");
  }

  absl::Status WaitFor(const Event& event) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    return state_->Check(cudaStreamWaitEvent(stream_, HandleOf(event), 0), "cudaStreamWaitEvent");
  }

  absl::Status Clear(std::byte* device, std::size_t bytes) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    return state_->Check(cudaMemsetAsync(device, 0, bytes, stream_), "cudaMemsetAsync");
  }

  absl::Status Wait() override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    absl::Status done = state_->Check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    for (const Arriving& copy : arriving_) {
      if (done.ok()) CopyRows(copy.to, copy.from, copy.row_bytes, copy.rows);
    }
    arriving_.clear();
    pinned_.Reset();
    return done;
  }

  absl::Status Launch(KernelId kernel, const void* arguments, std::size_t /*bytes*/,
                      Grid grid) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    const Launcher& launcher = AllLaunchers()[static_cast<std::size_t>(kernel)];
    return state_->Check(launcher.launch(arguments, grid, stream_),
                         fmt::format("kernel {}", static_cast<int>(kernel)));
  }

  absl::StatusOr<std::unique_ptr<Graph>> InstantiateGraph(const CapturedWork& sequence) override {
    return InstantiateRuntimeGraph(state_, sequence);
  }

  absl::Status LaunchGraph(Graph& graph) override {
    GLINT_RETURN_IF_ERROR(state_->Enter());
    return LaunchRuntimeGraph(graph, stream_);
  }

 private:
  /// What lies in pinned memory and belongs elsewhere.
  struct Arriving {
    Rows2d to;
    Rows2d from;
    std::size_t row_bytes;
    int rows;
  };

  absl::Status Copy(Rows2d to, Rows2d from, std::size_t row_bytes, int rows, cudaMemcpyKind kind) {
    return state_->Check(cudaMemcpy2DAsync(to.first, PitchOf(to, row_bytes, rows), from.first,
                                           PitchOf(from, row_bytes, rows), row_bytes,
                                           static_cast<std::size_t>(rows), kind, stream_),
                         "cudaMemcpy2DAsync");
  }

  const std::shared_ptr<RuntimeState> state_;
  const cudaStream_t stream_;
  PinnedMemory pinned_;
  std::vector<Arriving> arriving_;
};

}  // namespace

const std::array<Launcher, kKernels>& AllLaunchers() {
  static const std::array<Launcher, kKernels> launchers = CollectLaunchers();
  return launchers;
}

absl::StatusOr<std::unique_ptr<Stream>> MakeRuntimeStream(std::shared_ptr<RuntimeState> state) {
  GLINT_RETURN_IF_ERROR(state->Enter());
  cudaStream_t stream = nullptr;
  GLINT_RETURN_IF_ERROR(state->Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                     "cudaStreamCreateWithFlags"));
  return std::make_unique<RuntimeStream>(std::move(state), stream);
}

absl::StatusOr<std::unique_ptr<Event>> MakeRuntimeEvent(std::shared_ptr<RuntimeState> state) {
  GLINT_RETURN_IF_ERROR(state->Enter());
  cudaEvent_t event = nullptr;
  // Its wait yields the processor to others: decoding needs it.
  GLINT_RETURN_IF_ERROR(
      state->Check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync),
                   "cudaEventCreateWithFlags"));
  return std::make_unique<RuntimeEvent>(std::move(state), event);
}

}  // namespace glint::cuda
