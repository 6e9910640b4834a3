// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "analyse/photometric/lost_ink/dash_on_line.h"

namespace glint::photometric {
namespace {

/// Dashes on a line through (100, 100), `turn_deg` from the x axis.
class DashRows : public testing::Test {
 protected:
  /// A dash so far along and beside the line, with so many degrees between the two.
  PaperDash DashAt(double along, double length, double across = 0, double off_deg = 0,
                   double contrast = 90) const {
    const double angle = turn_deg_ * std::numbers::pi / 180;
    const double own = (turn_deg_ + off_deg) * std::numbers::pi / 180;
    return {.x = 100 + along * std::cos(angle) - across * std::sin(angle),
            .y = 100 + along * std::sin(angle) + across * std::cos(angle),
            .cosine = std::cos(own),
            .sine = std::sin(own),
            .length = length,
            .contrast = contrast};
  }

  /// Adds a plain one.
  void Add(double along, double length, double across = 0, double off_deg = 0,
           double contrast = 90) {
    paper_.dashes.push_back(DashAt(along, length, across, off_deg, contrast));
  }

  /// Adds one that may be lost ink.
  void AddCandidate(double along, double evidence, double off_deg = 0) {
    paper_.candidates.push_back(DashAt(along, 6, 0, off_deg));
    paper_.candidates.back().evidence = evidence;
  }

  void AddFourCandidates(double evidence = 3) {
    for (int i = 0; i < 4; ++i) AddCandidate(25 * i, evidence);
  }

  std::vector<FoundLine> Find() const { return FindDashRows(paper_, params_); }

  /// The rows that need not be believed.
  std::vector<FoundLine> FindSure() const {
    return FindDashRows(paper_, params_, [](const FoundLine&) { return false; });
  }

  void ExpectOneRow(double score) const {
    const auto rows = Find();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_NEAR(rows[0].score, score, 1e-9);
  }

  double turn_deg_ = 30;
  PaperDashes paper_{.dashes = {}, .bare = cv::Mat(400, 400, CV_8U, cv::Scalar(0))};
  DashRowParams params_;
};

TEST_F(DashRows, JoinsDashesOnALine) {
  Add(0, 12);
  Add(30, 12);
  Add(50, 10);
  const auto rows = Find();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].line.length(), 50 + 6 + 5, 2);
  EXPECT_NEAR(std::abs(rows[0].line.sine), std::sin(turn_deg_ * std::numbers::pi / 180), 0.01);
  EXPECT_NEAR(rows[0].score, 34, 1e-9) << "all of their length";
  EXPECT_EQ(rows[0].needed, params_.min_score_px);
}

TEST_F(DashRows, IsTheSameWhateverTheDirectionOfADashIsCalled) {
  Add(0, 12);
  Add(30, 12, 0, 180);
  EXPECT_EQ(Find().size(), 1U);
}

TEST_F(DashRows, CountsFaintDashesForLess) {
  Add(0, 12, 0, 0, params_.full_contrast_grey / 2);
  Add(30, 12, 0, 0, params_.full_contrast_grey / 2);
  Add(50, 10, 0, 0, params_.full_contrast_grey / 2);
  EXPECT_TRUE(Find().empty());
  params_.min_score_px = 16;
  ExpectOneRow(17);
}

TEST_F(DashRows, LeavesOutWhatLiesBesideTheLine) {
  Add(0, 12);
  Add(30, 12);
  Add(50, 10, 8);
  ExpectOneRow(24);
}

TEST_F(DashRows, LeavesOutWhatRunsAcross) {
  Add(0, 12);
  Add(30, 12);
  Add(50, 10, 0, 60);
  ExpectOneRow(24);
}

TEST_F(DashRows, TakesInASpeckThatHardlyHasADirection) {
  Add(0, 12);
  Add(30, 12);
  Add(45, 3, 0, 30);
  ExpectOneRow(27);
}

TEST_F(DashRows, EndsAtAWideGap) {
  Add(0, 12);
  Add(20, 12);
  Add(20 + 6 + params_.max_gap_px + 6 + 3, 12);
  params_.max_by_chance = 0;  // as among many dashes
  const auto rows = Find();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].line.length(), 32, 2);
}

TEST_F(DashRows, IsNoPairFarApart) {
  Add(0, 14);
  Add(50, 14);
  EXPECT_TRUE(Find().empty()) << "they cover 28 of 64 px";
  Add(25, 5);
  EXPECT_EQ(Find().size(), 1U) << "with a third in between they are a row";
}

TEST_F(DashRows, GivesTheSurestFirstAndNoneTwice) {
  Add(0, 12);
  Add(30, 12);
  turn_deg_ = 120;
  Add(80, 20);
  Add(110, 20);
  Add(140, 20);
  const auto rows = Find();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[0].score, 60, 1e-9);
  EXPECT_NEAR(rows[1].score, 24, 1e-9);
}

TEST_F(DashRows, GoesOnOverPaperThatBearsNoInk) {
  Add(0, 14);
  Add(22, 14);
  Add(140, 8, 4);
  EXPECT_EQ(Find().size(), 1U) << "far away";
  paper_.bare(cv::Rect(140, 100, 60, 80)).setTo(255);
  const auto rows = Find();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[1].line.length(), 140 + 4 - 29, 3);
  EXPECT_EQ(rows[1].score, rows[0].score);
  EXPECT_EQ(rows[1].needed, rows[0].needed);
  EXPECT_TRUE(rows[1].bare);
}

TEST_F(DashRows, AddUpOnALineThatIsAskedFor) {
  Add(0, 12);
  Add(30, 8, 1, 10, params_.full_contrast_grey / 2);
  Add(50, 10, 5);      // beside it
  Add(60, 10, 0, 60);  // across it
  Add(120, 10);        // beyond its end
  const double turn = turn_deg_ * std::numbers::pi / 180;
  const StraightLine line{.x = 100,
                          .y = 100,
                          .cosine = std::cos(turn),
                          .sine = std::sin(turn),
                          .begin = -10,
                          .end = 100};
  EXPECT_NEAR(DashScoreOn(line, paper_.dashes, params_), 12 + 4, 1e-9);
}

TEST_F(DashRows, CountsWhatItGoesOnWithWhereThatIsRare) {
  Add(0, 14);
  Add(22, 14);
  Add(22 + 7 + params_.max_gap_px + 8, 10);
  const auto rows = Find();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[0].score, 38, 1e-9);
  EXPECT_EQ(rows[1].score, rows[0].score);
  params_.max_by_chance = 0;
  ExpectOneRow(28);
}

TEST_F(DashRows, GoesOnOverMoreInkWhereDashesAreRare) {
  Add(0, 14);
  Add(22, 14);
  Add(110, 8);
  paper_.bare = cv::Mat(800, 800, CV_8U, cv::Scalar(0));
  const auto rows = Find();
  ASSERT_EQ(rows.size(), 2U) << "77 px of ink";
  EXPECT_NEAR(rows[1].line.length(), 110 + 4 - 29, 3);
  params_.max_rare_gap_px = 70;
  EXPECT_EQ(Find().size(), 1U);
  params_.max_rare_gap_px = 100;
  for (int i = 0; i < 200; ++i) Add(i, 3, 100 + i, 90);
  EXPECT_EQ(Find().size(), 1U) << "one of so many may lie anywhere";
}

TEST_F(DashRows, GoesOnRoundASlightBendOnly) {
  Add(0, 14);
  Add(22, 14);
  Add(60, 8, 5.5);
  EXPECT_EQ(Find().size(), 2U);
  Add(60, 8, 9);
  paper_.dashes.erase(paper_.dashes.end() - 2);
  EXPECT_EQ(Find().size(), 1U);
}

TEST_F(DashRows, IsLongOnlyIfItIsBelieved) {
  Add(0, 12);
  Add(30, 12);
  EXPECT_TRUE(FindSure().empty());
  double score = 0;
  FindDashRows(paper_, params_, [&](const FoundLine& row) {
    score = row.score;
    return true;
  });
  EXPECT_NEAR(score, 24, 1e-9);
}

TEST_F(DashRows, IsSureByItsEvidence) {
  AddFourCandidates();
  const auto rows = FindSure();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].line.length(), 81, 2);
  EXPECT_NEAR(rows[0].score, 4 * 3, 1e-9);
  EXPECT_EQ(rows[0].needed, params_.min_evidence);
  EXPECT_TRUE(rows[0].bare);
  params_.min_evidence = 12.1;
  EXPECT_TRUE(FindSure().empty());
}

TEST_F(DashRows, IsSureByAllTheEvidenceOfADash) {
  AddFourCandidates(6);
  const auto rows = FindSure();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].score, 4 * 6, 1e-9) << "more than links it to others";
}

TEST_F(DashRows, IsSureOnlyIfItsDashesAreOfOneLine) {
  AddCandidate(0, 6, 22);
  AddCandidate(50, 6, -22);
  EXPECT_TRUE(FindSure().empty());
  params_.min_linked_evidence = 5;
  EXPECT_EQ(FindSure().size(), 1U);
  params_.min_linked_evidence = 8;
  paper_.candidates.clear();
  AddCandidate(0, 6);
  AddCandidate(50, 6);
  EXPECT_EQ(FindSure().size(), 1U);
}

TEST_F(DashRows, IsSureWithoutWhatSpeaksAgainstIt) {
  AddFourCandidates(4);
  AddCandidate(110, -20);
  const auto rows = FindSure();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].score, 4 * 4, 1e-9);
}

TEST_F(DashRows, IsNotSureOfWhatIsNoCandidate) {
  AddFourCandidates();
  std::swap(paper_.dashes, paper_.candidates);
  EXPECT_TRUE(FindSure().empty());
}

TEST_F(DashRows, IsNotSureWhereAContourRunsAlongIt) {
  turn_deg_ = 0;
  AddFourCandidates();
  paper_.whiteness = cv::Mat(400, 400, CV_8U, cv::Scalar(60));
  EXPECT_EQ(FindSure().size(), 1U);
  paper_.whiteness(cv::Rect(0, 102, 400, 298)).setTo(90);
  EXPECT_TRUE(FindSure().empty());
}

TEST_F(DashRows, IsALongOneIfItsEvidenceIsNotEnough) {
  AddFourCandidates();
  paper_.dashes = paper_.candidates;
  params_.min_evidence = 100;
  EXPECT_TRUE(FindSure().empty());
  const auto rows = Find();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].needed, params_.min_score_px);
}

TEST_F(DashRows, MayBeBothSureAndLong) {
  AddFourCandidates();
  paper_.dashes = paper_.candidates;
  const auto rows = Find();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].needed, params_.min_evidence);
  EXPECT_NEAR(rows[0].score, 4 * 3, 1e-9);
  EXPECT_EQ(rows[1].needed, params_.min_score_px);
  EXPECT_NEAR(rows[1].score, 4 * 6, 1e-9);
}

TEST_F(DashRows, GoesOnWithPlainDashesIfItIsSure) {
  AddFourCandidates();
  Add(100, 6);
  const auto rows = FindSure();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[1].line.length(), 100 + 3 - 78, 2);
  EXPECT_EQ(rows[1].score, rows[0].score);
}

TEST_F(DashRows, LooksAtTheLongestOnesOfAPattern) {
  Add(0, 12);
  Add(30, 12);
  for (int i = 0; i < 50; ++i) Add(3.0 * i, 3, 60 + 5.0 * i);
  params_.max_dashes = 2;
  EXPECT_EQ(Find().size(), 1U);
}

TEST_F(DashRows, LooksAtTheSurestCandidatesOfAPattern) {
  AddFourCandidates();
  for (int i = 0; i < 50; ++i) {
    paper_.candidates.push_back(DashAt(3.0 * i, 20, 60 + 5.0 * i, 90));
    paper_.candidates.back().evidence = -1;
  }
  params_.max_dashes = 4;
  EXPECT_EQ(FindSure().size(), 1U);
}

TEST_F(DashRows, IsNoneOfAShowerOfStrokes) {
  AddFourCandidates();
  for (int i = 0; i < 6; ++i) {
    paper_.candidates.push_back(DashAt(15.0 * i, 6, 12 + 3.0 * i));
    paper_.candidates.back().evidence = 0.5;
  }
  EXPECT_EQ(FindSure().size(), 1U) << "as many as 1.5 of its own";
  paper_.candidates.push_back(DashAt(30, 6, -15));
  paper_.candidates.back().evidence = 0.5;
  EXPECT_TRUE(FindSure().empty());
  paper_.candidates.back() = DashAt(30, 6, -15, 90);
  paper_.candidates.back().evidence = 0.5;
  EXPECT_EQ(FindSure().size(), 1U) << "one that runs across is none of them";
}

}  // namespace
}  // namespace glint::photometric
