// SPDX-License-Identifier: Apache-2.0
#include "store/object_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "glint/error.h"

namespace glint {
namespace {

constexpr std::size_t kMaxPartBytes = 255;  // NAME_MAX of every file system in use

std::string_view BrokenRule(std::string_view part) {
  if (part.empty()) return "a part of it is empty";
  if (part.front() == '.') return "a part of it starts with a dot";
  if (part.size() > kMaxPartBytes) return "a part of it is longer than 255 bytes";
  const bool control = std::ranges::any_of(part, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
  return control ? "it holds a control character" : "";
}

}  // namespace

absl::Status CheckObjectName(std::string_view name) {
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view rule = BrokenRule(name.substr(begin, end - begin));
    if (!rule.empty()) {
      return Error(Reason::kInvalidOption,
                   fmt::format("'{}' cannot name a result: {}; use relative "
                               "names such as regions/spine_mask.png",
                               name, rule));
    }
    if (end == name.size()) return absl::OkStatus();
    begin = end + 1;
  }
}

}  // namespace glint
