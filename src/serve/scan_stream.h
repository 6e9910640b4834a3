// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "serve/incoming_call.h"
#include "serve/watch_hub.h"

namespace glint {

/// A stream of a scan's events to one caller. `Response` is a message with `event` and `snapshot`.
template <class Response>
class ScanStream final : public WatchStream, public CallListener {
 public:
  static std::shared_ptr<ScanStream> Make(WatchHub& hub, std::shared_ptr<IncomingCall> call) {
    return std::shared_ptr<ScanStream>(new ScanStream(hub, std::move(call)));
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
      gone = gone_;
    }
    if (gone) Leave(false);
  }

  /// Listens to its call, which holds it from then on.
  void Attach() {
    if (call_->Listen(std::static_pointer_cast<ScanStream>(shared_from_this()))) OnGone();
  }

  void End(const absl::Status& status) override { call_->End(status); }

 private:
  ScanStream(WatchHub& hub, std::shared_ptr<IncomingCall> call)
      : hub_(hub), call_(std::move(call)) {}

  void Send(const v1::ScanEvent& event, bool snapshot) override {
    Response response;
    *response.mutable_event() = event;
    response.set_snapshot(snapshot);
    call_->Write(response);
  }

  void OnSent(bool ok) override {
    if (ok) {
      hub_.Sent(shared_from_this());
    } else {
      Leave(true);
    }
  }

  void OnGone() override {
    {
      const MutexLock lock(mutex_);
      gone_ = true;
      if (!joined_) return;  // Start will see it
    }
    Leave(false);
  }

  void Leave(bool message_lost) {
    const bool first = hub_.Leave(shared_from_this(), message_lost);
    if (first && on_disconnect_) on_disconnect_();
  }

  WatchHub& hub_;
  const std::shared_ptr<IncomingCall> call_;
  std::function<void()> on_disconnect_;
  Mutex mutex_;
  bool joined_ ABSL_GUARDED_BY(mutex_) = false;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace glint
