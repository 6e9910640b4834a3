// SPDX-License-Identifier: Apache-2.0
// References with changed bytes, by the checks of tests/fuzz/reference_fuzzer.cc, which abort.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/run_mutants.h"

namespace glint {
namespace {

TEST(References, WithChangedBytesPassTheChecksOfTheirFuzzer) {
  const std::vector<std::string> seeds = {
      R"({"schema_version": 1, "scan_id": "a", "profile": "photometric", "object": {"size": [8, 6]}})",
      R"({"schema_version": 1, "scan_id": "b", "profile": "classic", "object": null})",
      R"( {"schema_version": 9e99, "scan_id": ["\u0000\ud800"], "x": [[[[{"y": -0.0}]]]]})",
      std::string(70, '[') + std::string(70, ']')};
  RunMutants(seeds, 1'000);
}

}  // namespace
}  // namespace glint
