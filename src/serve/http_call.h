// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <atomic>
#include <memory>
#include <string>

#include "serve/pending_call.h"
#include "serve/service_state.h"
#include "serve/watch_hub.h"
#include "web/web_server.h"

namespace glint {

/// A unary call that came by HTTP.
class HttpCall final : public PendingCall {
 public:
  HttpCall(Facts facts, const CallObserver& observe, std::shared_ptr<WebExchange> exchange)
      : facts_(std::move(facts)), timer_(observe, facts_.method), exchange_(std::move(exchange)) {}

  const Facts& facts() const override { return facts_; }
  bool gone() const override { return exchange_->gone(); }
  void Answer(const google::protobuf::Message& message) override;
  void End(const absl::Status& status) override;
  /// Another answer than a message; the call went well.
  void Answer(WebAnswer answer);

 private:
  const Facts facts_;
  const CallTimer timer_;
  const std::shared_ptr<WebExchange> exchange_;
  std::atomic<bool> ending_ = false;
};

/// A WatchScan that came by HTTP: server-sent events. Nothing is sent before the first event, so
/// that a scan that is unknown is an answer with that status.
class HttpWatch final : public WatchStream {
 public:
  /// Starts to stream, or answers with the failure that keeps it from that.
  /// @param scan_id  as the store calls it
  static void Start(WatchHub& hub, PendingCall::Facts facts, const CallObserver& observe,
                    std::shared_ptr<WebExchange> exchange, const std::string& scan_id,
                    std::int64_t after_seq);

 private:
  HttpWatch(WatchHub& hub, PendingCall::Facts facts, const CallObserver& observe,
            std::shared_ptr<WebExchange> exchange)
      : hub_(hub),
        facts_(std::move(facts)),
        timer_(observe, facts_.method),
        exchange_(std::move(exchange)) {}

  void Send(const v1::ScanEvent& event, bool snapshot) override;
  void End(const absl::Status& status) override;
  /// Once, before the first piece.
  void Begin();

  WatchHub& hub_;
  const PendingCall::Facts facts_;
  const CallTimer timer_;
  std::shared_ptr<WebExchange> exchange_;
  std::shared_ptr<WebStream> stream_;  // the hub calls one after the other
};

}  // namespace glint
