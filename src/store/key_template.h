// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace glint {

/// How the key of an object is made from its set's prefix and its name in the set.
class KeyTemplate {
 public:
  /// Every object under its prefix by its name.
  static constexpr std::string_view kPlain = "{prefix}/{name}";
  /// The layout of the worker that glint replaces: <scan>/frames/, <scan>/regions/,
  /// <scan>/analysis/.
  static constexpr std::string_view kLegacy = "{prefix}/{group}/{file}";

  /// @param text  "plain", "legacy", or a text with {prefix}; and {name}
  /// ("regions/spine_mask.png"), or both {group} ("frames" for
  ///     golden frames, "regions", "analysis" for the rest) and {file} (the last part of the name)
  /// Errors: INVALID_OPTION
  static absl::StatusOr<KeyTemplate> Parse(std::string_view text);

  /// The key; an empty prefix leaves no leading slash.
  std::string Key(std::string_view prefix, std::string_view name) const;

 private:
  explicit KeyTemplate(std::string_view text) : text_(text) {}
  std::string text_;
};

}  // namespace glint
