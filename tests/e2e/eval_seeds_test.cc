// SPDX-License-Identifier: Apache-2.0
// Clean objects from the generator that were once taken for damaged ones: what was wrong with each
// stays right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "support/sanitized.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using Json = nlohmann::json;

struct CleanObject {
  const char* name;
  std::vector<std::string> drawn_by;  ///< options of `glint synth`
};

/// What was once marked on each, and how much of it.
const std::vector<CleanObject>& CleanObjects() {
  static const std::vector<CleanObject> objects = {
      // A joint of the boards was taken for a side: 3.5 % off. Brown print on brown wood: 0.4 %.
      {.name = "boards", .drawn_by = {"--kind", "cover", "--seed", "9212", "--frames", "90"}},
      // Dark print like the dark table: 0.4 %.
      {.name = "dark_corner", .drawn_by = {"--kind", "cover", "--seed", "9304", "--frames", "45"}},
      // A strip along a dark side that no view resolves: 0.4 %.
      {.name = "dark_side", .drawn_by = {"--kind", "cover", "--seed", "9307", "--frames", "45"}},
      // Strokes of dark ink under the lamp's reflection: 0.6 %.
      {.name = "veiled_ink",
       .drawn_by = {"--kind", "card", "--seed", "9306", "--frames", "45", "--bend", "0.01"}},
  };
  return objects;
}

TEST(EvalSeeds, MarksNothingOnCleanObjects) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer does not judge how good a mask is";
  const TempFolder folder;
  const Program::Setting here{.folder = folder.path(), .patience = std::chrono::minutes(20)};
  std::vector<std::string> evaluate = {"eval", "--out", "e"};
  for (const CleanObject& object : CleanObjects()) {
    std::vector<std::string> draw = {"synth", "--clean", "--name", object.name, "--out", "."};
    draw.insert(draw.end(), object.drawn_by.begin(), object.drawn_by.end());
    const Ended drawn = RunProgram(draw, here);
    ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
    evaluate.push_back(std::string(object.name) + ".labels.json");
  }
  const Ended ended = RunProgram(evaluate, here);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const Json evaluation =
      Json::parse(std::ifstream(folder.path() / "e/evaluation.json"), nullptr, false);
  ASSERT_TRUE(evaluation.is_object());
  ASSERT_EQ(evaluation["results"].size(), CleanObjects().size());
  for (const Json& scan : evaluation["results"]) {
    SCOPED_TRACE(scan["name"].get<std::string>());
    EXPECT_EQ(scan["outcome"], "scanned");
    EXPECT_LE(scan["corner_error_percent"], 0.5);
    EXPECT_LE(scan["marked"], 0.001);
  }
}

}  // namespace
}  // namespace glint
