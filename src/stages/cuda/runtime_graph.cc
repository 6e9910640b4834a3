// SPDX-License-Identifier: Apache-2.0
// Graphs are put together node by node. While one is recorded from a stream ("capture"), calls that
// concern all of the GPU fail or spoil it, also those of other scans' threads; here, none does.
#include "stages/cuda/runtime_graph.h"

#include "glint/error.h"
#include "stages/cuda/context.h"
#include "stages/cuda/runtime_stream.h"

namespace glint::cuda {
namespace {

absl::Status Made(CudaError error) {
  if (error == CudaError::kSuccess) return absl::OkStatus();
  // So that no later call reports it.
  [[maybe_unused]] const CudaError reported = Tried(cudaGetLastError());
  return Error(Reason::kDeviceUnavailable, Words(static_cast<cudaError_t>(error)));
}

/// Nodes, each of which begins when the one before it is done.
class Nodes final : public WorkSink {
 public:
  Nodes() = default;
  ~Nodes() override {
    if (graph_ == nullptr) return;
    const absl::Status destroyed = Made(Tried(cudaGraphDestroy(graph_)));
    destroyed.IgnoreError();  // if the GPU is lost, the next call reports it
  }
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  absl::Status Begin() { return Made(Tried(cudaGraphCreate(&graph_, 0))); }

  absl::Status Launch(KernelId kernel, const void* arguments, std::size_t /*bytes*/,
                      Grid grid) override {
    const Launcher& launcher = AllLaunchers()[static_cast<std::size_t>(kernel)];
    void* parameters[] = {const_cast<void*>(arguments)};  // copied into the node
    cudaKernelNodeParams node{};
    node.func = const_cast<void*>(launcher.function());
    node.gridDim = dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y));
    node.blockDim = dim3(static_cast<unsigned>(launcher.threads));
    node.kernelParams = parameters;
    return Made(Tried(cudaGraphAddKernelNode(&last_, graph_, before(), count_before(), &node)));
  }

  absl::Status CopyPinnedToDevice(Rows2d device, Rows2d host, std::size_t row_bytes,
                                  int rows) override {
    return Copy(device, host, row_bytes, rows, cudaMemcpyHostToDevice);
  }
  absl::Status CopyDeviceToPinned(Rows2d host, Rows2d device, std::size_t row_bytes,
                                  int rows) override {
    return Copy(host, device, row_bytes, rows, cudaMemcpyDeviceToHost);
  }

  absl::Status Clear(std::byte* device, std::size_t bytes) override {
    cudaMemsetParams node{};
    node.dst = device;
    node.elementSize = 1;
    node.width = bytes;
    node.height = 1;
    return Made(Tried(cudaGraphAddMemsetNode(&last_, graph_, before(), count_before(), &node)));
  }

  absl::StatusOr<cudaGraphExec_t> Instantiate() {
    cudaGraphExec_t executable = nullptr;
    GLINT_RETURN_IF_ERROR(Made(Tried(cudaGraphInstantiateWithFlags(&executable, graph_, 0))));
    return executable;
  }

 private:
  absl::Status Copy(Rows2d to, Rows2d from, std::size_t row_bytes, int rows, cudaMemcpyKind kind) {
    const auto height = static_cast<std::size_t>(rows);
    const auto side = [&](const Rows2d& memory) {
      return cudaPitchedPtr{.ptr = memory.first,
                            .pitch = PitchOf(memory, row_bytes, rows),
                            .xsize = row_bytes,
                            .ysize = height};
    };
    cudaMemcpy3DParms node{};
    node.srcPtr = side(from);
    node.dstPtr = side(to);
    node.extent = {.width = row_bytes, .height = height, .depth = 1};
    node.kind = kind;
    return Made(Tried(cudaGraphAddMemcpyNode(&last_, graph_, before(), count_before(), &node)));
  }

  /// The node that the next one depends on, and how many that are.
  const cudaGraphNode_t* before() {
    before_ = last_;
    return &before_;
  }
  std::size_t count_before() const { return last_ == nullptr ? 0 : 1; }

  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t last_ = nullptr;
  cudaGraphNode_t before_ = nullptr;
};

class RuntimeGraph final : public Graph {
 public:
  RuntimeGraph(std::shared_ptr<RuntimeState> state, cudaGraphExec_t executable)
      : state_(std::move(state)), executable_(executable) {}

  ~RuntimeGraph() override {
    if (state_->lost()) return;  // it went with the GPU
    const absl::Status destroyed = Made(Tried(cudaGraphExecDestroy(executable_)));
    destroyed.IgnoreError();  // if the GPU is lost, the next call reports it
  }

  absl::Status Run(cudaStream_t stream) {
    return Made(Tried(cudaGraphLaunch(executable_, stream)));
  }

 private:
  const std::shared_ptr<RuntimeState> state_;
  const cudaGraphExec_t executable_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Graph>> InstantiateRuntimeGraph(std::shared_ptr<RuntimeState> state,
                                                               const CapturedWork& work) {
  GLINT_RETURN_IF_ERROR(state->Enter());  // only a GPU that is lost cannot be entered
  Nodes nodes;
  GLINT_RETURN_IF_ERROR(nodes.Begin());
  GLINT_RETURN_IF_ERROR(work.Replay(nodes));
  cudaGraphExec_t executable = nullptr;
  GLINT_ASSIGN_OR_RETURN(executable, nodes.Instantiate());
  return std::make_unique<RuntimeGraph>(std::move(state), executable);
}

absl::Status LaunchRuntimeGraph(Graph& graph, cudaStream_t stream) {
  // A runtime's streams are given a runtime's graphs only.
  return static_cast<RuntimeGraph&>(graph).Run(stream);
}

}  // namespace glint::cuda
