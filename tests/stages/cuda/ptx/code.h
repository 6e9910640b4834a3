// SPDX-License-Identifier: Apache-2.0
// A kernel in PTX, the language between CUDA C++ and a GPU's own code ("Parallel Thread Execution
// ISA", NVIDIA), made ready to run on the host: what nvcc makes of the kernels is run by tests
// where there is no GPU.
//
// A thread has slots of 8 bytes: its registers, the constants that its instructions name, and what
// it is told at the start (where its arguments lie, which thread it is). A value lies in the first
// bytes of its slot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace glint::cuda::ptx {

struct Instruction;
struct ThreadState;

/// Does one instruction for one thread.
using Operation = void (*)(const Instruction& instruction, ThreadState& thread);

struct Instruction {
  Operation run = nullptr;
  int guard = -1;              ///< slot of the predicate that it depends on; -1: on none
  bool unless = false;         ///< is done when the predicate is false
  std::array<int, 6> slots{};  ///< results first, then operands
  std::int64_t offset = 0;     ///< bytes that are added to an address; where a branch leads
  int line = 0;                ///< of the PTX
};

/// What every thread is told at its start, by slot.
enum Told : std::uint8_t { kThread, kBlock, kLayer, kArguments, kToldCount };

/// One kernel.
struct Code {
  std::string name;  ///< as the linker sees it
  std::size_t argument_bytes = 0;
  std::size_t shared_bytes = 0;
  int threads = 0;                         ///< of a block
  std::vector<std::uint64_t> first_slots;  ///< what they hold at a thread's start
  std::vector<Instruction> instructions;
};

/// How a thread stands.
enum class Standing : std::uint8_t { kRuns, kAtBarrier, kDone, kFaulted };

/// Device memory as instructions see it.
class AddressSpace {
 public:
  virtual ~AddressSpace() = default;
  /// Whether these bytes lie in one allocation.
  virtual bool Holds(const std::byte* first, std::size_t bytes) const = 0;
};

/// What a fault was, as the CUDA runtime tells them apart.
enum class FaultKind : std::uint8_t { kIllegalAddress, kMisalignedAddress, kIllegalInstruction };

struct ThreadState {
  std::span<std::uint64_t> slots;
  std::span<std::byte> shared;
  std::span<const std::byte> arguments;
  const AddressSpace* memory = nullptr;
  std::size_t next = 0;  ///< instruction
  Standing standing = Standing::kRuns;
  FaultKind fault = FaultKind::kIllegalInstruction;
  const char* why = "";

  void Fault(FaultKind kind, const char* words) {
    standing = Standing::kFaulted;
    fault = kind;
    why = words;
  }
};

}  // namespace glint::cuda::ptx
