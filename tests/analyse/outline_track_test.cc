// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/outline_track.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <vector>

#include "analyse/location/object_search_params.h"
#include "analyse/quadrilateral.h"
#include "base/thread_pool.h"

namespace glint {
namespace {

constexpr int kFrames = 4;

/// A printed rectangle that moves over a table, as features: those of the print and some of the
/// table are found again where they belong, the others of the table where they do not.
class FollowedRectangle : public testing::Test {
 protected:
  static Quadrilateral Truth(int frame) {
    const double x = 200 + 12.0 * frame;
    return {{{x, 150}, {x + 200, 150}, {x + 200, 330}, {x, 330}}};
  }

  /// @param steady  features of the table that stay where they are @param astray  that do not
  SearchedClip Clip(int steady, int astray) {
    std::vector<SearchedView> views;
    views.reserve(kFrames);
    for (int i = 0; i < kFrames; ++i) views.push_back(View(i, steady, astray));
    return {std::move(views), pool_};
  }

  /// How far the rectangle moved unlike the rest from the first frame to the second.
  std::optional<double> Apart(int steady, int astray) {
    const OutlineTrack track = FollowOutline(Clip(steady, astray), 0, Truth(0), params_);
    EXPECT_EQ(track.size(), static_cast<std::size_t>(kFrames));
    return track.contains(1) ? track.at(1).apart : std::nullopt;
  }

  ObjectSearchParams params_;

 private:
  SearchedView View(int frame, int steady, int astray) const {
    const Quadrilateral truth = Truth(frame);
    cv::Mat rgb(480, 640, CV_8UC3, cv::Scalar(40, 50, 60));
    cv::rectangle(rgb, cv::Point2d(truth[0].x, truth[0].y), cv::Point2d(truth[2].x, truth[2].y),
                  cv::Scalar(200, 190, 170), cv::FILLED);
    cv::Mat grey;
    cv::cvtColor(rgb, grey, cv::COLOR_RGB2GRAY);
    Features features;
    std::mt19937 same(1);                                         // in every frame
    std::mt19937 other(static_cast<std::uint32_t>(100 + frame));  // in each its own
    const auto add = [&](cv::Point2f at) {
      cv::Mat descriptor(1, 32, CV_8U);
      for (int k = 0; k < 32; ++k)
        descriptor.at<std::uint8_t>(k) = static_cast<std::uint8_t>(same());
      features.points.emplace_back(at, 7.0F);
      features.descriptors.push_back(descriptor);
    };
    const auto in = [](std::mt19937& random, double from, double to) {
      return static_cast<float>(from + (to - from) * (random() % 1000) / 1000.0);
    };
    for (int i = 0; i < 60; ++i) {
      const float x = in(same, 10, 190);
      add({static_cast<float>(truth[0].x) + x, in(same, 160, 320)});
    }
    for (int i = 0; i < steady; ++i) add({in(same, 5, 635), in(same, 400, 475)});
    for (int i = 0; i < astray; ++i) add({in(other, 5, 635), in(other, 5, 100)});
    return {.edges = EdgeMap(rgb, params_.judging),
            .grey = grey,
            .features = features,
            .proposals = {}};
  }

  ThreadPool pool_{1};
};

TEST_F(FollowedRectangle, MovesUnlikeATableOfWhichMostIsFoundAgain) {
  EXPECT_GT(Apart(60, 20).value_or(0), 0.03);
}

TEST_F(FollowedRectangle, MovesUnlikeATableOfWhichAFifthIsFoundAgain) {
  EXPECT_GT(Apart(40, 160).value_or(0), 0.03);
}

TEST_F(FollowedRectangle, IsNotKnownToMoveWhereNothingOfTheTableIsFoundAgain) {
  EXPECT_FALSE(Apart(0, 200)) << "matches that agree by chance";
  EXPECT_FALSE(Apart(15, 160)) << "too few";
}

}  // namespace
}  // namespace glint
