// SPDX-License-Identifier: Apache-2.0
// Structs of parameters that say what their fields are called and may be, once.
//
// A field of a struct of parameters has its unit in its name, and says the least and the greatest
// value that make sense, and its default:
//
//   struct LineParams {
//     /// a pixel this far over the usual energy may join a line
//     GLINT_PARAM(double, weak_energy_medians, 0.0, 64.0) = 2.5;
//     /// shorter paths are noise
//     GLINT_PARAM(int, min_length_px, 0, 1000) = 12;
//     GLINT_PARAM(bool, both_sides) = false;
//     GLINT_PARAM(WidthParams, width);
//   };
//
// A std::array is visited as one field: its values are "table.1", "table.2", ... From these
// declarations come CheckParams, `glint eval --set`, and the test that compares the documentation's
// tables. A struct that cannot use the macro (of a public header, or one that lists the fields of a
// member as its own) has a static VisitParams(self, visit) that calls visit("name", field, min,
// max) for each of its fields.
#pragma once

#include <absl/status/status.h>

#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// NOLINTBEGIN(bugprone-macro-parentheses): types and names of declarations cannot have any.

/// Declares a field of a struct of parameters: its type, its name, and its range unless it is a
/// bool or a struct of parameters itself. A default may follow.
#define GLINT_PARAM(type, name, ...)                                                              \
  template <class Self, class Visitor>                                                            \
  static void VisitParam(::glint::params_internal::Line<__LINE__>, Self& self, Visitor&& visit) { \
    static_assert(__LINE__ <= ::glint::params_internal::kMaxLine, "move it further up");          \
    visit(#name, self.name __VA_OPT__(, ) __VA_ARGS__);                                           \
  }                                                                                               \
  type name

// NOLINTEND(bugprone-macro-parentheses)

namespace glint {

/// One field of a struct of parameters, as text sees it. `bool`s are 0 and 1.
struct ParamField {
  std::string path;  ///< "lines.weak_energy_medians"
  double value = 0;
  double min = 0;  ///< the least value that makes sense
  double max = 0;
  bool whole = false;                         ///< only whole numbers
  std::function<void(double)> set = nullptr;  ///< null where the struct is const
};

/// Calls visit(name, field, min, max) for each field of `params`, in the order in which it declares
/// them; visit(name, field) for bools and nested structs.
template <class Params, class Visitor>
void VisitParams(Params& params, Visitor&& visit);

namespace params_internal {

/// The line of a header that declares a field.
template <int line>
struct Line {};

/// Lines up to which fields are looked for.
inline constexpr int kMaxLine = 511;

template <class Params, class Visitor, int... line>
void VisitLines(Params& params, Visitor&& visit, std::integer_sequence<int, line...>) {
  const auto visit_line = [&]<int n>(Line<n> at) {
    if constexpr (requires { Params::VisitParam(at, params, visit); }) {
      Params::VisitParam(at, params, visit);
    }
  };
  // In braces: compilers limit how deep a fold over a comma may nest.
  (void)std::initializer_list<int>{(visit_line(Line<line>{}), 0)...};
}

template <class Field>
concept Number = std::is_arithmetic_v<std::remove_const_t<Field>>;

template <class Field>
concept Flag = std::same_as<bool, std::remove_const_t<Field>>;

/// Collects the fields below `prefix`.
class Collector {
 public:
  Collector(std::string prefix, std::vector<ParamField>& fields)
      : prefix_(std::move(prefix)), fields_(fields) {}

  template <Number Field>
  void operator()(std::string_view name, Field& field, double min, double max) const {
    ParamField found{.path = prefix_ + std::string(name),
                     .value = static_cast<double>(field),
                     .min = min,
                     .max = max,
                     .whole = std::is_integral_v<std::remove_const_t<Field>>};
    if constexpr (!std::is_const_v<Field>) {
      found.set = [&field](double value) { field = static_cast<Field>(value); };
    }
    fields_.push_back(std::move(found));
  }
  template <Flag Field>
  void operator()(std::string_view name, Field& field) const {
    (*this)(name, field, 0, 1);
  }
  /// A table: "name.1", "name.2", ...
  template <class Table>
  void operator()(std::string_view name, Table& table, double min, double max) const {
    for (std::size_t i = 0; i < table.size(); ++i) {
      std::string element(name);
      element += '.';
      element += std::to_string(i + 1);
      (*this)(element, table[i], min, max);
    }
  }
  template <class Params>
  requires std::is_class_v<Params>
  void operator()(std::string_view name, Params& nested) const {
    ::glint::VisitParams(nested, Collector(prefix_ + std::string(name) + ".", fields_));
  }

 private:
  std::string prefix_;
  std::vector<ParamField>& fields_;
};

/// The check of one field. INVALID_OPTION: outside of its range (the message holds path and range)
absl::Status CheckField(const ParamField& field, double value);

/// As SetParam, among `fields`.
absl::Status SetField(std::vector<ParamField>& fields, std::string_view assignment);

}  // namespace params_internal

template <class Params, class Visitor>
void VisitParams(Params& params, Visitor&& visit) {
  if constexpr (requires { Params::VisitParams(params, visit); }) {
    Params::VisitParams(params, visit);
  } else {
    params_internal::VisitLines(params, visit,
                                std::make_integer_sequence<int, params_internal::kMaxLine + 1>());
  }
}

/// All fields of `params`, nested ones too, in the order of its list. `params` must outlive them.
template <class Params>
std::vector<ParamField> ParamFields(Params& params) {
  std::vector<ParamField> fields;
  VisitParams(params, params_internal::Collector("", fields));
  return fields;
}

/// Whether every field is within its range. Errors: INVALID_OPTION (the first that is not)
template <class Params>
absl::Status CheckParams(const Params& params) {
  for (const ParamField& field : ParamFields(params)) {
    if (absl::Status fits = params_internal::CheckField(field, field.value); !fits.ok())
      return fits;
  }
  return absl::OkStatus();
}

/// Sets one field. @param assignment  "lines.weak_energy_medians=2.5"
/// Errors: INVALID_OPTION no such field (the message names the likeliest ones), no number, a
/// fraction for a whole number, or out of range; nothing is set then
template <class Params>
absl::Status SetParam(Params& params, std::string_view assignment) {
  std::vector<ParamField> fields = ParamFields(params);
  return params_internal::SetField(fields, assignment);
}

}  // namespace glint
