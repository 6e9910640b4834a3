// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/gpu_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace glint::cuda {
namespace {

using testing::HasSubstr;

const GpuCode kCode{.compiler = "11.8.89",
                    .runtime = 11080,
                    .sms = {75, 80, 86, 90},
                    .ptx = 90,
                    .least_driver = "450.80.02"};

TEST(GpuCode, RunsOnGpusOfItsMajorVersionAndNewerOnes) {
  EXPECT_EQ(FindCode(kCode, 7, 5), CodeFor::kOwn);
  EXPECT_EQ(FindCode(kCode, 8, 7), CodeFor::kOwn) << "code of 8.6, or 8.0";
  EXPECT_EQ(FindCode(kCode, 9, 0), CodeFor::kOwn);
  EXPECT_EQ(FindCode(kCode, 10, 0), CodeFor::kPtx);
  EXPECT_EQ(FindCode(kCode, 12, 1), CodeFor::kPtx);
  EXPECT_EQ(FindCode(kCode, 7, 0), CodeFor::kNone);
}

TEST(DriverRelease, IsFoundInWhatTheDriverSaysOfItself) {
  EXPECT_EQ(DriverReleaseIn("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug "
                            "19 01:15:15 UTC 2023\n"
                            "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n"),
            "535.104.05");
  EXPECT_EQ(
      DriverReleaseIn(
          "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build"),
      "580.65.06");
  EXPECT_EQ(DriverReleaseIn("GCC version:  gcc version 12.2.0"), "");
  EXPECT_EQ(DriverReleaseIn(""), "");
}

TEST(PtxCache, SaysWhereItIsOrWhyThereIsNone) {
  const TempFolder folder;
  const std::string home = folder.path().string();
  EXPECT_EQ(DescribePtxCache(nullptr, nullptr, home.c_str()),
            "kept in " + home + "/.nv/ComputeCache");
  EXPECT_EQ(DescribePtxCache("0", home.c_str(), "/nowhere"), "kept in " + home);
  EXPECT_THAT(DescribePtxCache("1", home.c_str(), nullptr), HasSubstr("CUDA_CACHE_DISABLE is 1"));
  EXPECT_THAT(DescribePtxCache(nullptr, nullptr, nullptr), HasSubstr("nor HOME is set"));
  EXPECT_THAT(
      DescribePtxCache(nullptr, nullptr, "/dev/null"),
      testing::AllOf(HasSubstr("at every start: /dev/null/.nv/ComputeCache cannot be written"),
                     HasSubstr("set CUDA_CACHE_PATH")));
}

}  // namespace
}  // namespace glint::cuda
