// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "serve/call_router.h"
#include "serve/http_routes.h"
#include "serve/link_signer.h"
#include "serve/scan_service.h"
#include "serve/service_state.h"
#include "serve/watch_hub.h"
#include "uploads/upload_store.h"
#include "web/web_server.h"

namespace glint {

/// What the HTTP API works with besides the services. All must outlive it; null: it has none.
struct HttpParts {
  /// Where an object of a scan's result lies; empty: results are not on this worker's disk.
  std::function<std::filesystem::path(std::string_view scan_id, std::string_view name)> locate;
  const LinkSigner* links = nullptr;
  UploadStore* uploads = nullptr;
  std::string no_uploads = "this worker takes no uploads; give videos by their URL";  ///< why null
  std::string host = {};  ///< by which browsers know the worker besides its addresses; may be empty
};

/// The HTTP API: finds who calls what, and hands it to the same services that gRPC's calls go to.
/// Called on the HTTP server's thread, and never waits there.
class HttpApi {
 public:
  /// All must outlive this. @param judge  told of requests; may be null. @param serving  for health
  HttpApi(CallRouter& router, ServiceState& state, WatchHub& hub, ConnectionJudge& judge,
          HttpParts parts, std::function<bool()> serving);

  /// What becomes of a request.
  WebPlan Plan(const WebRequest& request);

 private:
  using Variables = std::map<std::string, std::string, std::less<>>;
  /// A request that may be made.
  struct Allowed {
    const HttpRoute& route;
    Variables variables;
    PendingCall::Facts facts;
  };
  using ExchangePtr = std::shared_ptr<WebExchange>;

  /// Who calls. Errors: UNAUTHENTICATED
  absl::StatusOr<std::shared_ptr<const Identity>> CallerOf(const WebRequest& request,
                                                           const HttpMatch& match) const;
  bool IsForeign(const WebRequest& request) const;
  WebPlan PlanOf(const WebRequest& request, Allowed call);
  WebPlan PlanUnary(const WebRequest& request, Allowed call);
  WebPlan PlanWatch(Allowed call);
  WebPlan PlanResult(const WebRequest& request, Allowed call);
  void AnswerResult(const std::shared_ptr<class HttpCall>& call, const Variables& variables,
                    std::string_view owner);

  CallRouter& router_;
  ServiceState& state_;
  WatchHub& hub_;
  ConnectionJudge& judge_;
  const HttpParts parts_;
  const std::function<bool()> serving_;
  std::string open_api_;
};

}  // namespace glint
