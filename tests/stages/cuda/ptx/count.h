// SPDX-License-Identifier: Apache-2.0
// What a kernel costs a GPU, as far as its PTX tells: counted while the kernel runs on the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "stages/cuda/ptx/code.h"

namespace glint::cuda::ptx {

/// "integer", "global load", ...
std::string_view NameOf(Kind kind);

/// What an opcode with its modifiers counts as ("add.rn.f32"), how many bytes it moves for one
/// thread, and which of its operands is the address.
struct Counted {
  Kind kind = Kind::kInteger;
  std::uint8_t bytes = 0;
  std::uint8_t address = 0;
};
Counted CountedAs(std::string_view opcode);

/// Sums over launches of one kernel, whose threads must be in their order: 32 that follow each
/// other are a warp.
class Counts {
 public:
  std::int64_t blocks = 0;
  std::array<std::int64_t, kKinds> instructions{};  ///< of threads
  std::int64_t issued = 0;                          ///< instructions of warps
  std::int64_t issued_float = 0;                    ///< of these on the units for floats
  std::int64_t issued_integer = 0;                  ///< and on those for integers
  std::int64_t branches = 0;                        ///< of warps, that depend on something
  std::int64_t divergent = 0;                       ///< of these, where threads of a warp part
  std::int64_t barriers = 0;                        ///< of warps
  // Global memory.
  std::int64_t useful_bytes = 0;     ///< that the threads of a warp ask for, each byte once
  std::int64_t sectors = 0;          ///< of 32 bytes that are moved for that
  std::int64_t footprint_bytes = 0;  ///< sectors that a launch reads or writes, each once
  // Shared memory.
  std::int64_t passes = 0;        ///< rounds over the 32 banks
  std::int64_t least_passes = 0;  ///< as many as without conflicts

  /// An instruction of a warp. @param active  lanes at it; @param lanes  those that do it
  void Add(const Instruction& instruction, Warp& warp, std::uint32_t active, std::uint32_t lanes);
  void EndLaunch();

 private:
  void AddGlobal(const Instruction& instruction, Warp& warp, std::uint32_t lanes);
  void AddShared(const Instruction& instruction, Warp& warp, std::uint32_t lanes);

  std::unordered_set<std::uint64_t> read_, written_;  // sectors, of one launch
};

}  // namespace glint::cuda::ptx
