// SPDX-License-Identifier: Apache-2.0
// The graphs of the CUDA runtime on the host: nodes that are put to a stream in an order that their
// dependencies allow, the latest first.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "stages/cuda/ptx/host_device.h"

using glint::cuda::ptx::Code;
using glint::cuda::ptx::CopiedRows;
using glint::cuda::ptx::HostCuda;
using glint::cuda::ptx::HostDevice;
using glint::cuda::ptx::Reported;

struct CUgraphNode_st {
  std::vector<const CUgraphNode_st*> after;
  std::function<cudaError_t(cudaStream_t)> put;
};
struct CUgraph_st {
  std::vector<std::shared_ptr<const CUgraphNode_st>> nodes;
};
struct CUgraphExec_st {
  std::vector<std::shared_ptr<const CUgraphNode_st>> nodes;  // in the order they run in
};

namespace {

using Nodes = std::vector<std::shared_ptr<const CUgraphNode_st>>;

cudaError_t Add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                std::size_t count, std::function<cudaError_t(cudaStream_t)> put) {
  auto added = std::make_shared<CUgraphNode_st>();
  added->after.assign(after, after + count);
  added->put = std::move(put);
  *node = added.get();
  graph->nodes.push_back(std::move(added));
  return Reported(cudaSuccess);
}

/// An order that the dependencies allow. Of the nodes that could be next, the latest is.
Nodes Ordered(Nodes left) {
  Nodes ordered;
  const auto is_left = [&](const CUgraphNode_st* node) {
    return std::ranges::any_of(left, [&](const auto& other) { return other.get() == node; });
  };
  while (!left.empty()) {
    auto next = std::prev(left.end());
    while (std::ranges::any_of((*next)->after, is_left)) --next;
    ordered.push_back(*next);
    left.erase(next);
  }
  return ordered;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  if (flags != 0) return Reported(cudaErrorInvalidValue);
  *graph = new CUgraph_st;
  ++HostCuda::Get().graphs;
  return Reported(cudaSuccess);
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  --HostCuda::Get().graphs;
  return Reported(cudaSuccess);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaKernelNodeParams* kernel) {
  const Code* code = HostDevice::Get().Find(kernel->func);
  if (code == nullptr || kernel->extra != nullptr) return Reported(cudaErrorInvalidDeviceFunction);
  const auto* first = static_cast<const std::byte*>(kernel->kernelParams[0]);
  return Add(node, graph, after, count,
             [params = *kernel, arguments = std::vector(first, first + code->argument_bytes)](
                 cudaStream_t stream) mutable {
               void* parameters[] = {arguments.data()};
               return cudaLaunchKernel(params.func, params.gridDim, params.blockDim, parameters,
                                       params.sharedMemBytes, stream);
             });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemsetParams* set) {
  if (set->elementSize != 1 || set->height != 1) return Reported(cudaErrorInvalidValue);
  return Add(node, graph, after, count, [params = *set](cudaStream_t stream) {
    return cudaMemsetAsync(params.dst, static_cast<int>(params.value), params.width, stream);
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemcpy3DParms* copy) {
  const auto is_zero = [](const cudaPos& at) { return at.x == 0 && at.y == 0 && at.z == 0; };
  if (copy->srcArray != nullptr || copy->dstArray != nullptr || !is_zero(copy->srcPos) ||
      !is_zero(copy->dstPos) || copy->extent.depth != 1) {
    return Reported(cudaErrorInvalidValue);
  }
  // A graph waits for nothing that the driver would have to copy on the host.
  const cudaPitchedPtr& host = copy->kind == cudaMemcpyHostToDevice ? copy->srcPtr : copy->dstPtr;
  const CopiedRows rows{static_cast<std::byte*>(host.ptr), host.pitch, copy->extent.width,
                        copy->extent.height};
  if (!HostDevice::Get().HoldsPinned(rows.first, rows.extent())) {
    return Reported(cudaErrorInvalidValue);
  }
  return Add(node, graph, after, count, [params = *copy](cudaStream_t stream) {
    return cudaMemcpy2DAsync(params.dstPtr.ptr, params.dstPtr.pitch, params.srcPtr.ptr,
                             params.srcPtr.pitch, params.extent.width, params.extent.height,
                             params.kind, stream);
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  if (flags != 0) return Reported(cudaErrorInvalidValue);
  if (HostCuda::Get().no_graphs) return Reported(cudaErrorNotSupported);
  *executable = new CUgraphExec_st{Ordered(graph->nodes)};
  ++HostCuda::Get().graphs;
  return Reported(cudaSuccess);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  --HostCuda::Get().graphs;
  return Reported(cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (HostCuda::Get().no_graph_launches) return Reported(cudaErrorNotSupported);
  ++HostCuda::Get().graph_launches;
  for (const auto& node : executable->nodes) {
    if (const cudaError_t error = node->put(stream); error != cudaSuccess) return error;
  }
  return Reported(cudaSuccess);
}

}  // extern "C"
