// SPDX-License-Identifier: Apache-2.0
// References with changed bytes, by the checks of tests/fuzz/reference_fuzzer.cc, which abort.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/mutant.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace glint {
namespace {

TEST(References, WithChangedBytesPassTheChecksOfTheirFuzzer) {
  const std::vector<std::string> seeds = {
      R"({"schema_version": 1, "scan_id": "a", "profile": "photometric", "object": {"size": [8, 6]}})",
      R"({"schema_version": 1, "scan_id": "b", "profile": "classic", "object": null})",
      R"( {"schema_version": 9e99, "scan_id": ["\u0000\ud800"], "x": [[[[{"y": -0.0}]]]]})",
      std::string(70, '[') + std::string(70, ']')};
  std::mt19937 random(5);
  for (int round = 0; round < 1'000; ++round) {
    const std::string bytes = Mutant(seeds, random);
    ASSERT_EQ(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()),
        0);
  }
}

}  // namespace
}  // namespace glint
