// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/ptx/host_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "stages/cuda/ptx/parse.h"
#include "stages/cuda/ptx_files.h"

namespace glint::cuda::ptx {
namespace {

/// The kernels of all files of PTX that the build made. Without them no test means anything.
std::map<std::string, Code, std::less<>> LoadKernels() {
  std::map<std::string, Code, std::less<>> kernels;
  for (const char* path : kPtxFiles) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto parsed = Parse(text);
    // Kernels of glint have no constants, which would have to be kept.
    if (!file || !parsed.ok() || !parsed->constants.empty()) {
      fmt::print(stderr, "{}: {}\n", path, file ? parsed.status().ToString() : "cannot be read");
      std::abort();
    }
    for (Code& code : parsed->kernels) {
      std::string name = code.name;
      kernels.emplace(std::move(name), std::move(code));
    }
  }
  return kernels;
}

cudaError_t ErrorOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIllegalAddress:
      return cudaErrorIllegalAddress;
    case FaultKind::kMisalignedAddress:
      return cudaErrorMisalignedAddress;
    case FaultKind::kIllegalInstruction:
      break;
  }
  return cudaErrorIllegalInstruction;
}

}  // namespace

HostCuda& HostCuda::Get() {
  static HostCuda host;
  return host;
}

HostDevice& HostDevice::Get() {
  static auto& device = *new HostDevice;  // stays until the program's last call
  return device;
}

HostDevice::HostDevice() : schedule_(HostCuda::Get().order) {}

void HostDevice::Register(const void* host_function, const char* kernel) {
  const std::scoped_lock lock(mutex_);
  names_[host_function] = kernel;
}

const Code* HostDevice::Find(const void* host_function) {
  const std::scoped_lock lock(mutex_);
  if (kernels_.empty()) kernels_ = LoadKernels();
  const auto name = names_.find(host_function);
  if (name == names_.end()) return nullptr;
  const auto found = kernels_.find(name->second);
  return found == kernels_.end() ? nullptr : &found->second;
}

cudaError_t HostDevice::Allocate(std::size_t bytes, void** memory) {
  HostCuda& host = HostCuda::Get();
  if (host.in_use.fetch_add(bytes) + bytes <= host.memory) {
    *memory = memory_.Allocate(bytes);
    if (*memory != nullptr) return cudaSuccess;
  }
  host.in_use -= bytes;
  return cudaErrorMemoryAllocation;
}

cudaError_t HostDevice::Free(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  const std::size_t freed = memory_.Free(static_cast<std::byte*>(memory));
  HostCuda::Get().in_use -= freed;
  return freed == 0 ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t HostDevice::AllocatePinned(std::size_t bytes, void** memory) {
  if (HostCuda::Get().no_pinned_memory) return cudaErrorMemoryAllocation;
  auto block = std::make_unique<std::vector<std::byte>>(bytes, std::byte{0xA5});
  const std::scoped_lock lock(mutex_);
  *memory = block->data();
  pinned_[block->data()] = std::move(block);
  ++HostCuda::Get().pinned_blocks;
  return cudaSuccess;
}

cudaError_t HostDevice::FreePinned(void* memory) {
  const std::scoped_lock lock(mutex_);
  if (pinned_.erase(static_cast<std::byte*>(memory)) == 0) return cudaErrorInvalidValue;
  --HostCuda::Get().pinned_blocks;
  return cudaSuccess;
}

bool HostDevice::HoldsDevice(const std::byte* first, std::size_t bytes) const {
  return AddressSpace(memory_.Allocations()).Holds(first, bytes);
}

bool HostDevice::HoldsPinned(const std::byte* first, std::size_t bytes) const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(pinned_, [&](const auto& entry) {
    const auto& block = *entry.second;
    return first >= block.data() && first + bytes <= block.data() + block.size();
  });
}

cudaError_t HostDevice::Reset() {
  if (!HostCuda::Get().reset_mends) return sticky_;
  for (const std::span<std::byte>& one : memory_.Allocations()) memory_.Free(one.data());
  HostCuda::Get().in_use = 0;
  sticky_ = cudaSuccess;
  return cudaSuccess;
}

void HostDevice::Run(const Code& code, const std::vector<std::byte>& arguments, Grid grid) {
  HostCuda& host = HostCuda::Get();
  if (sticky_ != cudaSuccess) return;
  ++host.launches;
  const unsigned launch = launch_++;
  HostOrder order{.last_block_first = launch % 2 == 1,
                  .thread_step = static_cast<int>(2 * (launch * 37 % 128) + 1),
                  .first_thread = static_cast<int>(launch * 101 % 256)};
  if (host.counts != nullptr) order = {};
  Counts* counts = host.counts == nullptr ? nullptr : &(*host.counts)[code.name];
  std::optional<Fault> fault;
  if (host.launches_left == 0) {
    fault = Fault{FaultKind::kIllegalAddress, "as the test wanted"};
  } else {
    if (host.launches_left > 0) --host.launches_left;
    fault = Execute(code, arguments, grid, order, AddressSpace(memory_.Allocations()), counts);
  }
  if (!fault) return;
  fmt::print(stderr, "CUDA on the host: {}\n", fault->what);
  sticky_ = ErrorOf(fault->kind);
}

cudaError_t HostDevice::RunTo(const Queue::Place& place) {
  memory_.Work([&] { schedule_.RunTo(place); });
  return sticky_;
}

}  // namespace glint::cuda::ptx
