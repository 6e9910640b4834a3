// SPDX-License-Identifier: Apache-2.0
// Token files with changed bytes, by the checks of tests/fuzz/token_file_fuzzer.cc, which abort.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/mutant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace glint {
namespace {

TEST(Tokens, OfAFileWithChangedBytesPassTheChecksOfItsFuzzer) {
  const std::vector<std::string> seeds = {
      "0123456789abcdef\n", "site 0123456789abcdef0123456789abcdef\r\n# old\n\n",
      "  name of two  words\tabcdefghijklmnop  \n#abcdefghijklmnop\nshort\n", "\n", ""};
  std::mt19937 random(5);
  for (int round = 0; round < 5'000; ++round) {
    const std::string bytes = Mutant(seeds, random);
    ASSERT_EQ(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()),
        0);
  }
}

}  // namespace
}  // namespace glint
