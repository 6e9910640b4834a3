// SPDX-License-Identifier: Apache-2.0
#include "serve/toml_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <exception>
#include <optional>
#include <string_view>

namespace glint {
namespace {

using Values = std::map<std::string, std::vector<std::string>>;

std::optional<std::string> Text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

void Flatten(const toml::table& table, const std::string& prefix, const std::string& file,
             Values& values, std::vector<std::string>& wrong) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const auto* inner = node.as_table()) {
      Flatten(*inner, key + ".", file, values, wrong);
      continue;
    }
    const auto unfit = [&] {
      wrong.push_back(
          fmt::format("{} in {}: is neither text nor a number, true, false or a list "
                      "of these",
                      key, file));
    };
    std::vector<std::string>& texts = values[key];
    if (const auto* list = node.as_array()) {
      for (const toml::node& element : *list) {
        if (auto text = Text(element)) {
          texts.push_back(*std::move(text));
        } else {
          unfit();
        }
      }
    } else if (auto text = Text(node)) {
      texts.push_back(*std::move(text));
    } else {
      unfit();
    }
  }
}

}  // namespace

std::map<std::string, std::vector<std::string>> ReadTomlFile(const std::filesystem::path& file,
                                                             std::vector<std::string>& wrong) {
  Values values;
  if (file.empty()) return values;
  try {
    Flatten(toml::parse_file(file.string()), "", file.string(), values, wrong);
  } catch (const toml::parse_error& error) {
    wrong.push_back(fmt::format("{}, line {}: {}", file.string(), error.source().begin.line,
                                error.description()));
  } catch (const std::exception& error) {
    wrong.push_back(fmt::format("{}: {}", file.string(), error.what()));
  }
  return values;
}

}  // namespace glint
