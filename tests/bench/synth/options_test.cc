// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "bench/synth/synth.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

TEST(SynthOptions, TheDefaultsAndTheLimitsAreValid) {
  EXPECT_THAT(Validate({}), IsOk());
  EXPECT_THAT(Validate({.name = "a-b_c.D9",
                        .video_size = {64, 4096},
                        .rotation = 270,
                        .frames = 1,
                        .frames_per_s = 240,
                        .quality = 51}),
              IsOk());
}

TEST(SynthOptions, WhatIsOutOfRangeIsNamedWithItsRange) {
  const struct {
    SynthOptions options;
    const char* message;
  } cases[] = {
      {{.name = "a/b"}, "'a/b'"},
      {{.name = ".hidden"}, "must not begin with a dot"},
      {{.name = std::string(101, 'a')}, "at most 100"},
      {{.video_size = {1279, 720}}, "1279x720"},
      {{.video_size = {62, 720}}, "64 to 4096"},
      {{.video_size = {1280, 4098}}, "64 to 4096"},
      {{.rotation = 45}, "0, 90, 180 or 270"},
      {{.rotation = -90}, "0, 90, 180 or 270"},
      {{.rotation = 360}, "0, 90, 180 or 270"},
      {{.frames = 0}, "1 to 36000"},
      {{.frames = 36'001}, "1 to 36000"},
      {{.frames_per_s = 0}, "1 to 240"},
      {{.quality = -1}, "0 to 51"},
      {{.bend = 0.06}, "0 to 0.05"},
      {{.bend = -0.01}, "0 to 0.05"},
      {{.megabits = 0.05}, "0.1 to 200 Mbit/s, or 0"},
      {{.megabits = 201}, "0.1 to 200 Mbit/s, or 0"},
      {{.quality = std::numeric_limits<double>::quiet_NaN()}, "0 to 51"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(Validate(c.options), FailsWith(Reason::kInvalidOption, HasSubstr(c.message)));
}

TEST(SynthKind, NamesAndKindsBelongTogether) {
  for (const SynthKind kind : {SynthKind::kPage, SynthKind::kCover, SynthKind::kCard})
    EXPECT_EQ(SynthKindOf(Name(kind)), kind);
  EXPECT_EQ(SynthKindOf("poster"), std::nullopt);
}

TEST(SynthLight, NamesAndLightsBelongTogether) {
  for (const SynthLight light :
       {SynthLight::kSwing, SynthLight::kTwo, SynthLight::kDiffuse, SynthLight::kStill})
    EXPECT_EQ(SynthLightOf(Name(light)), light);
  EXPECT_EQ(SynthLightOf("neon"), std::nullopt);
}

}  // namespace
}  // namespace glint
