// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/ptx/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace glint::cuda::ptx {
namespace {

void Run(const Code& code, ThreadState& thread) {
  const Instruction* instructions = code.instructions.data();
  while (thread.standing == Standing::kRuns) {
    const Instruction& next = instructions[thread.next++];
    if (next.guard >= 0) {
      const auto predicate =
          static_cast<std::uint8_t>(thread.slots[static_cast<std::size_t>(next.guard)]);
      if ((predicate != 0) == next.unless) continue;
    }
    next.run(next, thread);
  }
}

/// The threads of one block, which is one block after another.
class BlockOfThreads {
 public:
  BlockOfThreads(const Code& code, std::span<const std::byte> arguments, const AddressSpace& memory)
      : code_(code), shared_(code.shared_bytes) {
    const auto count = static_cast<std::size_t>(code.threads);
    slots_.reserve(count * code.first_slots.size());
    for (std::size_t i = 0; i < count; ++i) {
      slots_.insert(slots_.end(), code.first_slots.begin(), code.first_slots.end());
    }
    threads_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      threads_[i] = {
          .slots = std::span(slots_).subspan(i * code.first_slots.size(), code.first_slots.size()),
          .shared = shared_,
          .arguments = arguments,
          .memory = &memory};
      threads_[i].slots[kThread] = i;
      threads_[i].slots[kArguments] = std::bit_cast<std::uint64_t>(arguments.data());
    }
  }

  std::optional<Fault> Run(std::int64_t block, int layer, HostOrder order) {
    std::ranges::fill(shared_, std::byte{0xA5});
    for (ThreadState& thread : threads_) {
      thread.slots[kBlock] = static_cast<std::uint64_t>(block);
      thread.slots[kLayer] = static_cast<std::uint64_t>(layer);
      thread.next = 0;
      thread.standing = Standing::kRuns;
    }
    while (true) {
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        const std::size_t which = (i * static_cast<std::size_t>(order.thread_step) +
                                   static_cast<std::size_t>(order.first_thread)) %
                                  threads_.size();
        ptx::Run(code_, threads_[which]);
        if (threads_[which].standing == Standing::kFaulted)
          return FaultOf(which, threads_[which].why);
      }
      // All together, or one waits for others that never come.
      const ThreadState& first = threads_.front();
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        if (threads_[i].standing == first.standing && threads_[i].next == first.next) continue;
        if (first.standing == Standing::kDone && threads_[i].standing == Standing::kDone) continue;
        return FaultOf(i, "not at the barrier where other threads wait");
      }
      if (first.standing == Standing::kDone) return std::nullopt;
      for (ThreadState& thread : threads_) thread.standing = Standing::kRuns;
    }
  }

 private:
  Fault FaultOf(std::size_t which, const char* why) const {
    const ThreadState& thread = threads_[which];
    return {thread.fault, fmt::format("{}, line {} of its PTX, thread {} of block {}, {}: {}",
                                      code_.name, code_.instructions[thread.next - 1].line, which,
                                      thread.slots[kBlock], thread.slots[kLayer], why)};
  }

  const Code& code_;
  std::vector<std::byte> shared_;
  std::vector<std::uint64_t> slots_;
  std::vector<ThreadState> threads_;
};

}  // namespace

std::optional<Fault> Execute(const Code& code, std::span<const std::byte> arguments, Blocks blocks,
                             HostOrder order, const AddressSpace& memory) {
  BlockOfThreads threads(code, arguments, memory);
  for (int layer = 0; layer < blocks.layers; ++layer) {
    for (std::int64_t i = 0; i < blocks.across; ++i) {
      const std::int64_t block = order.last_block_first ? blocks.across - 1 - i : i;
      if (auto fault = threads.Run(block, layer, order)) return fault;
    }
  }
  return std::nullopt;
}

}  // namespace glint::cuda::ptx
