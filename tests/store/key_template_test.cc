// SPDX-License-Identifier: Apache-2.0
#include "store/key_template.h"

#include <gtest/gtest.h>

#include "support/status_matchers.h"

namespace glint {
namespace {

TEST(KeyTemplate, MakesKeys) {
  struct Case {
    std::string_view text;
    const char* prefix;
    const char* name;
    const char* key;
  };
  for (const Case& c : {
           Case{KeyTemplate::kPlain, "a/b", "regions/spine_mask.png", "a/b/regions/spine_mask.png"},
           Case{KeyTemplate::kPlain, "", "report.json", "report.json"},
           Case{KeyTemplate::kLegacy, "scan-1", "golden_03.png", "scan-1/frames/golden_03.png"},
           Case{KeyTemplate::kLegacy, "scan-1", "regions/spine_mask.png",
                "scan-1/regions/spine_mask.png"},
           Case{KeyTemplate::kLegacy, "scan-1", "mask.png", "scan-1/analysis/mask.png"},
           Case{"plain", "a", "mask.png", "a/mask.png"},
           Case{"legacy", "a", "golden_01.png", "a/frames/golden_01.png"},
           Case{"x/{group}/{prefix}-{file}", "p", "mask.png", "x/analysis/p-mask.png"},
       }) {
    const auto keys = KeyTemplate::Parse(c.text);
    ASSERT_THAT(keys, IsOk()) << c.text;
    EXPECT_EQ(keys->Key(c.prefix, c.name), c.key);
  }
}

TEST(KeyTemplate, RefusesTemplatesWhoseKeysWouldCollide) {
  for (const char* text :
       {"", "{name}", "{prefix}", "{prefix}/{file}", "{prefix}/{group}", "{prefix}/{nmae}",
        "{prefix}/{name", "/{prefix}/{name}", "{prefix}/{name}/", "{prefix}}/{name}"}) {
    EXPECT_THAT(KeyTemplate::Parse(text),
                FailsWith(Reason::kInvalidOption, testing::HasSubstr("{prefix}")))
        << text;
  }
}

}  // namespace
}  // namespace glint
