// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <google/protobuf/message_lite.h>
#include <grpcpp/generic/async_generic_service.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/mutex.h"
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
                           public std::enable_shared_from_this<IncomingCall> {
 public:
  /// Who makes it, and how it is counted.
  struct Facts {
    std::string_view method;                 ///< outlives the call, e.g. "SubmitScan"
    std::string peer;                        ///< as gRPC names it: "ipv4:192.0.2.1:50123"
    std::shared_ptr<const Identity> caller;  ///< null when nobody who is let in
    std::size_t max_bytes = 0;               ///< of the request
  };
  /// @param request  the whole request; null when the client ended the call without one
  using OnRequest =
      std::function<void(const std::shared_ptr<IncomingCall>& call, grpc::ByteBuffer* request)>;
  /// @param left_early  the client left before it was sent anything
  using OnEnd = std::function<void(const IncomingCall& call, bool left_early)>;

  /// A call that lives until it is done. @param context  the reactor's; lives as long
  static std::shared_ptr<IncomingCall> Make(Facts facts, const CallObserver& observe, OnEnd ended);

  /// Reads the request; `then` is called also when the call was ended meanwhile.
  void ReadRequest(OnRequest then);

  /// Hears of messages and of the client's leaving from now on. @return whether it has left already
  bool Listen(std::shared_ptr<CallListener> listener);
  /// Sends one message of a stream; the listener is told when the next one may come.
  void Write(const google::protobuf::MessageLite& message);
  /// The one answer of a unary call, and its end.
  void Answer(const google::protobuf::MessageLite& message);
  /// Ends the call; whoever comes second is not heard.
  void End(const grpc::Status& status);
  void End(const absl::Status& status);

  const Facts& facts() const { return facts_; }
  bool gone() const { return gone_; }
  bool ending() const { return ending_; }

 private:
  IncomingCall(Facts facts, const CallObserver& observe, OnEnd ended)
      : facts_(std::move(facts)), timer_(observe, facts_.method), ended_(std::move(ended)) {}

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  std::shared_ptr<CallListener> listener();

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
  grpc::ByteBuffer message_;  // one at a time; gRPC reads it while it writes
};

/// A request as a message. Errors: INVALID_OPTION it is none
absl::Status ParseRequest(grpc::ByteBuffer* bytes, std::size_t max_bytes,
                          google::protobuf::MessageLite& request);

}  // namespace glint
