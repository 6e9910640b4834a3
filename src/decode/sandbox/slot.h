// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <span>
#include <utility>

#include "base/descriptor.h"

namespace glint::sandbox {

/// Memory for one decoded picture that the worker and its child share. Unmapped with the object.
class Slot {
 public:
  /// Makes memory whose size nobody can change any more, so that touching it never fails for its
  /// size, and maps it for reading.
  /// @param bytes  > 0; taken from the system only when touched
  /// @param passed  set to the descriptor for the child
  /// Errors: OUT_OF_MEMORY with the system's words.
  static absl::StatusOr<Slot> Make(std::int64_t bytes, Descriptor& passed);

  /// Maps memory that another process made, for writing. Errors: OUT_OF_MEMORY
  static absl::StatusOr<Slot> Map(const Descriptor& memory, std::int64_t bytes);

  Slot(Slot&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Slot& operator=(Slot&&) = delete;
  ~Slot();

  std::span<std::uint8_t> bytes() const { return bytes_; }

 private:
  explicit Slot(std::span<std::uint8_t> bytes) : bytes_(bytes) {}
  static absl::StatusOr<Slot> Map(const Descriptor& memory, std::int64_t bytes, int protection);
  std::span<std::uint8_t> bytes_;
};

}  // namespace glint::sandbox
