// SPDX-License-Identifier: Apache-2.0
#include "store/key_template.h"

#include <fmt/format.h>

#include "glint/error.h"

namespace glint {
namespace {

std::string_view GroupOf(std::string_view name) {
  if (name.starts_with("golden_")) return "frames";
  return name.starts_with("regions/") ? "regions" : "analysis";
}

std::string_view FileOf(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

/// Replaces what the braces name. False for a name that means nothing.
bool Expand(std::string_view text, std::string_view prefix, std::string_view name,
            std::string& key) {
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    key += text.substr(0, open);
    if (open == std::string_view::npos) return true;
    const std::size_t close = text.find('}', open);
    const std::string_view word =
        close == std::string_view::npos ? "" : text.substr(open + 1, close - open - 1);
    if (word == "prefix") {
      key += prefix;
    } else if (word == "name") {
      key += name;
    } else if (word == "group") {
      key += GroupOf(name);
    } else if (word == "file") {
      key += FileOf(name);
    } else {
      return false;
    }
    text.remove_prefix(close + 1);
  }
  return true;
}

}  // namespace

absl::StatusOr<KeyTemplate> KeyTemplate::Parse(std::string_view text) {
  if (text == "plain") return KeyTemplate(kPlain);
  if (text == "legacy") return KeyTemplate(kLegacy);
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  std::string key;
  const bool known = Expand(text, "p", "n", key) && key.find_first_of("{}") == std::string::npos;
  const bool unique = has("{prefix}") && (has("{name}") || (has("{group}") && has("{file}")));
  if (known && unique && !text.starts_with('/') && !text.ends_with('/')) return KeyTemplate(text);
  return Error(Reason::kInvalidOption,
               fmt::format("'{}' does not say how keys are made; write {} or {}, or the like with "
                           "{{prefix}} and {{name}}, or {{group}} and {{file}}",
                           text, kPlain, kLegacy));
}

std::string KeyTemplate::Key(std::string_view prefix, std::string_view name) const {
  std::string key;
  Expand(text_, prefix, name, key);
  if (key.starts_with('/')) key.erase(0, 1);
  return key;
}

}  // namespace glint
