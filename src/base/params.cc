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

/// The first of the fields that a rule chooses, as a list; empty where it chooses none.
template <class Rule>
std::string Some(const std::vector<ParamField>& fields, const Rule& chosen) {
  constexpr std::size_t kShown = 10;
  std::vector<std::string> paths;
  for (const ParamField& field : fields) {
    if (chosen(std::string_view(field.path))) paths.push_back(field.path);
  }
  const bool more = paths.size() > kShown;
  if (more) paths.resize(kShown);
  return fmt::format("{}{}", fmt::join(paths, ", "), more ? ", ..." : "");
}

/// For those who mistyped a path: what begins with it, else what has its last name, else what lies
/// beside it; empty where nothing does.
std::string Likely(const std::vector<ParamField>& fields, std::string_view path) {
  std::string likely =
      Some(fields, [&](std::string_view one) { return !path.empty() && one.starts_with(path); });
  if (!likely.empty()) return likely;
  const std::string_view last = path.substr(path.rfind('.') + 1);
  likely = Some(fields, [&](std::string_view one) {
    return !last.empty() && one.substr(one.rfind('.') + 1) == last;
  });
  if (!likely.empty()) return likely;
  const std::string_view group = path.substr(0, path.rfind('.') + 1);
  return Some(fields,
              [&](std::string_view one) { return !group.empty() && one.starts_with(group); });
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
    const std::string likely = Likely(fields, path);
    return Error(Reason::kInvalidOption,
                 fmt::format("there is no parameter '{}'{}{}; --list-params prints all", path,
                             likely.empty() ? "" : "; there are: ", likely));
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
