// SPDX-License-Identifier: Apache-2.0
#include "base/spilled_bytes.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <random>
#include <thread>
#include <vector>

#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

std::vector<std::uint8_t> Noise(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> noise(bytes);
  for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>(random());
  return noise;
}

std::vector<std::uint8_t> AllOf(const SpilledBytes& spilled) {
  std::vector<std::uint8_t> all(spilled.size());
  spilled.Read(0, all);
  return all;
}

/// What this process's file in a folder takes: of the disk, and from its first byte to its last.
struct Taken {
  std::int64_t disk = 0, length = 0;
};

Taken TakenIn(const fs::path& folder) {
  Taken taken;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string to = fs::read_symlink(entry.path(), error).string();
    struct stat info {};
    if (!to.starts_with(folder.string()) || stat(entry.path().c_str(), &info) != 0) continue;
    taken.disk += info.st_blocks * 512;
    taken.length += info.st_size;
  }
  return taken;
}

class Spilling : public testing::Test {
 protected:
  void SpillHere() {
    SpillTo(folder_.path(), [this](const std::string& text) { warnings_.push_back(text); });
  }
  ~Spilling() override {
    SpillTo("/nowhere", [](const std::string&) {});
  }

  TempFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(Spilling, BytesComeBackFromMemory) {
  const auto noise = Noise(300'000, 1);
  const SpilledBytes spilled(noise);
  EXPECT_EQ(AllOf(spilled), noise);
  EXPECT_EQ(SpilledBytes().size(), 0U);
  EXPECT_TRUE(AllOf(SpilledBytes()).empty());
}

TEST_F(Spilling, BytesAndPartsOfThemComeBackFromTheFile) {
  SpillHere();
  for (const std::size_t bytes : {1U, 65'535U, 65'536U, 65'537U, 1'000'001U}) {
    const auto noise = Noise(bytes, 2);
    std::vector<SpilledBytes> copies(2, SpilledBytes(noise));
    copies.pop_back();
    EXPECT_EQ(AllOf(copies[0]), noise) << bytes;
    std::vector<std::uint8_t> last(bytes / 3);
    copies[0].Read(bytes - last.size(), last);
    EXPECT_TRUE(std::equal(last.begin(), last.end(), noise.end() - std::ssize(last))) << bytes;
  }
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Spilling, TheFileHasNoNameAndTakesWhatLiesInIt) {
  SpillHere();
  constexpr std::size_t kEach = 1 << 20;
  std::vector<SpilledBytes> spilled;
  for (unsigned i = 0; i < 8; ++i) spilled.emplace_back(Noise(kEach, i));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  EXPECT_GE(TakenIn(folder_.path()).disk, std::int64_t{8 * kEach});
  for (unsigned round = 0; round < 20; ++round) {  // as frames are kept and dropped
    for (unsigned i = round % 2; i < 8; i += 2) {
      spilled[i] = SpilledBytes();
      spilled[i] = SpilledBytes(Noise(kEach - std::size_t{5000} * (round % 3), round + i));
    }
  }
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned round = i % 2 == 0 ? 18 : 19;
    EXPECT_EQ(AllOf(spilled[i]), Noise(kEach - std::size_t{5000} * (round % 3), round + i)) << i;
  }
  EXPECT_LE(TakenIn(folder_.path()).length, std::int64_t{12 * kEach});  // 160 were put there
  spilled.clear();
  EXPECT_LT(TakenIn(folder_.path()).disk, std::int64_t{kEach});
}

TEST_F(Spilling, ManyThreadsMayDoIt) {
  SpillHere();
  std::vector<std::jthread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      std::vector<SpilledBytes> spilled(5);
      for (unsigned i = 0; i < 100; ++i) {
        const auto noise = Noise(70'000 + 1000 * (i % 7), 100 * thread + i);
        spilled[i % 5] = SpilledBytes(noise);
        ASSERT_EQ(AllOf(spilled[i % 5]), noise);
      }
    });
  }
}

TEST_F(Spilling, AFullDiskLosesNothingAndIsToldOnce) {
  SpillHere();
  const SpilledBytes before(Noise(200'000, 1));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small = {300'000, old.rlim_max};  // as if the disk were full in the middle of it
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const SpilledBytes second(Noise(200'000, 2)), third(Noise(200'000, 3));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_EQ(AllOf(before), Noise(200'000, 1));
  EXPECT_EQ(AllOf(second), Noise(200'000, 2));
  EXPECT_EQ(AllOf(third), Noise(200'000, 3));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("File too large"), std::string::npos) << warnings_[0];
}

TEST_F(Spilling, WithoutAFolderTheyStayInMemoryAndThatIsTold) {
  SpillTo("/nowhere", [this](const std::string& text) { warnings_.push_back(text); });
  EXPECT_EQ(AllOf(SpilledBytes(Noise(200'000, 1))), Noise(200'000, 1));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("'/nowhere'"), std::string::npos) << warnings_[0];
  ASSERT_EQ(setenv("TMPDIR", "/nowhere", 1), 0);
  SpillTo("", [this](const std::string& text) { warnings_.push_back(text); });
  unsetenv("TMPDIR");
  ASSERT_EQ(warnings_.size(), 2U);
  EXPECT_NE(warnings_[1].find("TMPDIR"), std::string::npos) << warnings_[1];
}

}  // namespace
}  // namespace glint
