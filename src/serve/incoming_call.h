// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <google/protobuf/message.h>
#include <grpcpp/generic/async_generic_service.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "serve/pending_call.h"
#include "serve/service_state.h"

namespace glint {

/// Hears what becomes of a call that streams. Called on gRPC's threads.
class CallListener {
 public:
  virtual ~CallListener() = default;
  /// The last message was taken by the transport, or could not be sent.
  virtual void OnSent(bool ok) = 0;
  /// The client has left. Called once at most, and only before the call's end.
  virtual void OnGone() = 0;
};

/// One call of any method, from its headers to its end. Nothing of its request is read before
/// ReadRequest(), so that a call may be refused at the price of its headers.
class IncomingCall final : public grpc::ServerGenericBidiReactor,
                           public PendingCall,
                           public std::enable_shared_from_this<IncomingCall> {
 public:
  /// @param request  the whole request; null when the client ended the call without one
  using OnRequest =
      std::function<void(const std::shared_ptr<IncomingCall>& call, grpc::ByteBuffer* request)>;
  /// @param left_early  the client left before it was sent anything
  using OnEnd = std::function<void(const IncomingCall& call, bool left_early)>;

  /// A call that lives until it is done. @param context  the reactor's; lives as long
  static std::shared_ptr<IncomingCall> Make(Facts facts, const CallObserver& observe, OnEnd ended);

  /// Reads the request; `then` is called also when the call was ended, before or meanwhile.
  void ReadRequest(OnRequest then);

  /// Hears of messages and of the client's leaving from now on. @return whether it has left already
  bool Listen(std::shared_ptr<CallListener> listener);
  /// Sends one message of a stream; the listener is told when the next one may come. Nothing is
  /// sent once the call was ended; who ends it need not know who writes.
  void Write(const google::protobuf::MessageLite& message);
  void Answer(const google::protobuf::Message& message) override;
  void End(const grpc::Status& status);
  void End(const absl::Status& status) override;

  const Facts& facts() const override { return facts_; }
  bool gone() const override { return gone_; }
  bool ending() const { return ending_; }

 private:
  IncomingCall(Facts facts, const CallObserver& observe, OnEnd ended)
      : facts_(std::move(facts)), timer_(observe, facts_.method), ended_(std::move(ended)) {}

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  std::shared_ptr<CallListener> listener();
  /// gRPC ends the process when an operation starts while Finish() does, or after it. So operations
  /// start between these two, and the last of them finishes what was ended meanwhile.
  /// @return whether one may start
  bool BeginOperation();
  void OperationStarted();

  const Facts facts_;
  const CallTimer timer_;
  const OnEnd ended_;
  std::shared_ptr<IncomingCall> self_;
  OnRequest on_request_;
  grpc::ByteBuffer request_;
  std::atomic<bool> ending_ = false;
  std::atomic<bool> gone_ = false;
  std::atomic<bool> answered_ = false;  // something was sent before the client left
  Mutex mutex_;
  std::shared_ptr<CallListener> listener_ ABSL_GUARDED_BY(mutex_);
  int starting_ ABSL_GUARDED_BY(mutex_) = 0;                    // operations
  std::optional<grpc::Status> finish_ ABSL_GUARDED_BY(mutex_);  // once none starts
  grpc::ByteBuffer message_;  // one at a time; gRPC reads it while it writes
};

/// A request as a message. Errors: INVALID_OPTION it is none
absl::Status ParseRequest(grpc::ByteBuffer* bytes, std::size_t max_bytes,
                          google::protobuf::MessageLite& request);

}  // namespace glint
