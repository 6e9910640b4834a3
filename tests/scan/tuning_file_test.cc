// SPDX-License-Identifier: Apache-2.0
#include "glint/tuning_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::HasSubstr;

constexpr const char* kDevice = "NVIDIA \"Test\", sm_90";
constexpr Size kSize{1920, 1080};

Tuning Sample() {
  Tuning tuning;
  tuning.Add(Tuning::Batch{kDevice, kSize, true, 8});
  tuning.Add(Tuning::Batch{kDevice, kSize, false, 16});
  tuning.Add(Tuning::CpuLimit{kDevice, 2, 230'400});
  return tuning;
}

TEST(TuningFile, GivesBackWhatWasWritten) {
  const TempFolder folder;
  const auto file = folder.path() / "new" / "folders" / "tuning.json";
  ASSERT_THAT(WriteTuning(Sample(), file), IsOk());
  const auto read = ReadTuning(file);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(*read, Sample());
  const std::filesystem::directory_iterator files(file.parent_path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "nothing else is left there";
}

TEST(TuningFile, OneThatIsNotThereIsEmpty) {
  const TempFolder folder;
  for (const auto& file : {folder.path() / "none.json", std::filesystem::path()}) {
    const auto read = ReadTuning(file);
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(*read, Tuning());
  }
}

TEST(TuningFile, WhatIsNoTuningIsRefused) {
  const TempFolder folder;
  for (const char* text :
       {"", "{", "[]", R"({"version": 1})", R"({"version": 2, "batches": [], "cpu_up_to": []})",
        R"({"version": 1, "cpu_up_to": [], "batches": [{"device": "x", "width": 1, "height": 1,
            "motion": true, "frames": 0}]})",
        R"({"version": 1, "batches": [], "cpu_up_to": [{"device": "x", "threads": 1,
            "pixels": "many"}]})"}) {
    EXPECT_THAT(ReadTuning(folder.Write("tuning.json", text)),
                FailsWith(Reason::kInputUnreadable, HasSubstr("glint bench --tune")))
        << text;
  }
}

TEST(TuningFile, APlaceThatCannotBeWrittenIsNamed) {
  const TempFolder folder;
  const std::filesystem::path file = folder.Write("file", "x");
  EXPECT_THAT(WriteTuning(Sample(), file / "tuning.json"),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("--tuning-file")));
  EXPECT_THAT(WriteTuning(Sample(), ""), FailsWith(Reason::kOutputUnwritable, testing::_));
}

TEST(TuningFile, LiesInTheCacheFolderOfTheUser) {
  const char* home = std::getenv("HOME");
  const std::string home_before = home == nullptr ? "" : home;
  setenv("HOME", "/home/somebody", 1);
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(DefaultTuningFile(), "/home/somebody/.cache/glint/tuning.json");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(DefaultTuningFile(), "/home/somebody/.cache/glint/tuning.json");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(DefaultTuningFile(), "/cache/glint/tuning.json");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(DefaultTuningFile(), "");
  if (home != nullptr) setenv("HOME", home_before.c_str(), 1);
}

TEST(Tuning, WhatIsMeasuredAgainReplacesWhatWasKnown) {
  Tuning tuning = Sample();
  tuning.Add(Tuning::Batch{kDevice, kSize, true, 4});
  EXPECT_EQ(tuning.batches.size(), 2);
  EXPECT_EQ(tuning.BatchFor(kDevice, kSize, true), 4);
  EXPECT_EQ(tuning.BatchFor(kDevice, kSize, false), 16);
  EXPECT_EQ(tuning.BatchFor(kDevice, {1080, 1920}, true), std::nullopt);
  EXPECT_EQ(tuning.BatchFor("another", kSize, true), std::nullopt);
  tuning.Add(Tuning::CpuLimit{kDevice, 2, 0});
  EXPECT_EQ(tuning.CpuUpTo(kDevice, 2), 0);
  EXPECT_EQ(tuning.CpuUpTo(kDevice, 1), std::nullopt);
}

}  // namespace
}  // namespace glint
