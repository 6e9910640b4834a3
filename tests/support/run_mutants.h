// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// The fuzzer that the test program is linked with, from tests/fuzz; it aborts where a check fails.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace glint {

/// One of the seeds with a few bytes changed, sometimes cut short, sometimes with a piece of
/// another one behind it.
inline std::string Mutant(const std::vector<std::string>& seeds, std::mt19937& random) {
  std::string bytes = seeds[random() % seeds.size()];
  if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
  if (random() % 4 == 0) {
    const std::string& other = seeds[random() % seeds.size()];
    bytes += other.substr(random() % (other.size() + 1));
  }
  for (unsigned changes = random() % 8; changes > 0 && !bytes.empty(); --changes) {
    bytes[random() % bytes.size()] = static_cast<char>(random());
  }
  return bytes;
}

/// Takes that many mutants of the seeds, the same ones in each run, through the linked fuzzer.
inline void RunMutants(const std::vector<std::string>& seeds, int rounds) {
  std::mt19937 random(5);
  for (int round = 0; round < rounds; ++round) {
    const std::string bytes = Mutant(seeds, random);
    ASSERT_EQ(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()),
        0);
  }
}

}  // namespace glint
