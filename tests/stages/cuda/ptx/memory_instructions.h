// SPDX-License-Identifier: Apache-2.0
// Instructions that touch memory.
#pragma once

#include <cstring>

#include "stages/cuda/ptx/instructions.h"

namespace glint::cuda::ptx {

enum class Space : std::uint8_t { kGlobal, kShared, kArguments };

/// Where an address leads; null, with a fault, when nowhere.
inline std::byte* Locate(const Lane& lane, Space space, int slot, std::int64_t offset,
                         std::size_t bytes) {
  std::byte* at = nullptr;
  if (space == Space::kShared) {
    const std::int64_t from = Read<std::uint32_t>(lane, slot) + offset;
    const auto size = static_cast<std::int64_t>(lane.warp->shared.size());
    if (from < 0 || from + static_cast<std::int64_t>(bytes) > size) {
      lane.warp->Fault(lane.number, FaultKind::kIllegalAddress, "outside of shared memory");
      return nullptr;
    }
    if (static_cast<std::size_t>(from) % bytes != 0) {
      lane.warp->Fault(lane.number, FaultKind::kMisalignedAddress, "misaligned in shared memory");
      return nullptr;
    }
    return lane.warp->shared.data() + from;
  }
  const std::uint64_t address =
      Read<std::uint64_t>(lane, slot) + static_cast<std::uint64_t>(offset);
  std::memcpy(&at, &address, sizeof at);
  if (address % bytes != 0) {
    lane.warp->Fault(lane.number, FaultKind::kMisalignedAddress, "misaligned");
    return nullptr;
  }
  if (space == Space::kArguments) {
    const std::byte* first = lane.warp->arguments.data();
    if (at >= first && at + bytes <= first + lane.warp->arguments.size()) return at;
    lane.warp->Fault(lane.number, FaultKind::kIllegalAddress, "outside of the arguments");
    return nullptr;
  }
  if (lane.warp->memory->Holds(at, bytes)) return at;
  lane.warp->Fault(lane.number, FaultKind::kIllegalAddress, "outside of device memory");
  return nullptr;
}

template <class T, Space space, int count>
void Load(const Instruction& i, const Lane& lane) {
  const std::byte* from =
      Locate(lane, space, i.slots[count], i.offset, sizeof(T) * std::size_t{count});
  if (from == nullptr) return;
  for (std::size_t k = 0; k < count; ++k) {
    T value;
    std::memcpy(&value, from + k * sizeof value, sizeof value);
    Write<T>(lane, i.slots[k], value);
  }
}

template <class T, Space space, int count>
void Store(const Instruction& i, const Lane& lane) {
  std::byte* to = Locate(lane, space, i.slots[0], i.offset, sizeof(T) * std::size_t{count});
  if (to == nullptr) return;
  for (std::size_t k = 0; k < count; ++k) {
    const T value = Read<T>(lane, i.slots[k + 1]);
    std::memcpy(to + k * sizeof value, &value, sizeof value);
  }
}

template <class What, class T, Space space>
void Atomic(const Instruction& i, const Lane& lane) {
  std::byte* at = Locate(lane, space, i.slots[1], i.offset, sizeof(T));
  if (at == nullptr) return;
  T before;
  std::memcpy(&before, at, sizeof before);
  const T after = What::Of(before, Read<T>(lane, i.slots[2]));
  std::memcpy(at, &after, sizeof after);
  Write<T>(lane, i.slots[0], before);
}

}  // namespace glint::cuda::ptx
