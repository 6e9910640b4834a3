// SPDX-License-Identifier: Apache-2.0
// Memory of what nobody looks at for a while, in a temporary file instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace glint {

/// From now on SpilledBytes lie in a file in `folder`, which has no name there: nobody else can
/// open it, and it is gone with the process, however that ends. Its pages are the system's cache,
/// which gives them up when memory is short; the file takes no more of the disk than what lies in
/// it. Without it, and where no file can be made, they stay in memory. Call it before other threads
/// make SpilledBytes.
/// @param folder  empty: the system's temporary folder (TMPDIR). One in memory saves nothing
/// @param warn    told once, by any thread, when the bytes stay in memory: no file can be made, or
///     it takes no more
void SpillTo(const std::filesystem::path& folder, std::function<void(const std::string&)> warn);

/// Bytes that are put away until they are read: in the file of SpillTo(), or in memory where that
/// was not called, where there are few, and where the file takes no more (a full disk loses
/// nothing). Copying shares them. Safe to use from several threads.
class SpilledBytes {
 public:
  SpilledBytes() = default;
  /// Copies them. Throws std::bad_alloc.
  explicit SpilledBytes(std::span<const std::uint8_t> bytes);

  std::size_t size() const { return size_; }

  /// Copies `out.size()` bytes from byte `at` on.
  /// Throws std::system_error when the file can no longer be read.
  void Read(std::size_t at, std::span<std::uint8_t> out) const;

 private:
  class Place;

  std::size_t size_ = 0;
  std::shared_ptr<const Place> place_;
};

}  // namespace glint
