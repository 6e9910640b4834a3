// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "api/failure.h"

namespace glint {
namespace {

TEST(ApiDocument, ListsEveryReasonAsTheCodeHasIt) {
  std::ifstream file(GLINT_SOURCE_DIR "/docs/api.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const FailureReason reason : FailureReasons()) {
    const ReasonInfo& info = Info(reason);
    const FailureRule& rule = RuleOf(reason);
    const std::string wait =
        rule.retry_after.count() > 0 ? fmt::format("{} s", rule.retry_after.count() / 1000) : "";
    const std::string line =
        fmt::format("| `{}` | {} | {} | {} | {} | {} |", info.name,
                    std::string(absl::StatusCodeToString(info.code)), rule.http_status,
                    info.retryable ? "yes" : "no", wait, info.help);
    EXPECT_NE(text.find("\n" + line), std::string::npos) << "docs/api.md lacks: " << line;
  }
}

}  // namespace
}  // namespace glint
