// SPDX-License-Identifier: Apache-2.0
#include "base/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint::params_internal {
namespace {

/// The paths that share the last name or the first, for those who mistyped the rest.
std::string Likely(const std::vector<ParamField>& fields, std::string_view path) {
  std::vector<std::string> likely;
  for (const ParamField& field : fields) {
    const std::string_view group = std::string_view(field.path).substr(0, field.path.find('.'));
    if (field.path.ends_with(path.substr(path.rfind('.') + 1)) || path.starts_with(group)) {
      likely.push_back(field.path);
    }
  }
  if (likely.empty()) {
    for (const ParamField& field : fields) likely.push_back(field.path);
  }
  return fmt::format("{}", fmt::join(likely, ", "));
}

}  // namespace

absl::Status CheckField(const ParamField& field, double value) {
  if (!(value >= field.min && value <= field.max)) {
    return Error(Reason::kInvalidOption, fmt::format("{} is {}; it must lie in {} to {}",
                                                     field.path, value, field.min, field.max));
  }
  if (field.whole && value != std::floor(value)) {
    return Error(Reason::kInvalidOption,
                 fmt::format("{} is {}; it must be a whole number", field.path, value));
  }
  return absl::OkStatus();
}

absl::Status SetField(std::vector<ParamField>& fields, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return Error(Reason::kInvalidOption,
                 fmt::format("'{}' sets nothing; write NAME=VALUE", assignment));
  }
  const std::string_view path = assignment.substr(0, equals);
  const std::string_view text = assignment.substr(equals + 1);
  const auto field = std::ranges::find(fields, path, &ParamField::path);
  if (field == fields.end()) {
    return Error(Reason::kInvalidOption, fmt::format("there is no parameter '{}'; there are: {}",
                                                     path, Likely(fields, path)));
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Error(Reason::kInvalidOption, fmt::format("{}: '{}' is no number", path, text));
  }
  GLINT_RETURN_IF_ERROR(CheckField(*field, value));
  field->set(value);
  return absl::OkStatus();
}

}  // namespace glint::params_internal
