// SPDX-License-Identifier: Apache-2.0
// What the stages of one backend share, and what one stage works with.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cassert>
#include <memory>
#include <span>

#include "glint/plane.h"
#include "stages/cuda/gpu.h"
#include "stages/cuda/memory_pool.h"

namespace glint::cuda {

/// An opened GPU and its memory.
struct Session {
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

/// What a stage has: its session, a stream, and shorthands. A stage allocates all it needs before
/// it launches anything, and waits before it returns: so whatever it lets go of is not in use.
class Workplace {
 public:
  static absl::StatusOr<std::unique_ptr<Workplace>> Make(std::shared_ptr<const Session> session);
  /// Waits for work that a failure left behind, before the memory of the stage is given back.
  ~Workplace() = default;

  Device device() const { return session_->device(); }
  MemoryPool& pool() { return *session_->pool; }
  const std::shared_ptr<Gpu>& gpu() { return session_->gpu; }
  Stream& stream() { return *stream_; }

  /// A plane on the GPU, uninitialised; rows start at multiples of 128 bytes.
  absl::StatusOr<Plane> NewPlane(Size size, PixelType type);

  /// Room for `count` values.
  template <class T>
  absl::StatusOr<Block> Take(std::size_t count) {
    return pool().Take(count * sizeof(T));
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
  explicit Workplace(std::shared_ptr<const Session> session) : session_(std::move(session)) {}

  std::shared_ptr<const Session> session_;
  std::unique_ptr<Stream> stream_;
};

/// A block's memory as values.
template <class T>
T* ValuesOf(const Block& block) {
  return reinterpret_cast<T*>(block.get());
}

/// Does `steps` on the workplace and waits for them, also when one fails. `steps` launches and
/// copies only: what it uses is owned outside, so that it outlives the work.
template <class Steps>
absl::Status Finish(Workplace& workplace, const Steps& steps) {
  const absl::Status done = steps();
  const absl::Status waited = workplace.stream().Wait();
  return done.ok() ? waited : done;
}

// Each use names its variable differently: one may stand inside another's lambda.
#define GLINT_JOIN_(a, b) a##b
#define GLINT_JOIN(a, b) GLINT_JOIN_(a, b)
// NOLINTBEGIN(bugprone-macro-parentheses): names and targets take none
#define GLINT_RETURN_IF_FAILED_(name, expression)                  \
  do {                                                             \
    if (absl::Status name = (expression); !name.ok()) return name; \
  } while (false)
#define GLINT_TAKE_(name, target, expression) \
  do {                                        \
    auto name = (expression);                 \
    if (!name.ok()) return name.status();     \
    target = *std::move(name);                \
  } while (false)
// NOLINTEND(bugprone-macro-parentheses)

/// Returns from a function with the status when it is a failure.
#define GLINT_RETURN_IF_FAILED(expression) \
  GLINT_RETURN_IF_FAILED_(GLINT_JOIN(failed_, __COUNTER__), expression)

/// Moves the value of a StatusOr into `target`, or returns the failure.
#define GLINT_TAKE(target, expression) \
  GLINT_TAKE_(GLINT_JOIN(taken_, __COUNTER__), target, expression)

}  // namespace glint::cuda
