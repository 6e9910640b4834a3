// SPDX-License-Identifier: Apache-2.0
#include "export/json_lines.h"

#include <nlohmann/json.hpp>

namespace glint {
namespace {

std::string Compact(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string Value(const nlohmann::ordered_json& value) {
  if (!value.is_array() || value.empty() || !value.front().is_object()) return Compact(value);
  std::string text = "[";
  for (const auto& element : value) {
    text += (text.size() == 1 ? "\n  " : ",\n  ") + Compact(element);
  }
  return text + "\n]";
}

}  // namespace

std::string JsonLines(const nlohmann::ordered_json& object) {
  std::string text = "{";
  for (const auto& [key, value] : object.items()) {
    text += (text.size() == 1 ? "\n" : ",\n") + Compact(key) + ": " + Value(value);
  }
  return text + "\n}\n";
}

}  // namespace glint
