// SPDX-License-Identifier: Apache-2.0
#include "report/json_text.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace glint {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineLength = 100;

std::string OneLine(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// `margin` spaces stand before the line on which the value begins.
void Append(std::string& out, const Json& value, std::size_t margin) {
  const std::string line = OneLine(value);
  if (!value.is_structured() || margin + line.size() <= kLineLength) {
    out += line;
    return;
  }
  const bool is_object = value.is_object();
  const std::string indent(margin + 2, ' ');
  out += is_object ? '{' : '[';
  const char* separator = "\n";
  for (const auto& item : value.items()) {
    out += separator + indent;
    if (is_object) out += OneLine(item.key()) + ": ";
    Append(out, item.value(), margin + 2);
    separator = ",\n";
  }
  out += '\n' + std::string(margin, ' ') + (is_object ? '}' : ']');
}

}  // namespace

std::string ReadableText(const Json& value) {
  std::string out;
  Append(out, value, 0);
  return out + '\n';
}

Json Rounded(double value, int decimals) {
  if (!std::isfinite(value)) return nullptr;
  static constexpr std::array<double, 10> kPowers = {1,   1e1, 1e2, 1e3, 1e4,
                                                     1e5, 1e6, 1e7, 1e8, 1e9};
  const double power = kPowers.at(static_cast<std::size_t>(decimals));
  return std::round(value * power) / power + 0.0;  // + 0.0 turns -0 into 0
}

}  // namespace glint
