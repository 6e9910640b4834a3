// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

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

}  // namespace glint
