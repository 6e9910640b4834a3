// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "stages/cuda/kernel.h"
#include "stages/cuda/ptx/code.h"
#include "stages/cuda/run_on_host.h"

namespace glint::cuda::ptx {

/// What a GPU would report of a launch that went wrong.
struct Fault {
  FaultKind kind = FaultKind::kIllegalInstruction;
  std::string what;  ///< for people: the kernel, the line of its PTX, the thread
};

/// What a launch says of blocks where the kernel does not.
struct BlockLayout {
  int width = 0;  ///< threads; 0: as many as the kernel says, in one row
  int height = 1;
  std::size_t shared_bytes = 0;  ///< besides those that the kernel declares
  /// Whether threads may end before a barrier at which others wait, as GPUs let them.
  bool may_end_early = false;
};

/// Runs a kernel, block after block, and in each block its threads from barrier to barrier.
/// Registers and shared memory begin with bytes that mean nothing.
/// @param arguments  as many bytes as the kernel takes
/// @param counts     what it costs is added there; null for nobody who asks
std::optional<Fault> Execute(const Code& code, std::span<const std::byte> arguments, Grid grid,
                             HostOrder order, const AddressSpace& memory, Counts* counts = nullptr,
                             BlockLayout layout = {});

}  // namespace glint::cuda::ptx
