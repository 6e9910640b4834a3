// SPDX-License-Identifier: Apache-2.0
#include "serve/http_call.h"

#include <fmt/format.h>

#include <utility>

#include "api/failure.h"
#include "glint/v1/scan_service.pb.h"
#include "serve/http_json.h"

namespace glint {

void HttpCall::Answer(const google::protobuf::Message& message) { Answer(JsonAnswer(message)); }

void HttpCall::Answer(WebAnswer answer) {
  if (ending_.exchange(true)) return;
  timer_.Done(grpc::Status::OK);
  exchange_->Answer(std::move(answer));
}

void HttpCall::End(const absl::Status& status) {
  if (ending_.exchange(true)) return;
  timer_.Done(ToGrpc(status));
  exchange_->Answer(FailureAnswer(status));
}

void HttpWatch::Start(WatchHub& hub, PendingCall::Facts facts, const CallObserver& observe,
                      std::shared_ptr<WebExchange> exchange, const std::string& scan_id,
                      std::int64_t after_seq) {
  const std::shared_ptr<HttpWatch> watch(
      new HttpWatch(hub, std::move(facts), observe, std::move(exchange)));
  if (const auto joined = hub.Join(watch, scan_id, after_seq); !joined.ok()) watch->End(joined);
}

void HttpWatch::Begin() {
  if (stream_) return;
  const auto self = std::static_pointer_cast<HttpWatch>(shared_from_this());
  stream_ = std::make_shared<WebStream>(WebStream::Listener{
      .sent = [this, self] { hub_.Sent(self); }, .gone = [this, self] { hub_.Leave(self, true); }});
  exchange_->Answer({.status = 200,
                     .headers = {{"Content-Type", "text/event-stream"},
                                 {"Cache-Control", "no-store"},
                                 {"X-Accel-Buffering", "no"}},
                     .stream = stream_});
}

void HttpWatch::Send(const v1::ScanEvent& event, bool snapshot) {
  Begin();
  v1::WatchScanResponse response;
  *response.mutable_event() = event;
  response.set_snapshot(snapshot);
  // A snapshot is no event of its own: who comes back must not ask for what follows it.
  const std::string id = snapshot ? "" : fmt::format("id: {}\n", event.seq());
  stream_->Send(fmt::format("event: {}\n{}data: {}\n\n", snapshot ? "snapshot" : "scan", id,
                            ToJson(response)));
  if (exchange_->gone()) stream_->Gone();  // it left before the server knew of the stream
}

void HttpWatch::End(const absl::Status& status) {
  timer_.Done(ToGrpc(status));
  if (!status.ok() && !stream_) return exchange_->Answer(FailureAnswer(status));
  Begin();
  if (status.ok()) {
    stream_->Send("event: end\ndata: {}\n\n");
  } else {
    stream_->Send(fmt::format("event: failure\ndata: {}\n", FailureAnswer(status).body + "\n"));
  }
  stream_->End();
  if (exchange_->gone()) stream_->Gone();
}

}  // namespace glint
