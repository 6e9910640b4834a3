// SPDX-License-Identifier: Apache-2.0
// Options that take one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "base/closest_name.h"

namespace glint {

/// "a, b or c"
std::string WordsOf(const std::vector<std::string>& names);

/// Adds an option whose value is one of the names; what else is given is refused with their list
/// and what may have been meant. Its type in `--help` and for completion is "a|b|c".
template <class T>
CLI::Option* AddChoice(CLI::App& command, const std::string& flag, T& value,
                       const std::map<std::string, T>& values, const std::string& help) {
  std::vector<std::string> names;
  std::string type;
  for (const auto& [name, unused] : values) {
    names.push_back(name);
    type += (type.empty() ? "" : "|") + name;
  }
  const auto read = [&value, values, names](const std::string& text) {
    const auto found = values.find(text);
    if (found == values.end()) {
      throw CLI::ValidationError("'" + text + "' may be " + WordsOf(names) +
                                 DidYouMean(text, names));
    }
    value = found->second;
  };
  std::string usual;
  for (const auto& [name, known] : values) {
    if (known == value) usual = name;
  }
  return command.add_option_function<std::string>(flag, read, help)
      ->type_name(type)
      ->default_str(usual);
}

}  // namespace glint
