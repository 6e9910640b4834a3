// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "serve/service_state.h"
#include "serve/watch_hub.h"

namespace glint {

/// A stream of events as gRPC drives it. `Response` is a message with `event` and `snapshot`.
template <class Response>
class StreamReactor final : public grpc::ServerWriteReactor<Response>, public WatchStream {
 public:
  /// A reactor that lives until its call is done.
  static std::shared_ptr<StreamReactor> Make(ServiceState& state, WatchHub& hub,
                                             std::string_view method) {
    std::shared_ptr<StreamReactor> reactor(new StreamReactor(state, hub, method));
    reactor->self_ = reactor;
    return reactor;
  }

  /// Called once when the client leaves before the end; may be called on gRPC's threads.
  void OnDisconnect(std::function<void()> left) { on_disconnect_ = std::move(left); }

  /// Starts to stream, or ends with the failure that keeps it from that.
  void Start(const std::string& scan_id, std::int64_t after_seq) {
    if (const auto joined = hub_.Join(shared_from_this(), scan_id, after_seq); !joined.ok()) {
      End(joined);
      return;
    }
    bool gone = false;
    {
      const MutexLock lock(mutex_);
      joined_ = true;
      gone = cancelled_;
    }
    if (gone) Leave(false);
  }

  void End(const absl::Status& status) override {
    const grpc::Status answer = ToGrpc(status);
    timer_.Done(answer);
    this->Finish(answer);
  }

 private:
  StreamReactor(ServiceState& state, WatchHub& hub, std::string_view method)
      : hub_(hub), timer_(state.observe, method) {}

  void Send(const v1::ScanEvent& event, bool snapshot) override {
    {
      // gRPC orders one message after the other; the lock says so to ThreadSanitizer, too.
      const MutexLock lock(mutex_);
      *response_.mutable_event() = event;
      response_.set_snapshot(snapshot);
    }
    this->StartWrite(&response_);
  }

  void OnWriteDone(bool ok) override {
    if (ok) {
      hub_.Sent(shared_from_this());
    } else {
      Leave(true);
    }
  }

  void OnCancel() override {
    {
      const MutexLock lock(mutex_);
      cancelled_ = true;
      if (!joined_) return;  // Start will see it
    }
    Leave(false);
  }

  void Leave(bool message_lost) {
    const bool first = hub_.Leave(shared_from_this(), message_lost);
    if (first && on_disconnect_) on_disconnect_();
  }

  void OnDone() override { self_.reset(); }

  WatchHub& hub_;
  const CallTimer timer_;
  std::shared_ptr<WatchStream> self_;
  std::function<void()> on_disconnect_;
  Mutex mutex_;
  Response response_;  // set under the mutex; gRPC reads it while it writes
  bool joined_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace glint
