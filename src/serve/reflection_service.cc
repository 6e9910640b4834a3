// SPDX-License-Identifier: Apache-2.0
#include "serve/reflection_service.h"

#include <google/protobuf/descriptor.pb.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "grpc/reflection/v1alpha/reflection.pb.h"

namespace glint {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

constexpr std::size_t kMaxRequestBytes = 4 << 10;

void AddFile(const FileDescriptor& file, std::set<std::string>& known,
             ServerReflectionResponse& response) {
  if (!known.insert(file.name()).second) return;
  google::protobuf::FileDescriptorProto message;
  file.CopyTo(&message);
  response.mutable_file_descriptor_response()->add_file_descriptor_proto(
      message.SerializeAsString());
  for (int i = 0; i < file.dependency_count(); ++i) AddFile(*file.dependency(i), known, response);
}

ServerReflectionResponse Answer(const CallRouter& router, const ServerReflectionRequest& request) {
  ServerReflectionResponse response;
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  const FileDescriptor* file = nullptr;
  switch (request.message_request_case()) {
    case ServerReflectionRequest::kListServices:
      for (const std::string& name : router.services()) {
        response.mutable_list_services_response()->add_service()->set_name(name);
      }
      return response;
    case ServerReflectionRequest::kFileByFilename:
      file = pool.FindFileByName(request.file_by_filename());
      break;
    case ServerReflectionRequest::kFileContainingSymbol:
      file = pool.FindFileContainingSymbol(request.file_containing_symbol());
      break;
    case ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
      break;
  }
  std::set<std::string> known;
  if (file != nullptr) {
    AddFile(*file, known, response);
  } else {
    response.mutable_error_response()->set_error_code(grpc::StatusCode::NOT_FOUND);
    response.mutable_error_response()->set_error_message("there is no such file or symbol");
  }
  return response;
}

/// A stream of questions, answered one after the other.
class Questions final : public CallListener, public std::enable_shared_from_this<Questions> {
 public:
  Questions(CallRouter& router, std::shared_ptr<IncomingCall> call)
      : router_(router), call_(std::move(call)) {}

  void OnRequest(grpc::ByteBuffer* bytes) {
    if (bytes == nullptr) return call_->End(grpc::Status::OK);  // no more questions
    ServerReflectionRequest request;
    const absl::Status parsed = ParseRequest(bytes, kMaxRequestBytes, request);
    if (!parsed.ok()) return call_->End(parsed);
    call_->Write(Answer(router_, request));
  }

  void OnSent(bool ok) override {
    if (!ok) return OnGone();
    router_.Read(call_, true, [self = shared_from_this()](const auto& /*call*/, auto* bytes) {
      self->OnRequest(bytes);
    });
  }

  void OnGone() override { call_->End(Error(Reason::kCancelled, "the client has left")); }

 private:
  CallRouter& router_;
  const std::shared_ptr<IncomingCall> call_;
};

}  // namespace

void AddReflection(CallRouter& router) {
  const auto start = [&router](const std::shared_ptr<IncomingCall>& call, grpc::ByteBuffer* bytes) {
    const auto questions = std::make_shared<Questions>(router, call);
    if (call->Listen(questions)) return questions->OnGone();
    questions->OnRequest(bytes);
  };
  router.Add(ServerReflectionRequest::descriptor()->file()->FindServiceByName("ServerReflection"),
             "ServerReflectionInfo", {.max_bytes = kMaxRequestBytes, .open = true, .start = start});
}

}  // namespace glint
