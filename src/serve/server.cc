// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"
#include "serve/batch_service.h"
#include "serve/call_authenticator.h"
#include "serve/call_executor.h"
#include "serve/call_router.h"
#include "serve/connection_gate.h"
#include "serve/health_service.h"
#include "serve/http_json.h"
#include "serve/reflection_service.h"
#include "serve/service_state.h"
#include "serve/watch_hub.h"
#include "serve/worker_service.h"

namespace glint {
namespace {

bool IsUnix(const std::string& address) { return address.starts_with("unix:"); }

constexpr int kReadBytes = 32 << 10;  // of a connection at a time
constexpr int kSlowThreads = 4;
constexpr std::size_t kSlowCalls = 500;
constexpr std::size_t kLists = 200;
constexpr std::size_t kMaxHealthStreams = 1'000;

/// Words of libraries go to our log, which never waits, and rarely: strangers cause most of them.
void LogOfLibrary(std::string_view library, std::string_view line) {
  static std::atomic<std::int64_t> latest = 0;
  const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(
                               std::chrono::steady_clock::now().time_since_epoch())
                               .count();
  if (latest.exchange(now) != now) spdlog::debug("{}: {}", library, line);
}

void LogOfGrpc(gpr_log_func_args* line) {
  const std::string_view words = line->message;
  if (words.starts_with("assertion failed") || words.starts_with("API misuse")) {
    // gRPC ends the process next, and what waits in the log's queue ends with it.
    dprintf(STDERR_FILENO, "gRPC: %s:%d: %s\n", line->file, line->line, line->message);
  }
  LogOfLibrary("gRPC", words);
}

void LogOfProtobuf(google::protobuf::LogLevel /*level*/, const char* /*file*/, int /*line*/,
                   const std::string& text) {
  LogOfLibrary("protobuf", text);
}

void Configure(grpc::ServerBuilder& builder, const ServerOptions& options) {
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  // A request that unpacks to more than it is would be unpacked before its size is judged.
  for (const auto packed : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder.SetCompressionAlgorithmSupportStatus(packed, false);
  }
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  grpc::ResourceQuota quota("glint");
  quota.Resize(options.memory_bytes);
  builder.SetResourceQuota(quota);
  // What a connection may have sent and not had read: a window that does not grow, of one request.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_TCP_READ_CHUNK_SIZE, kReadBytes);
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kReadBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             static_cast<int>(options.handshake_time.count()));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_streams_per_connection);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS,
                             static_cast<int>(options.keepalive.count()));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             static_cast<int>(options.keepalive_timeout.count()));
  // Clients behind proxies ping, too, also between calls; twice a keepalive is no attack.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  // Two workers on one port would share its calls by chance.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

class GrpcServer final : public Server {
 public:
  GrpcServer(const ServerOptions& options, ServerDeps deps, std::unique_ptr<ConnectionGate> gate,
             std::unique_ptr<ConnectionGate> http_gate)
      : calls_(options.store_threads, static_cast<std::size_t>(options.max_waiting_calls)),
        authenticator_(deps.tokens),
        state_{deps.jobs, calls_, slow_, lists_, authenticator_, std::move(deps.observe)},
        hub_(deps.jobs, slow_, deps.rules.links, static_cast<std::size_t>(options.max_streams)),
        gate_(std::move(gate)),
        http_gate_(std::move(http_gate)),
        router_(state_,
                {.max_request_bytes = static_cast<std::size_t>(options.max_message_bytes),
                 .request_time = options.request_time},
                gate_.get()),
        health_(router_, kMaxHealthStreams),
        scans_(router_, state_, hub_, std::move(deps.rules)),
        batches_(router_, state_, scans_),
        http_url_(deps.info.http_url()),
        worker_(router_, state_, std::move(deps.info)),
        http_(router_, state_, hub_, *http_gate_, std::move(deps.http),
              [this] { return serving_.load(); }) {
    if (options.reflection) AddReflection(router_);
  }

  ~GrpcServer() override { Stop(std::chrono::milliseconds(0)); }

  absl::Status Start(const ServerOptions& options) {
    gpr_set_log_function(LogOfGrpc);
    google::protobuf::SetLogHandler(LogOfProtobuf);
    grpc::EnableDefaultHealthCheckService(false);
    grpc::ServerBuilder builder;
    Configure(builder, options);
    const auto credentials = MakeServerCredentials(options.tls);
    std::vector<int> bound(options.listen.size(), 1);
    for (std::size_t i = 0; i < options.listen.size(); ++i) {
      if (!IsUnix(options.listen[i])) continue;
      builder.AddListeningPort(options.listen[i], credentials, &bound[i]);
    }
    acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
    builder.RegisterCallbackGenericService(&router_);
    server_ = builder.BuildAndStart();
    for (std::size_t i = 0; i < bound.size(); ++i) {
      if (server_ && bound[i] != 0) continue;
      return Error(Reason::kInvalidOption,
                   fmt::format("cannot listen on {}: there may be no such folder, or it needs more "
                               "rights",
                               options.listen[i]));
    }
    SetHealth(false);
    gate_->Start([this](int listener, int socket, const sockaddr_storage& /*from*/) {
      grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
      connection.listener_fd = listener;
      connection.fd = socket;
      acceptor_->HandleNewConnection(&connection);
    });
    return options.http.empty() ? absl::OkStatus() : StartHttp(options);
  }

  const std::vector<int>& ports() const override { return gate_->ports(); }
  const std::vector<int>& http_ports() const override { return http_gate_->ports(); }
  const std::string& http_url() const override { return http_url_; }
  std::size_t streams() const override { return hub_.streams(); }
  std::size_t connections() const override {
    return gate_->connections() + http_gate_->connections();
  }

  void SetHealth(bool serving) override {
    serving_ = serving;
    for (const char* service :
         {"", "glint.v1.ScanService", "glint.v1.BatchService", "glint.v1.WorkerService"}) {
      health_.Set(service, serving);
    }
  }

  void StartDraining() override {
    SetHealth(false);
    state_.draining = true;
  }

  void EndDraining() override {
    state_.draining = false;
    SetHealth(true);
  }
  int submissions() const override { return state_.submitting; }

  void Stop(std::chrono::milliseconds grace) override {
    if (!server_) return;
    StartDraining();
    gate_->Stop();
    http_gate_->Stop();
    hub_.EndAll(DrainingError());
    if (web_) web_->Stop(grace);
    health_.EndAll(DrainingError());
    server_->Shutdown(std::chrono::system_clock::now() + grace);
    server_->Wait();
    for (CallExecutor* work : {&calls_, &lists_, &slow_}) work->Stop();  // before the hub goes
    server_.reset();
  }

 private:
  absl::Status StartHttp(const ServerOptions& options) {
    WebTls tls;
    if (!options.http_clear) {
      tls = {options.tls.cert, options.tls.key, options.tls.client_ca};
    }
    GLINT_ASSIGN_OR_RETURN(
        web_, StartWebServer({.request_time = options.request_time, .beat = options.keepalive}, tls,
                             RefusalAnswer,
                             [this](const WebRequest& request) { return http_.Plan(request); }));
    http_gate_->Start([this](int /*listener*/, int socket, const sockaddr_storage& from) {
      web_->Take(socket, from, ConnectionName(from));
    });
    return absl::OkStatus();
  }

  CallExecutor calls_;
  CallExecutor slow_{kSlowThreads, kSlowCalls};
  CallExecutor lists_{1, kLists};
  CallAuthenticator authenticator_;
  ServiceState state_;
  WatchHub hub_;
  const std::unique_ptr<ConnectionGate> gate_;
  const std::unique_ptr<ConnectionGate> http_gate_;  // of no address where there is no HTTP
  CallRouter router_;
  HealthService health_;
  ScanServiceImpl scans_;
  BatchServiceImpl batches_;
  const std::string http_url_;
  WorkerServiceImpl worker_;
  std::atomic<bool> serving_ = false;
  HttpApi http_;
  std::unique_ptr<WebServer> web_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> StartServer(const ServerOptions& options, ServerDeps deps) {
  std::vector<std::string> addresses;
  std::ranges::copy_if(options.listen, std::back_inserter(addresses),
                       [](const std::string& address) { return !IsUnix(address); });
  ConnectionLimits limits = options.connections;
  limits.unanswered = options.keepalive_timeout;
  GLINT_ASSIGN_OR_RETURN(auto gate, ConnectionGate::Listen(addresses, limits));
  GLINT_ASSIGN_OR_RETURN(auto http_gate,
                         ConnectionGate::Listen(options.http, options.http_connections));
  if (deps.info.http_url().empty() && !options.http.empty()) {
    const std::string& address = options.http.front();
    const bool encrypted = options.tls.wanted() && !options.http_clear;
    deps.info.set_http_url(fmt::format("{}://{}:{}", encrypted ? "https" : "http",
                                       address.substr(0, address.rfind(':')),
                                       http_gate->ports().front()));
  }
  auto server =
      std::make_unique<GrpcServer>(options, std::move(deps), std::move(gate), std::move(http_gate));
  GLINT_RETURN_IF_ERROR(server->Start(options));
  return server;
}

}  // namespace glint
