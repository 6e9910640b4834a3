// SPDX-License-Identifier: Apache-2.0
// The scores against the project's reference script, on real labelled scans.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/eval/score.h"
#include "image/png.h"
#include "support/plane_compare.h"
#include "support/shared_data.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using Json = nlohmann::json;

/// The mask moved to the right and down, with a little salt.
Plane Disturbed(const Plane& ids, int shift_x, int shift_y, bool salted) {
  const Plane noise = NoisePlane(ids.size(), 5);
  Plane mask = Plane::Host(ids.size(), PixelType::kU8);
  for (int y = 0; y < ids.height(); ++y) {
    for (int x = 0; x < ids.width(); ++x) {
      const bool inside = x >= shift_x && y >= shift_y;
      const bool marked = inside && ids.Row<std::uint8_t>(y - shift_y)[x - shift_x] != 0;
      const bool salt = salted && noise.Row<std::uint8_t>(y)[x] == 0;
      mask.Row<std::uint8_t>(y)[x] = marked || salt ? 255 : 0;
    }
  }
  return mask;
}

/// The true corners of a frame, a little off and with another one first.
LocatedObject Misplaced(const ScanLabels& labels, std::size_t frame) {
  LocatedObject object;
  object.reference_frame = static_cast<std::int64_t>(frame);
  for (std::size_t i = 0; i < 4; ++i) {
    object.corners[i] = labels.corners[frame][(i + 1) % 4];
    object.corners[i].x += 1.5 * static_cast<double>(i) - 2;
    object.corners[i].y += 1;
  }
  object.size = {labels.flat_size.height + 3, labels.flat_size.width - 2};
  return object;
}

Json ToJson(const LocatedObject& object) {
  Json corners = Json::array();
  for (const Point& p : object.corners) corners.push_back({p.x, p.y});
  return {{"object",
           {{"reference_frame", object.reference_frame},
            {"corners", corners},
            {"size", {object.size.width, object.size.height}}}}};
}

void ExpectSame(const ScanScore& score, const Json& expected) {
  EXPECT_NEAR(score.marked, expected.at("marked").get<double>(), 1e-5);
  ASSERT_EQ(score.corner_error_percent.has_value(), expected.contains("corner_error_percent"));
  if (score.corner_error_percent) {
    EXPECT_NEAR(*score.corner_error_percent, expected.at("corner_error_percent").get<double>(),
                1e-3);
  }
  ASSERT_EQ(score.agreement.has_value(), expected.contains("f"));
  if (!score.agreement) return;
  EXPECT_NEAR(score.agreement->precision, expected.at("precision").get<double>(), 1e-4);
  EXPECT_NEAR(score.agreement->recall, expected.at("recall").get<double>(), 1e-4);
  EXPECT_NEAR(score.agreement->f, expected.at("f").get<double>(), 1e-4);
  ASSERT_EQ(score.defects.size(), expected.at("defects").size());
  for (std::size_t i = 0; i < score.defects.size(); ++i) {
    const Json& defect = expected.at("defects").at(i);
    EXPECT_EQ(score.defects[i].id, defect.at("id").get<int>());
    EXPECT_EQ(score.defects[i].type, defect.at("type").get<std::string>());
    EXPECT_NEAR(score.defects[i].covered, defect.at("covered").get<double>(), 1e-3);
    EXPECT_EQ(score.defects[i].found, defect.at("found").get<bool>());
  }
}

struct Case {
  const char* scan;
  int shift_x;
  int shift_y;
  bool salted;
  bool misplaced;
  const char* leave_out;  // one type, or nothing
};

class ScoreReference : public testing::TestWithParam<Case> {};

TEST_P(ScoreReference, GivesTheSameScores) {
  GLINT_NEEDS_SHARED_DATA();
  const Case& c = GetParam();
  const auto file = *SharedData() / "scans" / (std::string(c.scan) + ".labels.json");
  const auto script = SharedReference();
  if (!script || std::system("/usr/bin/python3 -c 'import cv2' 2>/dev/null") != 0)
    GTEST_SKIP() << "needs the reference scripts and python3-opencv";
  const auto labels = ReadLabels(file);
  ASSERT_THAT(labels, IsOk());

  const TempFolder folder;
  const Plane mask = Disturbed(labels->ids, c.shift_x, c.shift_y, c.salted);
  const auto png = EncodePng(mask);
  ASSERT_THAT(png, IsOk());
  const auto mask_file =
      folder.Write("mask.png", {reinterpret_cast<const char*>(png->data()), png->size()});
  std::string command =
      fmt::format("/usr/bin/python3 '{}' '{}' '{}'", (*script / "score.py").string(), file.string(),
                  mask_file.string());
  std::optional<LocatedObject> located;
  if (c.misplaced) {
    located = Misplaced(*labels, 10);
    const auto report = folder.Write("report.json", ToJson(*located).dump());
    command += fmt::format(" --report '{}'", report.string());
  }
  std::vector<std::string> leave_out;
  if (*c.leave_out != '\0') {
    leave_out.emplace_back(c.leave_out);
    command += fmt::format(" --leave-out {}", c.leave_out);
  }
  const auto answer = folder.path() / "answer.json";
  ASSERT_EQ(std::system((command + " > '" + answer.string() + "'").c_str()), 0);

  const auto score = ScoreMask(*labels, mask, located, leave_out);
  ASSERT_THAT(score, IsOk());
  std::ifstream stream(answer);
  ExpectSame(*score, Json::parse(stream));
}

INSTANTIATE_TEST_SUITE_P(Scans, ScoreReference,
                         testing::Values(Case{"s1_page_720p", 0, 0, false, false, ""},
                                         Case{"s1_page_720p", 3, 2, true, true, "stain"},
                                         Case{"s1c_page_720p_clean", 0, 0, true, false, ""},
                                         Case{"s2_cover_1080p", 2, 3, true, true, "missing_corner"},
                                         Case{"s5_page_720p_portrait", 4, 0, true, true, ""},
                                         Case{"s6_realcrack_720p", 1, 5, false, false, ""}),
                         [](const auto& of) {
                           return std::string(of.param.scan) + "_" + std::to_string(of.index);
                         });

}  // namespace
}  // namespace glint
