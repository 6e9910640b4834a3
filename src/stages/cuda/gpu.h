// SPDX-License-Identifier: Apache-2.0
// A GPU as the stages see it: memory, and work that is done in order. Implemented over the CUDA
// runtime (runtime_gpu.cc), and for tests over the host (tests/stages/cuda/simulated_gpu.h).
//
// Errors of all functions, unless they say otherwise: OUT_OF_MEMORY (the GPU goes on working), or
// DEVICE_UNAVAILABLE when it reported anything else; it is of no use from then on (`IsLost`).
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include "stages/cuda/kernel.h"

namespace glint::cuda {

/// What a GPU is, for people and for planning.
struct GpuInfo {
  int ordinal = 0;
  std::string name;  ///< "NVIDIA H200"
  std::string pci;   ///< where it sits, "0000:3b:00.0"; tells GPUs of one name apart
  int major = 0;     ///< compute capability
  int minor = 0;
  int multiprocessors = 0;
  std::size_t memory = 0;  ///< bytes
  int driver = 0;          ///< CUDA version of the driver: 13000 is 13.0
  std::string release;     ///< of the driver, "535.104.05"; may be unknown
  int runtime = 0;         ///< that glint was built with
  int ptx = 0;  ///< the driver makes this GPU's code from the PTX of so much; 0: it has its own
};

/// Rows of bytes in memory.
struct Rows2d {
  std::byte* first = nullptr;
  std::ptrdiff_t stride = 0;  ///< bytes from one row to the next
  bool operator==(const Rows2d&) const = default;
};

/// A place in a stream's work. Used by one thread at a time.
class Event {
 public:
  virtual ~Event() = default;
  /// Waits until the work before the place is done, on this stream and on those that it waited for.
  /// Returns at once when none was recorded. Errors of the work itself are reported here.
  virtual absl::Status Wait() = 0;
};

/// What takes work in order: a Stream, which does it, or a CapturedWork, which writes it down.
class WorkSink {
 public:
  virtual ~WorkSink() = default;

  /// Puts a kernel to work; an empty grid does nothing.
  template <class Kernel>
  absl::Status Run(const Kernel& kernel, Grid grid) {
    static_assert(std::is_trivially_copyable_v<Kernel>);
    if (grid.x == 0 || grid.y == 0) return absl::OkStatus();
    return Launch(Kernel::kId, &kernel, sizeof kernel, grid);
  }
  /// What Run does, for those who keep kernels as bytes. They are read before this returns.
  virtual absl::Status Launch(KernelId kernel, const void* arguments, std::size_t bytes,
                              Grid grid) = 0;

  /// Copies between device memory and memory of Gpu::AllocateHost, as part of the work: it must
  /// stay, and what is copied in must not change, until that is done.
  virtual absl::Status CopyPinnedToDevice(Rows2d device, Rows2d host, std::size_t row_bytes,
                                          int rows) = 0;
  virtual absl::Status CopyDeviceToPinned(Rows2d host, Rows2d device, std::size_t row_bytes,
                                          int rows) = 0;
  /// Sets device memory to 0.
  virtual absl::Status Clear(std::byte* device, std::size_t bytes) = 0;
};

class CapturedWork;

/// A work that was made ready for a stream: the host gives it work of many parts in one call.
class Graph {
 public:
  virtual ~Graph() = default;
};

/// Work in order. Streams know nothing of each other's work but what WaitFor says. Used by one
/// thread at a time. Its destructor waits for the work to end.
class Stream : public WorkSink {
 public:
  /// Moves the event to the end of what this stream was given so far.
  virtual absl::Status Record(Event& event) = 0;
  /// What this stream is given from now on begins after the event's place, as it is now.
  virtual absl::Status WaitFor(const Event& event) = 0;

  /// Copies between host and device memory. The host's memory must stay until Wait(). Memory that
  /// is not of Gpu::AllocateHost may also be given to CopyPinnedToDevice and CopyDeviceToPinned of
  /// a stream, which then take longer.
  virtual absl::Status CopyIn(Rows2d device, Rows2d host, std::size_t row_bytes, int rows) = 0;
  virtual absl::Status CopyOut(Rows2d host, Rows2d device, std::size_t row_bytes, int rows) = 0;
  /// Waits until all work is done. Errors of the work itself are reported here.
  virtual absl::Status Wait() = 0;

  /// A graph of the work for this stream; costs the host more than putting it to work once
  /// does. The graph ends before the stream does, and not while it is under way. Errors:
  /// DEVICE_UNAVAILABLE, for any reason; the GPU is not lost by them
  virtual absl::StatusOr<std::unique_ptr<Graph>> InstantiateGraph(const CapturedWork& work) = 0;
  /// Puts what the graph holds to work. Errors: as InstantiateGraph; nothing was put to work then
  virtual absl::Status LaunchGraph(Graph& graph) = 0;
};

/// One GPU. Safe to use from several threads.
class Gpu {
 public:
  virtual ~Gpu() = default;
  virtual const GpuInfo& info() const = 0;
  virtual absl::StatusOr<std::size_t> FreeMemory() = 0;
  /// Memory of `bytes` > 0, uninitialised, aligned to 256.
  virtual absl::StatusOr<std::byte*> Allocate(std::size_t bytes) = 0;
  /// No work may use the memory any more.
  virtual void Free(std::byte* memory) noexcept = 0;
  /// Host memory of `bytes` > 0 that the GPU reads and writes without help ("pinned"), so that
  /// copies go on beside all other work.
  virtual absl::StatusOr<std::byte*> AllocateHost(std::size_t bytes) = 0;
  virtual void FreeHost(std::byte* memory) noexcept = 0;
  virtual absl::StatusOr<std::unique_ptr<Stream>> MakeStream() = 0;
  virtual absl::StatusOr<std::unique_ptr<Event>> MakeEvent() = 0;
  /// Whether an error has made this GPU useless for this process until it is opened anew.
  virtual bool IsLost() const = 0;
};

}  // namespace glint::cuda
