// SPDX-License-Identifier: Apache-2.0
// Instructions: what they read from the slots of a thread, and write there.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "stages/cuda/ptx/arithmetic.h"
#include "stages/cuda/ptx/code.h"

namespace glint::cuda::ptx {

template <class T>
T Read(const Lane& lane, int slot) {
  T value;
  std::memcpy(&value, lane.slots + static_cast<std::size_t>(slot) * kLanes, sizeof value);
  return value;
}

/// Signs are kept to the slot's end, for registers that are wider than the value.
template <class T>
void Write(const Lane& lane, int slot, T value) {
  std::uint64_t word = 0;
  if constexpr (std::is_integral_v<T>) {
    word = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else {
    std::memcpy(&word, &value, sizeof value);
  }
  lane.slots[static_cast<std::size_t>(slot) * kLanes] = word;
}

/// An instruction of one thread, done for some of a warp.
template <void (*one)(const Instruction& instruction, const Lane& lane)>
void Lanes(const Instruction& instruction, Warp& warp, std::uint32_t lanes) {
  std::uint64_t* slots = warp.slots.data();
  if (lanes == ~std::uint32_t{0}) {
    for (unsigned i = 0; i < kLanes; ++i) one(instruction, {slots + i, i, &warp});
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(lanes));
    one(instruction, {slots + i, i, &warp});
  }
}

template <class What, class T>
void Unary(const Instruction& i, const Lane& lane) {
  Write<T>(lane, i.slots[0], What::Of(Read<T>(lane, i.slots[1])));
}

template <class What, class T>
void Binary(const Instruction& i, const Lane& lane) {
  Write<T>(lane, i.slots[0], What::Of(Read<T>(lane, i.slots[1]), Read<T>(lane, i.slots[2])));
}

template <class What, class T>
void Compare(const Instruction& i, const Lane& lane) {
  Write<std::uint8_t>(lane, i.slots[0],
                      What::Of(Read<T>(lane, i.slots[1]), Read<T>(lane, i.slots[2])) ? 1 : 0);
}

template <class T>
void MultiplyAdd(const Instruction& i, const Lane& lane) {
  const T product = Multiply::Of(Read<T>(lane, i.slots[1]), Read<T>(lane, i.slots[2]));
  Write<T>(lane, i.slots[0], Add::Of(product, Read<T>(lane, i.slots[3])));
}

inline void FusedMultiplyAdd(const Instruction& i, const Lane& lane) {
  const float sum = std::fma(Read<float>(lane, i.slots[1]), Read<float>(lane, i.slots[2]),
                             Read<float>(lane, i.slots[3]));
  Write<float>(lane, i.slots[0], Canonical(sum));
}

template <class T>
void MultiplyWide(const Instruction& i, const Lane& lane) {
  using Wide =
      std::conditional_t<sizeof(T) == 2,
                         std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
  const Wide product =
      static_cast<Wide>(Read<T>(lane, i.slots[1])) * static_cast<Wide>(Read<T>(lane, i.slots[2]));
  Write<Wide>(lane, i.slots[0], product);
}

/// Shifts by more than there are bits shift all of them out.
template <class T, bool left>
void Shift(const Instruction& i, const Lane& lane) {
  constexpr auto kBits = static_cast<std::uint32_t>(8 * sizeof(T));
  const T value = Read<T>(lane, i.slots[1]);
  const auto by = Read<std::uint32_t>(lane, i.slots[2]);
  T shifted;
  if constexpr (left) {
    shifted = by >= kBits ? T{0} : static_cast<T>(static_cast<Bits<T>>(value) << by);
  } else {
    const T all_out = value < 0 ? static_cast<T>(-1) : T{0};
    shifted = by >= kBits ? all_out : static_cast<T>(value >> by);
  }
  Write<T>(lane, i.slots[0], shifted);
}

template <class T>
void Select(const Instruction& i, const Lane& lane) {
  const bool first = Read<std::uint8_t>(lane, i.slots[3]) != 0;
  Write<T>(lane, i.slots[0], Read<T>(lane, i.slots[first ? 1 : 2]));
}

template <class To, class From>
void Convert(const Instruction& i, const Lane& lane) {
  const From from = Read<From>(lane, i.slots[1]);
  To to;
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // Towards zero, and to the nearest that there is.
    constexpr bool kWide = sizeof(To) == 8 || sizeof(From) == 8;
    const auto lowest = static_cast<From>(std::numeric_limits<To>::lowest());
    const auto beyond = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (std::isnan(from)) {
      to = kWide ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1)) : To{0};
    } else if (from >= beyond) {
      to = std::numeric_limits<To>::max();
    } else {
      to = from <= lowest ? std::numeric_limits<To>::lowest() : static_cast<To>(from);
    }
  } else {
    to = static_cast<To>(from);  // NOLINT(bugprone-signed-char-misuse): numbers
    if constexpr (std::is_floating_point_v<To>) to = Canonical(to);
  }
  Write<To>(lane, i.slots[0], to);
}

/// Two halves, the lower one first.
template <class Half, class Whole>
void Pack(const Instruction& i, const Lane& lane) {
  const Whole low = Read<Half>(lane, i.slots[1]), high = Read<Half>(lane, i.slots[2]);
  Write<Whole>(lane, i.slots[0], low | (high << (8 * sizeof(Half))));
}

/// Four bytes out of the eight of two registers; a selector with its highest bit set takes the
/// byte's sign, eight times.
inline void Permute(const Instruction& i, const Lane& lane) {
  const std::uint64_t from =
      Read<std::uint32_t>(lane, i.slots[1]) |
      (static_cast<std::uint64_t>(Read<std::uint32_t>(lane, i.slots[2])) << 32U);
  const auto selectors = Read<std::uint32_t>(lane, i.slots[3]);
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint32_t selector = (selectors >> (4 * k)) & 15U;
    std::uint32_t byte = static_cast<std::uint32_t>(from >> (8 * (selector & 7U))) & 255U;
    if ((selector & 8U) != 0) byte = (byte & 128U) != 0 ? 255U : 0U;
    result |= byte << (8 * k);
  }
  Write<std::uint32_t>(lane, i.slots[0], result);
}

/// Sum of the products of four bytes each.
inline void DotOfBytes(const Instruction& i, const Lane& lane) {
  const auto a = Read<std::uint32_t>(lane, i.slots[1]);
  const auto b = Read<std::uint32_t>(lane, i.slots[2]);
  auto sum = Read<std::uint32_t>(lane, i.slots[3]);
  for (unsigned k = 0; k < 32; k += 8) sum += ((a >> k) & 255U) * ((b >> k) & 255U);
  Write<std::uint32_t>(lane, i.slots[0], sum);
}

/// Two signed halves with the two lower bytes.
inline void DotOfHalves(const Instruction& i, const Lane& lane) {
  const auto a = Read<std::uint32_t>(lane, i.slots[1]);
  const auto b = Read<std::uint32_t>(lane, i.slots[2]);
  auto sum = Read<std::uint32_t>(lane, i.slots[3]);
  for (unsigned k = 0; k < 2; ++k) {
    const auto half = static_cast<std::int16_t>((a >> (16 * k)) & 0xffffU);
    const auto byte = static_cast<std::int32_t>((b >> (8 * k)) & 255U);
    sum += static_cast<std::uint32_t>(std::int32_t{half} * byte);
  }
  Write<std::uint32_t>(lane, i.slots[0], sum);
}

}  // namespace glint::cuda::ptx
