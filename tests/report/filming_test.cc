// SPDX-License-Identifier: Apache-2.0
#include "report/filming.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace glint {
namespace {

using testing::HasSubstr;

/// With single spaces for all white space.
std::string Joined(const std::string& text) {
  std::istringstream words(text);
  std::string joined;
  for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

TEST(Filming, SaysTheSameInTheDocumentationOnTheTerminalAndInThePage) {
  std::ifstream file(GLINT_DOCS "/filming.md");
  const std::string document = Joined({std::istreambuf_iterator<char>(file), {}});
  const std::string terminal = Joined(FilmingText());
  ASSERT_GE(FilmingRules().size(), 5U);
  for (const FilmingRule& rule : FilmingRules()) {
    const std::string title(rule.title.substr(0, rule.title.size() - 1));
    EXPECT_THAT(document, HasSubstr(title + " " + std::string(rule.text)));
    EXPECT_THAT(terminal, HasSubstr(std::string(rule.title) + " " + std::string(rule.text)));
    EXPECT_THAT(FilmingSection(), HasSubstr(std::string(rule.text)));
  }
}

TEST(Filming, KeepsToTheWidthOfATerminal) {
  std::istringstream lines(FilmingText());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

}  // namespace
}  // namespace glint
