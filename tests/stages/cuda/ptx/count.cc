// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/ptx/count.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace glint::cuda::ptx {
namespace {

constexpr std::uint64_t kSector = 32;  ///< bytes, of global memory
constexpr std::uint64_t kBanks = 32;   ///< of shared memory, 4 bytes each

/// "f32" of "add.rn.f32".
std::string_view TypeOf(std::string_view opcode) { return opcode.substr(opcode.rfind('.') + 1); }

std::uint8_t BytesOf(std::string_view opcode) {
  const std::string_view type = TypeOf(opcode);
  const int bytes = type.ends_with("64")   ? 8
                    : type.ends_with("32") ? 4
                    : type.ends_with("16") ? 2
                                           : 1;
  const bool pair = opcode.find(".v2.") != std::string_view::npos;
  const bool four = opcode.find(".v4.") != std::string_view::npos;
  return static_cast<std::uint8_t>(bytes * (four ? 4 : pair ? 2 : 1));
}

Counted AccessOf(std::string_view opcode) {
  const bool shared = opcode.find(".shared") != std::string_view::npos;
  const std::uint8_t bytes = BytesOf(opcode);
  if (opcode.starts_with("st")) return {shared ? Kind::kSharedStore : Kind::kGlobalStore, bytes, 0};
  if (opcode.starts_with("atom")) {
    return {shared ? Kind::kSharedAtomic : Kind::kGlobalAtomic, bytes, 1};
  }
  const bool four = opcode.find(".v4.") != std::string_view::npos;
  const bool pair = opcode.find(".v2.") != std::string_view::npos;
  const auto address = static_cast<std::uint8_t>(four ? 4 : pair ? 2 : 1);
  return {shared ? Kind::kSharedLoad : Kind::kGlobalLoad, bytes, address};
}

/// The addresses that lanes of a warp access.
std::vector<std::uint64_t> AddressesOf(const Instruction& instruction, Warp& warp,
                                       std::uint32_t lanes) {
  std::vector<std::uint64_t> addresses;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    addresses.push_back(warp.Slot(instruction.slots[instruction.address], lane) +
                        static_cast<std::uint64_t>(instruction.offset));
  }
  return addresses;
}

/// Rounds over the banks that one group of lanes takes: different words of one bank follow each
/// other, one word goes to all who want it.
std::int64_t PassesOf(std::vector<std::uint64_t> words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::array<std::int64_t, kBanks> ways{};
  for (const std::uint64_t word : words) ++ways[word % kBanks];
  return *std::ranges::max_element(ways);
}

}  // namespace

std::string_view NameOf(Kind kind) {
  constexpr std::array<std::string_view, kKinds> kNames = {
      "integer",     "float",        "double",       "move",         "convert",
      "control",     "argument",     "global load",  "global store", "global atomic",
      "shared load", "shared store", "shared atomic"};
  return kNames[static_cast<std::size_t>(kind)];
}

Counted CountedAs(std::string_view opcode) {
  if (opcode.starts_with("ld.param") || opcode.starts_with("ld.const")) {
    return {Kind::kArgument, BytesOf(opcode), 1};
  }
  if (opcode.starts_with("ld.") || opcode.starts_with("st.") || opcode.starts_with("atom.")) {
    return AccessOf(opcode);
  }
  if (opcode.starts_with("bra") || opcode.starts_with("bar") || opcode == "ret") {
    return {Kind::kControl};
  }
  if (opcode.starts_with("mov") || opcode.starts_with("cvta")) return {Kind::kMove};
  if (opcode.starts_with("cvt")) return {Kind::kConvert};
  const std::string_view type = TypeOf(opcode);
  return {type == "f64" ? Kind::kDouble : type == "f32" ? Kind::kFloat : Kind::kInteger};
}

void Counts::Add(const Instruction& instruction, Warp& warp, std::uint32_t active,
                 std::uint32_t lanes) {
  instructions[static_cast<std::size_t>(instruction.kind)] += std::popcount(lanes);
  ++issued;
  if (instruction.course == Course::kBranch && instruction.guard >= 0) {
    ++branches;
    if (lanes != 0 && lanes != active) ++divergent;
  }
  if (instruction.course == Course::kBarrier) ++barriers;
  switch (instruction.kind) {
    case Kind::kFloat:
      ++issued_float;
      break;
    case Kind::kInteger:
      ++issued_integer;
      break;
    case Kind::kGlobalLoad:
    case Kind::kGlobalStore:
    case Kind::kGlobalAtomic:
      AddGlobal(instruction, warp, lanes);
      break;
    case Kind::kSharedLoad:
    case Kind::kSharedStore:
    case Kind::kSharedAtomic:
      AddShared(instruction, warp, lanes);
      break;
    case Kind::kDouble:
    case Kind::kMove:
    case Kind::kConvert:
    case Kind::kControl:
    case Kind::kArgument:
    case Kind::kCount:
      break;
  }
}

void Counts::AddGlobal(const Instruction& instruction, Warp& warp, std::uint32_t lanes) {
  std::vector<std::uint64_t> bytes, moved;
  for (const std::uint64_t address : AddressesOf(instruction, warp, lanes)) {
    for (unsigned i = 0; i < instruction.bytes; ++i) bytes.push_back(address + i);
    // Accesses are aligned to their size, so none lies in two sectors.
    moved.push_back(address / kSector);
  }
  for (auto* values : {&bytes, &moved}) {
    std::ranges::sort(*values);
    values->erase(std::unique(values->begin(), values->end()), values->end());
  }
  useful_bytes += static_cast<std::int64_t>(bytes.size());
  sectors += static_cast<std::int64_t>(moved.size());
  if (instruction.kind != Kind::kGlobalStore) read_.insert(moved.begin(), moved.end());
  if (instruction.kind != Kind::kGlobalLoad) written_.insert(moved.begin(), moved.end());
}

void Counts::AddShared(const Instruction& instruction, Warp& warp, std::uint32_t lanes) {
  // Values of 8 and 16 bytes are moved for a half and a quarter of the warp at a time.
  const unsigned words_each = std::max(1U, instruction.bytes / 4U);
  const unsigned group = kLanes / words_each;
  for (unsigned first = 0; first < kLanes; first += group) {
    const std::uint32_t mask = group == kLanes ? ~0U : ((1U << group) - 1) << first;
    if ((lanes & mask) == 0) continue;
    std::vector<std::uint64_t> words;
    for (const std::uint64_t address : AddressesOf(instruction, warp, lanes & mask)) {
      for (unsigned i = 0; i < words_each; ++i) words.push_back(address / 4 + i);
    }
    passes += PassesOf(std::move(words));
    ++least_passes;
  }
}

void Counts::EndLaunch() {
  footprint_bytes += static_cast<std::int64_t>(kSector * (read_.size() + written_.size()));
  read_.clear();
  written_.clear();
}

}  // namespace glint::cuda::ptx
