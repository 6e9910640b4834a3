// SPDX-License-Identifier: Apache-2.0
// How good the default detector is, as a user meets it: `glint eval` on the nine labelled scans of
// the shared data, with no corners given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/program.h"
#include "support/sanitized.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kCleanShare = 0.0002;

std::vector<std::string> LabelFiles() {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(*SharedData() / "scans")) {
    const std::string file = entry.path().string();
    if (file.ends_with(".labels.json")) files.push_back(file);
  }
  std::ranges::sort(files);
  return files;
}

/// evaluation.json of all scans; made once.
const Json& Evaluation() {
  static const Json evaluation = [] {
    const TempFolder folder;
    std::vector<std::string> arguments = {"eval", "--out", "e"};
    for (std::string& file : LabelFiles()) arguments.push_back(std::move(file));
    // Four minutes of processor time; a busy machine gives little of it.
    constexpr std::chrono::minutes kPatience{25};
    const Ended ended = RunProgram(arguments, {.folder = folder.path(), .patience = kPatience});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::fputs(ended.out.c_str(), stdout);
    return Json::parse(std::ifstream(folder.path() / "e/evaluation.json"), nullptr, false);
  }();
  return evaluation;
}

class EvalScans : public testing::Test {
 protected:
  void SetUp() override {
    // An hour and more; photometric_scans_test and determinism_test run the same code.
    if (kSanitized) GTEST_SKIP() << "a sanitizer does not judge how good a mask is";
    GLINT_NEEDS_SHARED_DATA();
    ASSERT_TRUE(Evaluation().is_object()) << "no evaluation.json";
    ASSERT_EQ(Evaluation()["results"].size(), 9U);
  }

  /// The result of the scan whose name starts so, "s1_" say.
  static const Json& Scan(const std::string& start) {
    for (const Json& scan : Evaluation()["results"]) {
      if (scan["name"].get<std::string>().starts_with(start)) return scan;
    }
    ADD_FAILURE() << "no scan " << start;
    static const Json none;
    return none;
  }
  /// Its defects of that type.
  static std::vector<Json> Defects(const std::string& scan, const std::string& type) {
    std::vector<Json> defects;
    for (const Json& defect : Scan(scan)["defects"]) {
      if (defect["type"] == type) defects.push_back(defect);
    }
    return defects;
  }
};

/// The scans with lines on print, and the least F of each: a hundredth or two below what was
/// reached; in no case below 0.92.
constexpr std::pair<const char*, double> kDamaged[] = {
    {"s1_", 0.955}, {"s2_", 0.95}, {"s3_", 0.955}, {"s4_", 0.92}, {"s5_", 0.945}};

TEST_F(EvalScans, FindsEveryLineAndLittleElse) {
  double sum = 0;
  for (const auto& [name, least_f] : kDamaged) {
    SCOPED_TRACE(name);
    const Json& scan = Scan(name);
    ASSERT_TRUE(scan["lines"].is_object());
    const double f = scan["lines"]["f"];
    EXPECT_GE(f, least_f);
    sum += f;
    int lines = 0;
    for (const Json& defect : scan["defects"]) {
      if (defect["family"] != "lines") continue;
      ++lines;
      EXPECT_TRUE(defect["found"]) << defect;
    }
    EXPECT_GT(lines, 0);
  }
  EXPECT_GE(sum / std::size(kDamaged), 0.95);
}

TEST_F(EvalScans, MarksNothingOnCleanScans) {
  for (const char* name : {"s1c_", "s3c_", "s7c_"}) {
    SCOPED_TRACE(name);
    EXPECT_EQ(Scan(name)["outcome"], "scanned");
    EXPECT_EQ(Scan(name)["damaged"], false);
    EXPECT_LE(Scan(name)["marked"], kCleanShare);
    EXPECT_EQ(Scan(name)["outline_marked"], 0);
  }
}

TEST_F(EvalScans, FindsWhatIsMissingAlongTheOutline) {
  const auto corners = Defects("s2_", "missing_corner");
  ASSERT_EQ(corners.size(), 1U);
  EXPECT_GE(corners[0]["covered"], 0.9);
  for (const char* name : {"s4_", "s5_"}) {
    const auto tears = Defects(name, "tear");
    EXPECT_FALSE(tears.empty()) << name;
    for (const Json& tear : tears) EXPECT_GE(tear["covered"], 0.7) << name;
  }
  const auto worn = Defects("s3_", "corner_wear");
  ASSERT_EQ(worn.size(), 2U);
  for (const Json& corner : worn) EXPECT_TRUE(corner["found"]) << corner;
  for (const char* name : {"s2_", "s3_", "s4_", "s5_"}) {
    ASSERT_TRUE(Scan(name)["outline"].is_object()) << name;
    EXPECT_GE(Scan(name)["outline"]["precision"], 0.8) << name;
  }
}

TEST_F(EvalScans, FindsTheCracksOfAnUnprintedSurface) {
  ASSERT_TRUE(Scan("s6_")["lines"].is_object());
  EXPECT_GE(Scan("s6_")["lines"]["f"], 0.8);
}

}  // namespace
}  // namespace glint
