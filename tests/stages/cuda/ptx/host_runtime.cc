// SPDX-License-Identifier: Apache-2.0
// The functions of the CUDA runtime that the backend calls, and those that nvcc's code calls to
// make its kernels known, over HostDevice. What they promise is NVIDIA's to say: "CUDA Runtime
// API".
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "stages/cuda/ptx/host_device.h"

using glint::cuda::Grid;
using glint::cuda::Queue;
using glint::cuda::ptx::Code;
using glint::cuda::ptx::CopiedRows;
using glint::cuda::ptx::HostCuda;
using glint::cuda::ptx::HostDevice;
using glint::cuda::ptx::Reported;

/// What the handles of the runtime point to.
struct CUstream_st {
  std::shared_ptr<Queue> queue;
};
struct CUevent_st {
  Queue::Place place;
};

namespace {

thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

cudaError_t glint::cuda::ptx::Reported(cudaError_t error) {
  if (const cudaError_t sticky = HostDevice::Get().sticky(); sticky != cudaSuccess) error = sticky;
  if (error != cudaSuccess) last_error = error;
  return error;
}

namespace {

/// Gives a stream something to do, which a device in error no longer does.
cudaError_t Add(cudaStream_t stream, std::function<void()> work, Queue::Place after = {}) {
  if (stream == nullptr) return Reported(cudaErrorInvalidResourceHandle);  // the default stream
  HostDevice::Get().schedule().Add(*stream->queue, {[work = std::move(work)] {
                                                      if (HostDevice::Get().sticky() == cudaSuccess)
                                                        work();
                                                    },
                                                    std::move(after)});
  return Reported(cudaSuccess);
}

cudaError_t WaitFor(cudaStream_t stream) {
  HostDevice& device = HostDevice::Get();
  return Reported(device.RunTo(device.schedule().EndOf(stream->queue)));
}

void CopyRows(const CopiedRows& to, const CopiedRows& from) {
  for (std::size_t y = 0; y < from.rows; ++y) {
    std::memcpy(to.first + y * to.pitch, from.first + y * from.pitch, from.bytes);
  }
}

cudaError_t CopyToDevice(const CopiedRows& to, const CopiedRows& from, cudaStream_t stream) {
  if (HostDevice::Get().HoldsPinned(from.first, from.extent())) {
    return Add(stream, [=] { CopyRows(to, from); });
  }
  // Other memory is read before the call returns.
  const auto kept =
      std::make_shared<std::vector<std::byte>>(from.first, from.first + from.extent());
  return Add(stream, [=] { CopyRows(to, {kept->data(), from.pitch, from.bytes, from.rows}); });
}

cudaError_t CopyToHost(const CopiedRows& to, const CopiedRows& from, cudaStream_t stream) {
  const bool pinned = HostDevice::Get().HoldsPinned(to.first, to.extent());
  const cudaError_t error = Add(stream, [=] { CopyRows(to, from); });
  // Other memory is written before the call returns.
  return pinned || error != cudaSuccess ? error : WaitFor(stream);
}

struct Name {
  cudaError_t error;
  const char* name;
  const char* words;
};
constexpr Name kNames[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction",
     "an illegal instruction was encountered"},
};

const Name& NameOf(cudaError_t error) {
  for (const Name& name : kNames) {
    if (name.error == error) return name;
  }
  static constexpr Name kUnknown{cudaErrorUnknown, "unrecognized error code",
                                 "unrecognized error code"};
  return kUnknown;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are NVIDIA's
extern "C" {

const char* cudaGetErrorName(cudaError_t error) { return NameOf(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return NameOf(error).words; }
cudaError_t cudaGetLastError() {
  const cudaError_t error = std::exchange(last_error, cudaSuccess);
  const cudaError_t sticky = HostDevice::Get().sticky();
  return sticky != cudaSuccess ? sticky : error;
}

// Devices.

cudaError_t cudaDriverGetVersion(int* version) {
  *version = HostCuda::Get().driver;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return Reported(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceReset() {
  last_error = cudaSuccess;
  return HostDevice::Get().Reset();
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return Reported(cudaErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "PTX on the host");
  properties->major = 9;
  properties->multiProcessorCount = 1;
  properties->totalGlobalMem = HostCuda::Get().memory;
  return cudaSuccess;
}

// Memory.

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const HostCuda& host = HostCuda::Get();
  *total = host.memory;
  *free = host.memory - host.in_use;
  return Reported(cudaSuccess);
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (const cudaError_t error = Reported(cudaSuccess); error != cudaSuccess) return error;
  return Reported(HostDevice::Get().Allocate(bytes, memory));
}
cudaError_t cudaFree(void* memory) {
  if (const cudaError_t error = Reported(cudaSuccess); error != cudaSuccess) return error;
  return Reported(HostDevice::Get().Free(memory));
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return Reported(HostDevice::Get().AllocatePinned(bytes, memory));
}
cudaError_t cudaFreeHost(void* memory) { return Reported(HostDevice::Get().FreePinned(memory)); }

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  auto* first = static_cast<std::byte*>(memory);
  if (!HostDevice::Get().HoldsDevice(first, bytes)) return Reported(cudaErrorInvalidValue);
  return Add(stream, [=] { std::memset(first, value, bytes); });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t bytes, std::size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  if (bytes > to_pitch || bytes > from_pitch) return Reported(cudaErrorInvalidPitchValue);
  const CopiedRows target{static_cast<std::byte*>(to), to_pitch, bytes, rows};
  const CopiedRows source{static_cast<std::byte*>(const_cast<void*>(from)), from_pitch, bytes,
                          rows};
  const bool up = kind == cudaMemcpyHostToDevice;
  const CopiedRows& on_device = up ? target : source;
  if ((!up && kind != cudaMemcpyDeviceToHost) ||
      !HostDevice::Get().HoldsDevice(on_device.first, on_device.extent())) {
    return Reported(cudaErrorInvalidValue);
  }
  return up ? CopyToDevice(target, source, stream) : CopyToHost(target, source, stream);
}

// Streams and events.

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  *stream = new CUstream_st{HostDevice::Get().schedule().NewQueue()};
  ++HostCuda::Get().streams;
  return Reported(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  HostDevice::Get().schedule().Remove(stream->queue);
  delete stream;
  --HostCuda::Get().streams;
  return Reported(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return WaitFor(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  return Add(
      stream, [] {}, event->place);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  *event = new CUevent_st;
  ++HostCuda::Get().events;
  return Reported(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  --HostCuda::Get().events;
  return Reported(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->place = HostDevice::Get().schedule().EndOf(stream->queue);
  return Reported(cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return Reported(HostDevice::Get().RunTo(event->place));
}

// Kernels.

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const Code* code = HostDevice::Get().Find(function);
  if (code == nullptr) return Reported(cudaErrorInvalidDeviceFunction);
  *attributes = {};
  attributes->sharedSizeBytes = code->shared_bytes;
  attributes->maxThreadsPerBlock = code->threads;
  return Reported(cudaSuccess);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  constexpr std::size_t kMaxShared = 48 << 10;  // without asking for more
  const Code* code = HostDevice::Get().Find(function);
  if (code == nullptr) return Reported(cudaErrorInvalidDeviceFunction);
  if (grid.x == 0 || grid.x > 0x7fffffffU || grid.y == 0 || grid.y > 65535 || grid.z != 1 ||
      block.x != static_cast<unsigned>(code->threads) || block.y != 1 || block.z != 1 ||
      shared != 0 || code->shared_bytes > kMaxShared) {
    return Reported(cudaErrorInvalidConfiguration);
  }
  const auto* first = static_cast<const std::byte*>(arguments[0]);
  return Add(stream, [code, blocks = Grid{.x = grid.x, .y = static_cast<int>(grid.y)},
                      copy = std::vector<std::byte>(first, first + code->argument_bytes)] {
    HostDevice::Get().Run(*code, copy, blocks);
  });
}

// What nvcc's code calls when the program starts, for each file.

void** __cudaRegisterFatBinary(void* /*binary*/) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}
void __cudaUnregisterFatBinary(void** /*handle*/) {}
void __cudaRegisterFunction(void** /*handle*/, const char* host_function, char* /*function*/,
                            const char* name, int /*limit*/, void* /*tid*/, void* /*bid*/,
                            void* /*block*/, void* /*grid*/, int* /*warp*/) {
  HostDevice::Get().Register(host_function, name);
}
// For launches with <<<>>>, of which there are none.
cudaError_t __cudaPopCallConfiguration(dim3* /*grid*/, dim3* /*block*/, std::size_t* /*shared*/,
                                       void* /*stream*/) {
  return cudaErrorInvalidConfiguration;
}
cudaError_t __cudaGetKernel(void** /*kernel*/, const void* /*function*/) {
  return cudaErrorInvalidDeviceFunction;
}
cudaError_t __cudaLaunchKernel(void* /*kernel*/, dim3 /*grid*/, dim3 /*block*/,
                               void** /*arguments*/, std::size_t /*shared*/,
                               cudaStream_t /*stream*/) {
  return cudaErrorInvalidDeviceFunction;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
