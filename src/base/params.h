// SPDX-License-Identifier: Apache-2.0
// Structs of parameters that say what their fields are called and may be, once.
//
// A struct of parameters has fields with units in their names and defaults in place, and lists
// them with the least and the greatest value that make sense:
//
//   struct LineParams {
//     double weak_energy_medians = 2.5;  ///< a pixel this far over the usual energy may join a
//     line int min_length_px = 12;            ///< shorter paths are noise
//
//     GLINT_PARAMS(self, visit) {
//       visit("weak_energy_medians", self.weak_energy_medians, 0.0, 64.0);
//       visit("min_length_px", self.min_length_px, 0, 1000);
//     }
//   };
//
// A struct of such structs visits each with its name alone: visit("lines", self.lines). A
// std::array is visited as one field: its values are "table.1", "table.2", ... From the list come
// Check(), `glint eval --set`, and the test that compares the documentation's tables.
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// In a struct of parameters: `absl::Status Check() const` (INVALID_OPTION: a field is out of its
/// range), and the head of the function whose body lists the fields.
#define GLINT_PARAMS(self, visit)                                    \
  absl::Status Check() const { return ::glint::CheckParams(*this); } \
  template <class Self, class Visitor>                               \
  static void VisitParams(Self& self, Visitor&& visit)

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

namespace params_internal {

template <class Field>
concept Number = std::is_arithmetic_v<std::remove_const_t<Field>>;

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
  template <Number Field>
      void operator()(std::string_view name,
                      Field& field) const requires std::is_same_v < std::remove_const_t<Field>,
  bool > { (*this)(name, field, 0, 1); }
  /// A table: "name.1", "name.2", ...
  template <class Table>
  void operator()(std::string_view name, Table& table, double min, double max) const {
    for (std::size_t i = 0; i < table.size(); ++i) {
      (*this)(std::string(name) + "." + std::to_string(i + 1), table[i], min, max);
    }
  }
  template <class Params>
  requires std::is_class_v<Params>
  void operator()(std::string_view name, Params& nested) const {
    std::remove_const_t<Params>::VisitParams(nested,
                                             Collector(prefix_ + std::string(name) + ".", fields_));
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

/// All fields of `params`, nested ones too, in the order of its list. `params` must outlive them.
template <class Params>
std::vector<ParamField> ParamFields(Params& params) {
  std::vector<ParamField> fields;
  std::remove_const_t<Params>::VisitParams(params, params_internal::Collector("", fields));
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
