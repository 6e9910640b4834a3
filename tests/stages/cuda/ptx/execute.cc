// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/ptx/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "stages/cuda/ptx/count.h"

namespace glint::cuda::ptx {
namespace {

/// The lanes for which an instruction's predicate says that it is done.
std::uint32_t LanesOf(const Instruction& instruction, Warp& warp, std::uint32_t active) {
  if (instruction.guard < 0) return active;
  std::uint32_t set = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto predicate = static_cast<std::uint8_t>(warp.Slot(instruction.guard, lane));
    set |= static_cast<std::uint32_t>(predicate != 0 ? 1 : 0) << lane;
  }
  return active & (instruction.unless ? ~set : set);
}

/// The threads that are furthest behind, and how far they go on until others wait there.
struct Front {
  std::size_t next = std::numeric_limits<std::size_t>::max();
  std::size_t until = std::numeric_limits<std::size_t>::max();
  std::uint32_t lanes = 0;
};

Front FrontOf(const Warp& warp) {
  Front front;
  for (std::uint32_t lanes = warp.running; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const std::size_t next = warp.next[lane];
    if (next < front.next) {
      front.until = front.next;
      front.next = next;
      front.lanes = 0;
    } else if (next > front.next) {
      front.until = std::min(front.until, next);
    }
    if (next == front.next) front.lanes |= std::uint32_t{1} << lane;
  }
  return front;
}

void SendTo(Warp& warp, std::uint32_t lanes, std::size_t next) {
  for (; lanes != 0; lanes &= lanes - 1) {
    warp.next[static_cast<unsigned>(std::countr_zero(lanes))] = next;
  }
}

/// Runs a front until its threads part, meet others, or stop.
void RunFront(const Code& code, Warp& warp, Front front) {
  while (front.lanes != 0 && front.next < front.until) {
    const Instruction& instruction = code.instructions[front.next];
    const std::uint32_t lanes = LanesOf(instruction, warp, front.lanes);
    if (warp.counts != nullptr) warp.counts->Add(instruction, warp, front.lanes, lanes);
    if (instruction.course == Course::kNext) {
      if (lanes != 0) instruction.run(instruction, warp, lanes);
      if (warp.why != nullptr) break;  // `next` says where
      ++front.next;
      continue;
    }
    ++front.next;
    if (instruction.course == Course::kBranch) {
      const auto target = static_cast<std::size_t>(instruction.offset);
      if (lanes == front.lanes) {
        front.next = target;
      } else if (lanes != 0) {
        SendTo(warp, lanes, target);
        front.lanes &= ~lanes;
        break;
      }
      continue;
    }
    SendTo(warp, lanes, front.next);
    warp.running &= ~lanes;
    if (instruction.course == Course::kBarrier) warp.waiting |= lanes;
    front.lanes &= ~lanes;
  }
  SendTo(warp, front.lanes, front.next);
}

void Run(const Code& code, Warp& warp) {
  while (warp.running != 0 && warp.why == nullptr) RunFront(code, warp, FrontOf(warp));
}

/// The threads of one block, which is one block after another.
class BlockOfThreads {
 public:
  BlockOfThreads(const Code& code, std::span<const std::byte> arguments, HostOrder order,
                 const AddressSpace& memory, Counts* counts, const BlockLayout& layout)
      : code_(code),
        may_end_early_(layout.may_end_early),
        shared_(code.shared_bytes + layout.shared_bytes) {
    const auto width = static_cast<unsigned>(layout.width == 0 ? code.threads : layout.width);
    const auto height = static_cast<unsigned>(layout.height);
    const unsigned threads = width * height;
    warps_.resize((threads + kLanes - 1) / kLanes);
    for (unsigned i = 0; i < threads; ++i) warps_[i / kLanes].lanes |= 1U << (i % kLanes);
    for (Warp& warp : warps_) {
      warp.shared = shared_;
      warp.arguments = arguments;
      warp.memory = &memory;
      warp.counts = counts;
      warp.slots.reserve(code.first_slots.size() * kLanes);
      for (const std::uint64_t value : code.first_slots) {
        warp.slots.insert(warp.slots.end(), kLanes, value);
      }
    }
    for (unsigned i = 0; i < threads; ++i) {  // any thread may come first
      Warp& warp = warps_[i / kLanes];
      const unsigned thread = (i * static_cast<unsigned>(order.thread_step) +
                               static_cast<unsigned>(order.first_thread)) %
                              threads;
      warp.Slot(kThread, i % kLanes) = thread % width;
      warp.Slot(kThreadRow, i % kLanes) = thread / width;
      warp.Slot(kBlockWidth, i % kLanes) = width;
      warp.Slot(kBlockHeight, i % kLanes) = height;
      warp.Slot(kArguments, i % kLanes) = std::bit_cast<std::uint64_t>(arguments.data());
    }
  }

  std::optional<Fault> Run(std::int64_t block, int layer) {
    std::ranges::fill(shared_, std::byte{0xA5});
    for (Warp& warp : warps_) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        warp.Slot(kBlock, lane) = static_cast<std::uint64_t>(block);
        warp.Slot(kLayer, lane) = static_cast<std::uint64_t>(layer);
      }
      warp.next = {};
      warp.running = warp.lanes;
    }
    while (true) {
      for (Warp& warp : warps_) {
        ptx::Run(code_, warp);
        if (warp.why != nullptr) return FaultOf(warp, warp.faulty, warp.why);
      }
      if (auto fault = Missing()) return fault;
      if (std::ranges::all_of(warps_, [](const Warp& warp) { return warp.waiting == 0; })) {
        return std::nullopt;
      }
      for (Warp& warp : warps_) warp.running = std::exchange(warp.waiting, 0);
    }
  }

 private:
  /// All threads have ended or wait at one barrier, or one waits for others that never come.
  std::optional<Fault> Missing() const {
    if (may_end_early_) return std::nullopt;
    const Warp& first = warps_.front();
    for (const Warp& warp : warps_) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((warp.lanes >> lane & 1U) == 0) continue;
        const bool waits = (warp.waiting >> lane & 1U) != 0;
        if (waits == ((first.waiting & 1U) != 0) && (!waits || warp.next[lane] == first.next[0])) {
          continue;
        }
        return FaultOf(warp, lane, "not at the barrier where other threads wait");
      }
    }
    return std::nullopt;
  }

  Fault FaultOf(const Warp& warp, unsigned lane, const char* why) const {
    const auto told = [&](int slot) {
      return warp.slots[static_cast<std::size_t>(slot) * kLanes + lane];
    };
    const std::size_t next = std::min(warp.next[lane], code_.instructions.size() - 1);
    return {warp.fault, fmt::format("{}, line {} of its PTX, thread {} of block {}, {}: {}",
                                    code_.name, code_.instructions[next].line, told(kThread),
                                    told(kBlock), told(kLayer), why)};
  }

  const Code& code_;
  const bool may_end_early_;
  std::vector<std::byte> shared_;
  std::vector<Warp> warps_;
};

}  // namespace

std::optional<Fault> Execute(const Code& code, std::span<const std::byte> arguments, Grid grid,
                             HostOrder order, const AddressSpace& memory, Counts* counts,
                             BlockLayout layout) {
  BlockOfThreads threads(code, arguments, order, memory, counts, layout);
  for (int layer = 0; layer < grid.y; ++layer) {
    for (std::int64_t i = 0; i < grid.x; ++i) {
      const std::int64_t block = order.last_block_first ? grid.x - 1 - i : i;
      if (auto fault = threads.Run(block, layer)) return fault;
    }
  }
  if (counts != nullptr) {
    counts->blocks += grid.x * grid.y;
    counts->EndLaunch();
  }
  return std::nullopt;
}

}  // namespace glint::cuda::ptx
