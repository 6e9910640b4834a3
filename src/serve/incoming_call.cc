// SPDX-License-Identifier: Apache-2.0
#include "serve/incoming_call.h"

#include <fmt/format.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/proto_buffer_writer.h>

#include <utility>

namespace glint {
namespace {

grpc::ByteBuffer ToBytes(const google::protobuf::MessageLite& message) {
  grpc::ByteBuffer bytes;
  bool own = false;
  grpc::GenericSerialize<grpc::ProtoBufferWriter, google::protobuf::MessageLite>(message, &bytes,
                                                                                 &own);
  return bytes;
}

}  // namespace

std::shared_ptr<IncomingCall> IncomingCall::Make(Facts facts, const CallObserver& observe,
                                                 OnEnd ended) {
  std::shared_ptr<IncomingCall> call(new IncomingCall(std::move(facts), observe, std::move(ended)));
  call->self_ = call;
  return call;
}

void IncomingCall::ReadRequest(OnRequest then) {
  if (!BeginOperation()) return then(shared_from_this(), nullptr);
  on_request_ = std::move(then);
  StartRead(&request_);
  OperationStarted();
}

void IncomingCall::OnReadDone(bool ok) {
  const OnRequest then = std::exchange(on_request_, nullptr);
  grpc::ByteBuffer request;
  request.Swap(&request_);
  if (then) then(shared_from_this(), ok ? &request : nullptr);
}

bool IncomingCall::Listen(std::shared_ptr<CallListener> listener) {
  const MutexLock lock(mutex_);
  listener_ = std::move(listener);
  return gone_;
}

std::shared_ptr<CallListener> IncomingCall::listener() {
  const MutexLock lock(mutex_);
  return listener_;
}

bool IncomingCall::BeginOperation() {
  const MutexLock lock(mutex_);
  if (ending_) return false;
  ++starting_;
  return true;
}

void IncomingCall::OperationStarted() {
  std::optional<grpc::Status> status;
  {
    const MutexLock lock(mutex_);
    if (--starting_ > 0 || !finish_) return;
    status.swap(finish_);
  }
  Finish(*status);
}

void IncomingCall::Write(const google::protobuf::MessageLite& message) {
  if (!BeginOperation()) return;
  answered_ = true;
  {
    // gRPC orders one message after the other; the lock says so to ThreadSanitizer, too.
    const MutexLock lock(mutex_);
    message_ = ToBytes(message);
  }
  StartWrite(&message_);
  OperationStarted();
}

void IncomingCall::Answer(const google::protobuf::Message& message) {
  if (ending_.exchange(true)) return;
  answered_ = true;
  message_ = ToBytes(message);
  timer_.Done(grpc::Status::OK);
  StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
}

void IncomingCall::End(const grpc::Status& status) {
  if (ending_.exchange(true)) return;
  timer_.Done(status);
  {
    const MutexLock lock(mutex_);
    if (starting_ > 0) {
      finish_ = status;
      return;
    }
  }
  Finish(status);
}

void IncomingCall::End(const absl::Status& status) { End(ToGrpc(status)); }

void IncomingCall::OnWriteDone(bool ok) {
  if (const auto told = listener()) told->OnSent(ok);
}

void IncomingCall::OnCancel() {
  std::shared_ptr<CallListener> told;
  {
    const MutexLock lock(mutex_);
    gone_ = true;
    told = listener_;
  }
  if (told) told->OnGone();
}

void IncomingCall::OnDone() {
  {
    const MutexLock lock(mutex_);
    listener_.reset();
  }
  if (ended_) ended_(*this, gone_ && !answered_);
  const auto last = std::move(self_);  // may be the last one that holds it
}

absl::Status ParseRequest(grpc::ByteBuffer* bytes, std::size_t max_bytes,
                          google::protobuf::MessageLite& request) {
  if (bytes == nullptr) return Error(Reason::kInvalidOption, "the call has no request");
  if (bytes->Length() > max_bytes) {
    return Error(ServiceReason::kOverloaded,
                 fmt::format("the request has {} bytes; this call's may have {}", bytes->Length(),
                             max_bytes));
  }
  grpc::ProtoBufferReader reader(bytes);
  if (reader.status().ok() && request.ParseFromZeroCopyStream(&reader)) return absl::OkStatus();
  return Error(Reason::kInvalidOption, "the request is no message of this call");
}

}  // namespace glint
