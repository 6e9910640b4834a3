// SPDX-License-Identifier: Apache-2.0
#include "serve/call_router.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "observe/trace_context.h"

namespace glint {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{500};

grpc::Status NoSuchMethod(std::string_view method) {
  return {grpc::StatusCode::UNIMPLEMENTED,
          fmt::format("this server has no method {}", method.substr(0, 200))};
}

absl::Status TooManyUnread() {
  return Error(ServiceReason::kOverloaded,
               "too many requests are on their way at once, and this was the oldest");
}

absl::Status TooSlow(std::chrono::milliseconds time) {
  return Error(Reason::kDeadlineExceeded, fmt::format("the request did not arrive within {} s",
                                                      std::chrono::duration<double>(time).count()));
}

}  // namespace

CallRouter::CallRouter(ServiceState& state, const RouterLimits& limits, ConnectionJudge* judge)
    : state_(state),
      limits_(limits),
      judge_(judge),
      late_([this](const std::stop_token& stop) { EndLate(stop); }) {}

CallRouter::~CallRouter() = default;

void CallRouter::Add(const google::protobuf::ServiceDescriptor* service, const std::string& name,
                     Method method) {
  routes_.emplace(fmt::format("/{}/{}", service->full_name(), name),
                  Route{name, std::move(method)});
}

const CallRouter::Unary* CallRouter::FindUnary(std::string_view name) const {
  const auto found = unary_.find(name);
  return found == unary_.end() ? nullptr : &found->second;
}

std::vector<std::string> CallRouter::services() const {
  std::set<std::string> names;
  for (const auto& [path, route] : routes_) names.insert(path.substr(1, path.rfind('/') - 1));
  return {names.begin(), names.end()};
}

grpc::ServerGenericBidiReactor* CallRouter::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  const auto found = routes_.find(context->method());
  const Route* const route = found == routes_.end() ? nullptr : &found->second;
  const auto header = [&](const char* name) -> std::optional<std::string_view> {
    const auto entry = context->client_metadata().find(name);
    if (entry == context->client_metadata().end()) return std::nullopt;
    return std::string_view(entry->second.data(), entry->second.size());
  };
  const auto allowed = state_.authenticator.Check(header("authorization"));
  const auto call = IncomingCall::Make(
      {.method = route ? std::string_view(route->name) : std::string_view("unknown"),
       .peer = context->peer(),
       .caller = allowed.value_or(nullptr),
       .max_bytes = route ? route->method.max_bytes : 0,
       .trace = TraceParent(header("traceparent").value_or(""))},
      state_.observe,
      [judge = judge_, trusted = allowed.ok()](const IncomingCall& ended, bool left_early) {
        if (judge != nullptr) judge->CallEnded(ended.facts().peer, trusted, left_early);
      });
  if (judge_ != nullptr) judge_->CallStarted(call->facts().peer, allowed.ok());
  if (!allowed.ok() && !(route != nullptr && route->method.open)) {
    call->End(allowed.status());
  } else if (route == nullptr) {
    call->End(NoSuchMethod(context->method()));
  } else {
    Read(call, route->method.open, route->method.start);
  }
  return call.get();
}

void CallRouter::Read(const std::shared_ptr<IncomingCall>& call, bool open, Start then) {
  const std::size_t most = open ? limits_.max_unread_open : limits_.max_unread;
  std::int64_t number = 0;
  std::shared_ptr<IncomingCall> oldest;
  {
    const MutexLock lock(mutex_);
    Unread& unread = open ? open_ : with_token_;
    number = next_++;
    if (unread.size() >= most) {
      oldest = std::move(unread.begin()->second.call);
      unread.erase(unread.begin());
    }
    unread.emplace(number, Reading{call, Clock::now()});
  }
  if (oldest) oldest->End(TooManyUnread());
  call->ReadRequest([this, open, number, then = std::move(then)](
                        const std::shared_ptr<IncomingCall>& read, grpc::ByteBuffer* request) {
    {
      const MutexLock lock(mutex_);
      (open ? open_ : with_token_).erase(number);
    }
    if (read->ending()) return;
    then(read, request);
  });
}

void CallRouter::EndLate(const std::stop_token& stop) {
  while (RealClock().Sleep(kBetweenLooks, stop)) {
    const auto latest = Clock::now() - limits_.request_time;
    std::vector<std::shared_ptr<IncomingCall>> late;
    {
      const MutexLock lock(mutex_);
      for (Unread* unread : {&with_token_, &open_}) {
        while (!unread->empty() && unread->begin()->second.since < latest) {
          late.push_back(std::move(unread->begin()->second.call));
          unread->erase(unread->begin());
        }
      }
    }
    for (const auto& call : late) call->End(TooSlow(limits_.request_time));
  }
}

}  // namespace glint
