// SPDX-License-Identifier: Apache-2.0
// A kernel in PTX, the language between CUDA C++ and a GPU's own code ("Parallel Thread Execution
// ISA", NVIDIA), made ready to run on the host: what nvcc makes of the kernels is run by tests
// where there is no GPU.
//
// A thread has slots of 8 bytes: its registers, the constants that its instructions name, and what
// it is told at the start (where its arguments lie, which thread it is). A value lies in the first
// bytes of its slot. As on a GPU, 32 threads are a warp: what they do next in common is done for
// all of them before the next instruction, which costs an interpreter a fraction.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glint::cuda::ptx {

class Counts;
struct Instruction;
struct Warp;

inline constexpr unsigned kLanes = 32;  ///< threads of a warp

/// Does one instruction for the threads of a warp whose bits are set in `lanes`.
using Operation = void (*)(const Instruction& instruction, Warp& warp, std::uint32_t lanes);

/// What a thread does after an instruction.
enum class Course : std::uint8_t { kNext, kBranch, kBarrier, kReturn };

/// What an instruction counts as, where a kernel's cost is counted (count.h).
enum class Kind : std::uint8_t {
  kInteger,
  kFloat,
  kDouble,
  kMove,
  kConvert,
  kControl,
  kArgument,
  kGlobalLoad,
  kGlobalStore,
  kGlobalAtomic,
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kCount,
};
inline constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::kCount);

struct Instruction {
  Operation run = nullptr;  ///< of Course::kNext
  Course course = Course::kNext;
  Kind kind = Kind::kInteger;
  std::uint8_t bytes = 0;      ///< that it moves for one thread
  std::uint8_t address = 0;    ///< which operand says where
  int guard = -1;              ///< slot of the predicate that it depends on; -1: on none
  bool unless = false;         ///< is done when the predicate is false
  std::array<int, 6> slots{};  ///< results first, then operands
  std::int64_t offset = 0;     ///< bytes that are added to an address; where a branch leads
  int line = 0;                ///< of the PTX
};

/// What every thread is told at its start, by slot: its place in its block and how large that is,
/// its block's, and where the arguments lie.
enum Told : std::uint8_t {
  kThread,
  kThreadRow,
  kBlockWidth,
  kBlockHeight,
  kBlock,
  kLayer,
  kArguments,
  kToldCount
};

/// One kernel.
struct Code {
  std::string name;  ///< as the linker sees it
  std::size_t argument_bytes = 0;
  std::size_t shared_bytes = 0;            ///< that it declares
  int threads = 0;                         ///< of a block; 0: the launch says
  std::vector<std::uint64_t> first_slots;  ///< what they hold at a thread's start
  std::vector<Instruction> instructions;
};

/// One file of PTX.
struct Module {
  std::vector<Code> kernels;
  /// Bytes of __constant__ variables by their names, which instructions find where they are.
  std::map<std::string, std::vector<std::byte>, std::less<>> constants;
};

/// Device memory as instructions see it: allocations, sorted by address.
class AddressSpace {
 public:
  explicit AddressSpace(std::vector<std::span<std::byte>> allocations)
      : allocations_(std::move(allocations)) {}

  /// Whether these bytes lie in one allocation.
  bool Holds(const std::byte* first, std::size_t bytes) const {
    if (first >= last_found_.data() && first + bytes <= last_found_.data() + last_found_.size()) {
      return true;
    }
    const auto after = std::ranges::upper_bound(allocations_, first, std::less<>(),
                                                [](const auto& one) { return one.data(); });
    if (after == allocations_.begin()) return false;
    const std::span<std::byte> before = *std::prev(after);
    if (first + bytes > before.data() + before.size()) return false;
    last_found_ = before;
    return true;
  }

 private:
  std::vector<std::span<std::byte>> allocations_;
  mutable std::span<std::byte> last_found_;
};

/// What a fault was, as the CUDA runtime tells them apart.
enum class FaultKind : std::uint8_t { kIllegalAddress, kMisalignedAddress, kIllegalInstruction };

struct Warp {
  std::vector<std::uint64_t> slots;        ///< slot after slot, in each lane after lane
  std::array<std::size_t, kLanes> next{};  ///< instruction of each lane
  std::uint32_t lanes = 0;                 ///< that there are; as the next two, one bit each
  std::uint32_t running = 0;
  std::uint32_t waiting = 0;  ///< at a barrier
  std::span<std::byte> shared;
  std::span<const std::byte> arguments;
  const AddressSpace* memory = nullptr;
  Counts* counts = nullptr;  ///< null: nothing is counted
  // The first thing that went wrong.
  const char* why = nullptr;
  FaultKind fault = FaultKind::kIllegalInstruction;
  unsigned faulty = 0;  ///< lane

  void Fault(unsigned lane, FaultKind kind, const char* words) {
    if (why != nullptr) return;
    why = words;
    fault = kind;
    faulty = lane;
  }
  std::uint64_t& Slot(int slot, unsigned lane) {
    return slots[static_cast<std::size_t>(slot) * kLanes + lane];
  }
};

/// One thread of a warp, while an instruction is done for it.
struct Lane {
  std::uint64_t* slots;  ///< kLanes apart
  unsigned number;
  Warp* warp;
};

}  // namespace glint::cuda::ptx
