// SPDX-License-Identifier: Apache-2.0
// What the stages of one backend share, and what one stage works with.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cassert>
#include <memory>
#include <span>

#include "base/status_macros.h"
#include "glint/plane.h"
#include "stages/cuda/gpu.h"
#include "stages/cuda/memory_pool.h"

namespace glint::cuda {

/// An opened GPU and the pool of its memory, shared by all stages of a backend.
struct DeviceContext {
  std::shared_ptr<Gpu> gpu;
  std::shared_ptr<MemoryPool> pool;

  Device device() const { return {.cuda = gpu->info().ordinal}; }
};

/// A plane's pixels for a kernel.
template <class T>
Image<T> ImageOf(const Plane& plane) {
  assert(!plane.device().is_host());
  return {.data = reinterpret_cast<T*>(plane.data()),
          .stride = plane.stride() / static_cast<std::ptrdiff_t>(sizeof(T)),
          .width = plane.width(),
          .height = plane.height()};
}

/// What a stage works with: the device's context, a stream of its own, and shorthands. A stage
/// allocates all it needs before it launches anything, and waits before it returns: so whatever it
/// lets go of is not in use.
class StreamContext {
 public:
  static absl::StatusOr<std::unique_ptr<StreamContext>> Make(
      std::shared_ptr<const DeviceContext> device);
  /// Waits for work that a failure left behind, before the memory of the stage is given back.
  ~StreamContext() = default;

  Device device() const { return device_->device(); }
  MemoryPool& pool() { return *device_->pool; }
  const std::shared_ptr<Gpu>& gpu() { return device_->gpu; }
  Stream& stream() { return *stream_; }

  /// A plane on the GPU, uninitialised; rows start at multiples of 128 bytes.
  absl::StatusOr<Plane> NewPlane(Size size, PixelType type);

  /// Room for `count` values.
  template <class T>
  absl::StatusOr<Block> Allocate(std::size_t count) {
    return pool().Allocate(count * sizeof(T));
  }

  /// Puts values into a block. The values must stay until Wait().
  template <class T>
  absl::Status CopyIn(const Block& to, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return absl::OkStatus();
    // Copies only read what they copy from.
    auto* from = const_cast<std::byte*>(std::as_bytes(values).data());
    return stream_->CopyIn({to.get(), 0}, {from, 0}, values.size_bytes(), 1);
  }

  /// Reads values out of a block; they are there after Wait().
  template <class T>
  absl::Status CopyOut(std::span<T> values, const Block& from) {
    static_assert(std::is_trivially_copyable_v<T>);
    return stream_->CopyOut({std::as_writable_bytes(values).data(), 0}, {from.get(), 0},
                            values.size_bytes(), 1);
  }

  template <class T>
  absl::Status Clear(const Block& block, std::size_t count) {
    return stream_->Clear(block.get(), count * sizeof(T));
  }

 private:
  explicit StreamContext(std::shared_ptr<const DeviceContext> device)
      : device_(std::move(device)) {}

  std::shared_ptr<const DeviceContext> device_;
  std::unique_ptr<Stream> stream_;
};

/// A block's memory as values.
template <class T>
T* ValuesOf(const Block& block) {
  return reinterpret_cast<T*>(block.get());
}

/// Does `steps` on the context and waits for them, also when one fails. `steps` launches and
/// copies only: what it uses is owned outside, so that it outlives the work.
template <class Steps>
absl::Status Finish(StreamContext& context, const Steps& steps) {
  const absl::Status done = steps();
  const absl::Status waited = context.stream().Wait();
  return done.ok() ? waited : done;
}

/// Runs a kernel of PixelShape once for all pixels of planes of this size, and waits for it.
template <class Kernel>
absl::Status FinishPerPixel(StreamContext& context, const Kernel& kernel, Size size) {
  return Finish(
      context, [&] { return context.stream().Run(kernel, {.x = Tiles(size.width, size.height)}); });
}

}  // namespace glint::cuda
