// SPDX-License-Identifier: Apache-2.0
#include "serve/open_api.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "api/failure.h"
#include "glint/v1/batch_service.pb.h"
#include "glint/v1/scan_service.pb.h"
#include "glint/v1/worker_service.pb.h"
#include "google/rpc/status.pb.h"
#include "serve/http_routes.h"

namespace glint {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MethodDescriptor;
using Json = nlohmann::ordered_json;

constexpr std::string_view kJson = "application/json";

Json TextSchema(std::string_view format = "") {
  Json schema = {{"type", "string"}};
  if (!format.empty()) schema["format"] = format;
  return schema;
}

Json Ref(std::string_view name) { return {{"$ref", fmt::format("#/components/schemas/{}", name)}}; }

/// A scan's id, an upload's and a batch's name are told apart by their variable alone.
std::string JsonName(std::string_view variable) {
  std::string name;
  for (std::size_t i = 0; i < variable.size(); ++i) {
    const bool upper = i > 0 && variable[i - 1] == '_';
    if (variable[i] == '_') continue;
    name += upper ? static_cast<char>(variable[i] - 'a' + 'A') : variable[i];
  }
  return name;
}

/// Schemas of messages and enums, each once.
class Schemas {
 public:
  Json Of(const Descriptor& message) {
    const std::string& full = message.full_name();
    if (full == "google.protobuf.Timestamp") return TextSchema("date-time");
    if (full == "google.protobuf.Duration") return TextSchema();
    if (full == "google.protobuf.Any") return {{"type", "object"}, {"additionalProperties", true}};
    if (known_.insert(message.name()).second) {
      Json fields = Json::object();
      for (int i = 0; i < message.field_count(); ++i) {
        fields[message.field(i)->json_name()] = Of(*message.field(i));
      }
      all_[message.name()] = {{"type", "object"}, {"properties", std::move(fields)}};
    }
    return Ref(message.name());
  }

  Json Of(const FieldDescriptor& field) {
    Json one = OfOne(field);
    if (!field.is_repeated()) return one;
    return {{"type", "array"}, {"items", std::move(one)}};
  }

  Json Take() { return std::move(all_); }

 private:
  Json Of(const EnumDescriptor& values) {
    if (known_.insert(values.name()).second) {
      Json names = Json::array();
      for (int i = 0; i < values.value_count(); ++i) names.push_back(values.value(i)->name());
      all_[values.name()] = {{"type", "string"}, {"enum", std::move(names)}};
    }
    return Ref(values.name());
  }

  Json OfOne(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_UINT32:
        return {{"type", "integer"}, {"format", "int32"}};
      case FieldDescriptor::CPPTYPE_INT64:
      case FieldDescriptor::CPPTYPE_UINT64:
        return TextSchema("int64");  // as the mapping of proto3 to JSON has it
      case FieldDescriptor::CPPTYPE_DOUBLE:
      case FieldDescriptor::CPPTYPE_FLOAT:
        return {{"type", "number"}, {"format", "double"}};
      case FieldDescriptor::CPPTYPE_BOOL:
        return {{"type", "boolean"}};
      case FieldDescriptor::CPPTYPE_ENUM:
        return Of(*field.enum_type());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Of(*field.message_type());
      case FieldDescriptor::CPPTYPE_STRING:
        break;
    }
    return TextSchema();
  }

  std::set<std::string> known_;
  Json all_ = Json::object();
};

/// "{scan_id}" and "{name=**}" of a path, in its order.
std::vector<std::string> VariablesOf(std::string_view path) {
  std::vector<std::string> variables;
  for (auto open = path.find('{'); open != std::string_view::npos;
       open = path.find('{', open + 1)) {
    std::string_view name = path.substr(open + 1, path.find('}', open) - open - 1);
    variables.emplace_back(name.substr(0, name.find('=')));
  }
  return variables;
}

std::string PathOf(const HttpRoute& route) {
  std::string path(route.path);
  for (const std::string& variable : VariablesOf(route.path)) {
    const auto open = path.find(fmt::format("{{{}", variable));
    path.replace(open, path.find('}', open) + 1 - open, fmt::format("{{{}}}", JsonName(variable)));
  }
  return path;
}

Json Parameter(std::string_view in, const std::string& name, Json schema) {
  return {{"name", name}, {"in", in}, {"required", in == "path"}, {"schema", std::move(schema)}};
}

/// What of the method's request is in the path, the query and the body.
void DescribeRequest(const HttpRoute& route, const MethodDescriptor* method, Schemas& schemas,
                     Json& operation) {
  const auto variables = VariablesOf(route.path);
  Json parameters = Json::array();
  for (const std::string& name : variables) {
    parameters.push_back(Parameter("path", JsonName(name), TextSchema()));
  }
  if (method != nullptr && route.verb == "POST") {
    operation["requestBody"] = {
        {"required", variables.empty()},
        {"content", {{kJson, {{"schema", schemas.Of(*method->input_type())}}}}}};
  } else if (method != nullptr) {
    for (int i = 0; i < method->input_type()->field_count(); ++i) {
      const FieldDescriptor& field = *method->input_type()->field(i);
      if (std::ranges::find(variables, field.name()) != variables.end()) continue;
      parameters.push_back(Parameter("query", field.json_name(), schemas.Of(field)));
    }
  } else if (route.task == HttpTask::kFile || route.task == HttpTask::kDownload) {
    for (const char* name : {"owner", "expires", "signature"}) {
      parameters.push_back(Parameter("query", name, TextSchema()));
    }
  } else if (route.task == HttpTask::kCreate) {
    parameters.push_back(Parameter("header", "Upload-Length", TextSchema("int64")));
    parameters.push_back(Parameter("header", "Upload-Metadata", TextSchema()));
  } else if (route.task == HttpTask::kAppend) {
    parameters.push_back(Parameter("header", "Upload-Offset", TextSchema("int64")));
  }
  if (route.task == HttpTask::kAppend || route.task == HttpTask::kPut) {
    const char* type = route.task == HttpTask::kPut ? "application/octet-stream"
                                                    : "application/offset+octet-stream";
    operation["requestBody"] = {{"required", true},
                                {"content", {{type, {{"schema", TextSchema("binary")}}}}}};
  }
  if (!parameters.empty()) operation["parameters"] = std::move(parameters);
}

Json Answer(std::string_view description, std::string_view type, Json schema) {
  return {{"description", description}, {"content", {{type, {{"schema", std::move(schema)}}}}}};
}

std::pair<std::string, Json> AnswerOf(const HttpRoute& route, const MethodDescriptor* method,
                                      Schemas& schemas) {
  switch (route.task) {
    case HttpTask::kUnary:
      return {"200", Answer("OK", kJson, schemas.Of(*method->output_type()))};
    case HttpTask::kWatch:
      return {"200", Answer("Each event's data is one of these", "text/event-stream",
                            schemas.Of(*method->output_type()))};
    case HttpTask::kFile:
      return {"200", Answer("The object", "*/*", TextSchema("binary"))};
    case HttpTask::kDownload:
      return {"200", Answer("The archive", "application/zip", TextSchema("binary"))};
    case HttpTask::kCreate:
    case HttpTask::kPut:
      return {"201", {{"description", "The upload is at Location"}}};
    case HttpTask::kUploads:
    case HttpTask::kAppend:
    case HttpTask::kTerminate:
      return {"204", {{"description", "Done"}}};
    case HttpTask::kOffset:
      return {"200", {{"description", "Upload-Offset and Upload-Length say it"}}};
    case HttpTask::kHealth:
    case HttpTask::kOpenApi:
      return {"200", Answer("OK", kJson, {{"type", "object"}})};
    case HttpTask::kPage:
      break;
  }
  return {"200", {{"description", "OK"}}};
}

const MethodDescriptor* MethodOf(const HttpRoute& route) {
  const auto slash = route.method.find('/');
  if (slash == std::string_view::npos) return nullptr;
  const auto* service = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(
      std::string(route.method.substr(0, slash)));
  return service == nullptr
             ? nullptr
             : service->FindMethodByName(std::string(route.method.substr(slash + 1)));
}

}  // namespace

std::string OpenApiDocument(std::string_view version) {
  Schemas schemas;
  Json paths = Json::object();
  for (const HttpRoute& route : HttpRoutes()) {
    if (route.task == HttpTask::kPage) continue;
    const MethodDescriptor* method = MethodOf(route);
    Json operation = {{"summary", route.summary}};
    if (method != nullptr) operation["operationId"] = method->name();
    DescribeRequest(route, method, schemas, operation);
    auto [code, answer] = AnswerOf(route, method, schemas);
    operation["responses"] = {
        {code, std::move(answer)},
        {"default", Answer("Failed", kJson, schemas.Of(*google::rpc::Status::descriptor()))}};
    if (IsOpen(route.task)) operation["security"] = Json::array();
    std::string verb(route.verb);
    std::ranges::transform(verb, verb.begin(), [](unsigned char c) { return std::tolower(c); });
    paths[PathOf(route)][verb] = std::move(operation);
  }
  const Json document = {
      {"openapi", "3.0.3"},
      {"info",
       {{"title", "glint"},
        {"version", version},
        {"description",
         "The API of proto/glint/v1 by the JSON mapping of proto3. Failures are google.rpc.Status "
         "with google.rpc.ErrorInfo, whose reasons docs/api.md lists."}}},
      {"security", Json::array({{{"token", Json::array()}}})},
      {"paths", std::move(paths)},
      {"components",
       {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
        {"schemas", schemas.Take()}}}};
  return document.dump(2) + "\n";
}

}  // namespace glint
