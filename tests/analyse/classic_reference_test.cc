// SPDX-License-Identifier: Apache-2.0
// `classic` against the project's reference script, on real rectified frames.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "analyse/classic.h"
#include "analyse/cpu_stages.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

template <class T>
std::vector<T> ReadAll(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// What tests/analyse/classic_reference.py leaves behind.
struct Reference {
  std::vector<Plane> pictures;
  std::vector<double> score;
  std::vector<std::uint8_t> mask;
};

Reference Read(const fs::path& folder) {
  std::size_t count = 0;
  Size size;
  std::ifstream(folder / "shape.txt") >> count >> size.height >> size.width;
  const auto bytes = ReadAll<std::uint8_t>(folder / "pictures.u8");
  EXPECT_EQ(bytes.size(), count * static_cast<std::size_t>(size.area()));
  Reference reference{.pictures = {},
                      .score = ReadAll<double>(folder / "score.f64"),
                      .mask = ReadAll<std::uint8_t>(folder / "mask.u8")};
  const std::uint8_t* next = bytes.data();
  for (std::size_t i = 0; i < count; ++i) {
    reference.pictures.push_back(Plane::Host(size, PixelType::kU8));
    for (int y = 0; y < size.height; ++y, next += size.width) {
      std::memcpy(reference.pictures[i].Row<std::uint8_t>(y), next,
                  static_cast<std::size_t>(size.width));
    }
  }
  return reference;
}

class ClassicReference : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(ClassicReference, AgreesOnRealFrames) {
  GLINT_NEEDS_SHARED_DATA();
  const auto& [scan, pictures] = GetParam();
  const fs::path labels = *SharedData() / "scans" / fmt::format("{}.labels.json", scan);
  const TempFolder folder;
  const std::string command =
      fmt::format("/usr/bin/python3 '{}' '{}' '{}' '{}' {}", GLINT_REFERENCE_SCRIPT,
                  SharedReference()->string(), labels.string(), folder.path().string(), pictures);
  const int exit = WEXITSTATUS(std::system(command.c_str()));
  if (exit == 77) GTEST_SKIP() << "needs OpenCV for Python (Debian: python3-opencv)";
  ASSERT_EQ(exit, 0) << command;

  const Reference reference = Read(folder.path());
  CpuStages cpu(2);
  const auto result = DetectClassic(reference.pictures, cpu.stages);
  ASSERT_THAT(result, IsOk());
  const Size size = result->score.size();
  ASSERT_EQ(reference.score.size(), static_cast<std::size_t>(size.area()));
  double largest = 0;
  std::int64_t differing = 0;
  std::size_t i = 0;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x, ++i) {
      const double score = static_cast<double>(result->score.Row<std::int32_t>(y)[x]) /
                           (1 << ClassicFusionStage::kScoreBits);
      largest = std::max(largest, std::abs(score - reference.score[i]));
      differing += result->mask.Row<std::uint8_t>(y)[x] != reference.mask[i] ? 1 : 0;
    }
  }
  RecordProperty("largest_difference", fmt::format("{}", largest));
  RecordProperty("differing_pixels", fmt::format("{} of {}", differing, size.area()));
  EXPECT_LE(largest, 1e-4);
  EXPECT_LE(differing, size.area() / 1000);
}

INSTANTIATE_TEST_SUITE_P(Scans, ClassicReference,
                         testing::Values(std::pair("s1_page_720p", 5),
                                         std::pair("s3_card_1080p_portrait", 3),
                                         std::pair("s3c_card_1080p_portrait_clean", 1)),
                         [](const auto& scan) { return std::string(scan.param.first); });

}  // namespace
}  // namespace glint
