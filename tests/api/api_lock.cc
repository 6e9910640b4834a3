// SPDX-License-Identifier: Apache-2.0
#include "api/api_lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace glint {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::ServiceDescriptor;

using Lines = std::vector<std::string>;

std::string TypeName(const FieldDescriptor& field) {
  if (field.message_type() != nullptr) return field.message_type()->full_name();
  if (field.enum_type() != nullptr) return field.enum_type()->full_name();
  return field.type_name();
}

void AddEnum(const EnumDescriptor& kind, Lines& lines) {
  for (int i = 0; i < kind.value_count(); ++i) {
    const auto& value = *kind.value(i);
    lines.push_back(
        fmt::format("value {}.{} = {}", kind.full_name(), value.name(), value.number()));
  }
}

void AddMessage(const Descriptor& message, Lines& lines) {
  lines.push_back(fmt::format("message {}", message.full_name()));
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    const auto* group = field.real_containing_oneof();
    lines.push_back(fmt::format("field {} = {}: {}{}{}", field.full_name(), field.number(),
                                field.is_repeated()            ? "repeated "
                                : field.has_optional_keyword() ? "optional "
                                                               : "",
                                TypeName(field), group == nullptr ? "" : " in " + group->name()));
  }
  for (int i = 0; i < message.nested_type_count(); ++i) AddMessage(*message.nested_type(i), lines);
  for (int i = 0; i < message.enum_type_count(); ++i) AddEnum(*message.enum_type(i), lines);
}

void AddService(const ServiceDescriptor& service, Lines& lines) {
  for (int i = 0; i < service.method_count(); ++i) {
    const auto& method = *service.method(i);
    lines.push_back(
        fmt::format("rpc {}({}{}) returns {}{}", method.full_name(),
                    method.client_streaming() ? "stream " : "", method.input_type()->full_name(),
                    method.server_streaming() ? "stream " : "", method.output_type()->full_name()));
  }
}

}  // namespace

Lines Promises(const FileDescriptor& file) {
  Lines lines;
  for (int i = 0; i < file.message_type_count(); ++i) AddMessage(*file.message_type(i), lines);
  for (int i = 0; i < file.enum_type_count(); ++i) AddEnum(*file.enum_type(i), lines);
  for (int i = 0; i < file.service_count(); ++i) AddService(*file.service(i), lines);
  std::ranges::sort(lines);
  return lines;
}

ApiChange Compare(const Lines& locked, const Lines& current) {
  ApiChange change;
  std::ranges::set_difference(locked, current, std::back_inserter(change.broken));
  std::ranges::set_difference(current, locked, std::back_inserter(change.added));
  return change;
}

}  // namespace glint
