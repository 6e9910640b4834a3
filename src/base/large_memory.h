// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace glint {

/// Memory for what is large and lives long. From a megabyte on it comes straight from the system,
/// in huge pages where those are to be had (most kernels give them to who asks), which spares the
/// flow 3 to 5 % of its time with AVX-512. It goes back to the system with the object, whatever
/// lies around it.
class LargeMemory {
 public:
  LargeMemory() : data_(nullptr, Free{0}) {}
  /// All zero, aligned to 64 bytes at least. Throws std::bad_alloc when memory is out.
  explicit LargeMemory(std::size_t bytes);

  /// Null when empty.
  std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    std::size_t mapped;  // bytes; 0: on the heap
    void operator()(std::byte* data) const;
  };

  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace glint
