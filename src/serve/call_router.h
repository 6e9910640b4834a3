// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/async_generic_service.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/catch_exceptions.h"
#include "base/mutex.h"
#include "serve/incoming_call.h"
#include "serve/service_state.h"

namespace glint {

/// What a caller's requests may cost before they are whole.
struct RouterLimits {
  std::size_t max_request_bytes = 64 << 10;        ///< of methods that take videos' addresses
  std::chrono::milliseconds request_time{10'000};  ///< for a request to arrive whole
  std::size_t max_unread = 1'000;     ///< requests of callers with a token that arrive at a time
  std::size_t max_unread_open = 200;  ///< of calls that need none
};

/// Told of calls by the connection's name (as gRPC has it), to judge who makes them.
class ConnectionJudge {
 public:
  virtual ~ConnectionJudge() = default;
  /// @param trusted  it has a valid token, or the worker asks for none
  virtual void CallStarted(const std::string& peer, bool trusted) = 0;
  /// Once for each that started. @param left_early  the client left before it was sent anything
  virtual void CallEnded(const std::string& peer, bool trusted, bool left_early) = 0;
};

/// Every call of the server comes here first, with its headers alone: the method must exist and
/// the token be known before a byte of the request is read. gRPC's own dispatch reads requests
/// first, and keeps them for as long as the caller takes to send them.
class CallRouter final : public grpc::CallbackGenericService {
 public:
  /// All must outlive the router. @param judge  may be null
  CallRouter(ServiceState& state, const RouterLimits& limits, ConnectionJudge* judge);
  ~CallRouter() override;

  /// What starts a call whose request is whole; it must see to the call's end.
  using Start = std::function<void(const std::shared_ptr<IncomingCall>&, grpc::ByteBuffer*)>;
  struct Method {
    std::size_t max_bytes = 4 << 10;
    bool open = false;  ///< to callers without a token
    Start start;
  };
  /// Before the server starts. @param name  of one of the service's methods
  void Add(const google::protobuf::ServiceDescriptor* service, const std::string& name,
           Method method);

  /// What is left to do for an answer, and may take its time; empty when nothing is.
  template <class Response>
  using Later = std::function<absl::Status(Response&)>;

  /// A unary method apart from what brings its requests.
  struct Unary {
    const google::protobuf::MethodDescriptor* descriptor = nullptr;
    std::size_t max_bytes = 0;
    /// @param request  a message of the method's input, which nobody else changes
    std::function<void(const std::shared_ptr<PendingCall>& call,
                       const std::shared_ptr<const google::protobuf::Message>& request)>
        run;
  };

  /// A unary method whose work runs on the threads of `calls`, as it may wait for the job store;
  /// what it leaves for later runs on those of ServiceState::slow.
  template <class Request, class Response>
  void AddUnary(const google::protobuf::ServiceDescriptor* service, const std::string& name,
                std::size_t max_bytes, CallExecutor& calls,
                std::function<absl::StatusOr<Later<Response>>(const PendingCall::Facts& caller,
                                                              const Request&, Response&)>
                    work) {
    const auto run = [this, &calls, work = std::move(work)](
                         const std::shared_ptr<PendingCall>& call,
                         const std::shared_ptr<const google::protobuf::Message>& request) {
      const bool accepted = calls.TryPost([this, call, request, work] {
        // Nobody waits for the answer of a call that was cancelled or is past its deadline.
        if (call->gone()) return call->End(Error(Reason::kCancelled, "the caller has left"));
        const auto response = std::make_shared<Response>();
        Later<Response> later;
        const absl::Status done = CatchExceptions([&] {
          auto left = work(call->facts(), static_cast<const Request&>(*request), *response);
          if (!left.ok()) return std::move(left).status();
          later = *std::move(left);
          return absl::OkStatus();
        });
        if (!done.ok()) return call->End(done);
        if (!later) return call->Answer(*response);
        const bool taken = state_.slow.TryPost([call, response, later = std::move(later)] {
          if (call->gone()) return call->End(Error(Reason::kCancelled, "the caller has left"));
          const absl::Status ended = CatchExceptions([&] { return later(*response); });
          return ended.ok() ? call->Answer(*response) : call->End(ended);
        });
        if (!taken) call->End(OverloadedError());
      });
      if (!accepted) call->End(OverloadedError());
    };
    const auto start = [run](const std::shared_ptr<IncomingCall>& call, grpc::ByteBuffer* bytes) {
      const auto request = std::make_shared<Request>();
      const absl::Status parsed = ParseRequest(bytes, call->facts().max_bytes, *request);
      if (!parsed.ok()) return call->End(parsed);
      run(call, request);
    };
    Add(service, name, {.max_bytes = max_bytes, .start = start});
    unary_.emplace(fmt::format("{}/{}", service->full_name(), name),
                   Unary{service->FindMethodByName(name), max_bytes, run});
  }

  /// The unary method of a full name, "glint.v1.ScanService/GetScan"; null when there is none.
  const Unary* FindUnary(std::string_view name) const;

  /// Reads a call's request, or the next one of its stream, within the limits. @param open  of a
  /// method that needs no token
  void Read(const std::shared_ptr<IncomingCall>& call, bool open, Start then);

  /// Full names of the services that have methods here.
  std::vector<std::string> services() const;
  const RouterLimits& limits() const { return limits_; }

 private:
  struct Route {
    std::string name;
    Method method;
  };
  using Clock = std::chrono::steady_clock;
  /// A call whose request is on its way.
  struct Reading {
    std::shared_ptr<IncomingCall> call;
    Clock::time_point since;
  };
  using Unread = std::map<std::int64_t, Reading>;  // the oldest first

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* call) override;
  void EndLate(const std::stop_token& stop);

  ServiceState& state_;
  const RouterLimits limits_;
  ConnectionJudge* const judge_;
  std::map<std::string, Route, std::less<>> routes_;  // by "/package.Service/Method"
  std::map<std::string, Unary, std::less<>> unary_;   // by "package.Service/Method"
  Mutex mutex_;
  std::int64_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  Unread with_token_ ABSL_GUARDED_BY(mutex_);
  Unread open_ ABSL_GUARDED_BY(mutex_);  // of methods that need no token
  std::jthread late_;
};

}  // namespace glint
