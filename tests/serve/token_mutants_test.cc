// SPDX-License-Identifier: Apache-2.0
// Token files with changed bytes, by the checks of tests/fuzz/token_file_fuzzer.cc, which abort.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/run_mutants.h"

namespace glint {
namespace {

TEST(Tokens, OfAFileWithChangedBytesPassTheChecksOfItsFuzzer) {
  const std::vector<std::string> seeds = {
      "0123456789abcdef\n", "site 0123456789abcdef0123456789abcdef\r\n# old\n\n",
      "  name of two  words\tabcdefghijklmnop  \n#abcdefghijklmnop\nshort\n", "\n", ""};
  RunMutants(seeds, 5'000);
}

}  // namespace
}  // namespace glint
