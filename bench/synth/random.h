// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace glint {

/// Scrambles 32 bits (the finaliser of MurmurHash3, A. Appleby, public domain).
constexpr std::uint32_t Scramble(std::uint32_t value) {
  value ^= value >> 16;
  value *= 0x85ebca6bU;
  value ^= value >> 13;
  value *= 0xc2b2ae35U;
  return value ^ (value >> 16);
}

/// Random numbers that are the same on every machine: the raw output of the Mersenne twister, which
/// the standard fixes bit for bit, and no standard distribution, which it does not.
///
/// Two draws must never be arguments of one call, whose order the language leaves open; draws
/// inside braces are in order.
class Random {
 public:
  /// @param stream  separates independent uses of one seed, so that a clean twin keeps its artwork
  Random(std::uint32_t seed, std::uint32_t stream)
      : engine_(Scramble(seed) ^ Scramble(stream + 0x9e3779b9U)) {}

  std::uint32_t Bits() { return static_cast<std::uint32_t>(engine_()); }
  /// 0 <= value < 1
  double Unit() { return Bits() * 0x1p-32; }
  double Uniform(double low, double high) { return low + (high - low) * Unit(); }
  /// low <= value <= high
  int Integer(int low, int high) {
    const auto count = std::uint64_t{static_cast<std::uint32_t>(high - low)} + 1;
    return low + static_cast<int>((Bits() * count) >> 32);
  }
  bool Chance(double probability) { return Unit() < probability; }
  /// One of the elements.
  template <class Container>
  const auto& Pick(const Container& container) {
    return container[static_cast<std::size_t>(
        Integer(0, static_cast<int>(std::size(container)) - 1))];
  }

 private:
  std::mt19937 engine_;
};

}  // namespace glint
