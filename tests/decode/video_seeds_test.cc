// SPDX-License-Identifier: Apache-2.0
// The seeds of video_fuzzer through the fuzzer's own checks, which abort where one does not hold.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "decode/in_process.h"
#include "support/status_matchers.h"

/// tests/fuzz/video_fuzzer.cc
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace glint {
namespace {

namespace fs = std::filesystem;

TEST(VideoSeeds, PassTheChecksOfTheFuzzerWholeCutAndChanged) {
  constexpr int kMutants = 20;  // of each seed
  std::mt19937 random(1);
  int seeds = 0;
  for (const fs::directory_entry& seed : fs::directory_iterator(GLINT_FUZZ_SEEDS)) {
    SCOPED_TRACE(seed.path());
    EXPECT_THAT(OpenVideoInProcess(seed.path(), {}), IsOk());  // or it would seed nothing
    std::ifstream stream(seed.path(), std::ios::binary);
    const std::vector<std::uint8_t> whole{std::istreambuf_iterator<char>(stream), {}};
    ASSERT_FALSE(whole.empty());
    EXPECT_EQ(LLVMFuzzerTestOneInput(whole.data(), whole.size()), 0);
    EXPECT_EQ(LLVMFuzzerTestOneInput(whole.data(), whole.size() / 2), 0);
    for (int i = 0; i < kMutants; ++i) {
      std::vector<std::uint8_t> mutant = whole;
      for (int change = 0; change < 8; ++change) {
        mutant[random() % mutant.size()] = static_cast<std::uint8_t>(random());
      }
      EXPECT_EQ(LLVMFuzzerTestOneInput(mutant.data(), mutant.size()), 0);
    }
    ++seeds;
  }
  EXPECT_GE(seeds, 10);
}

}  // namespace
}  // namespace glint
