// SPDX-License-Identifier: Apache-2.0
// How to film so that damage shows: what every piece of advice leads to.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace glint {

/// One rule, for people who film.
struct FilmingRule {
  std::string_view title;
  std::string_view text;
};

/// In the order in which they matter; docs/filming.md has the same with pictures.
std::span<const FilmingRule> FilmingRules();

/// The rules for a terminal: `glint help filming`.
std::string FilmingText();

/// The rules as a part of the page, folded away; links to "#filming" lead to it.
std::string FilmingSection();

}  // namespace glint
