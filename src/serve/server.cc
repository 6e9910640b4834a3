// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <fmt/format.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>

#include <memory>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"
#include "serve/call_authenticator.h"
#include "serve/call_executor.h"
#include "serve/service_state.h"
#include "serve/watch_hub.h"
#include "serve/worker_service.h"

namespace glint {
namespace {

/// Gives a server the reflection service or not. The library, once linked, adds it to every server
/// by itself.
class Reflection final : public grpc::ServerBuilderOption {
 public:
  explicit Reflection(bool wanted) : wanted_(wanted) {}
  void UpdateArguments(grpc::ChannelArguments* /*arguments*/) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    auto mine = std::make_unique<grpc::reflection::ProtoServerReflectionPlugin>();
    std::erase_if(*plugins, [&](const auto& plugin) { return plugin->name() == mine->name(); });
    if (wanted_) plugins->push_back(std::move(mine));
  }

 private:
  const bool wanted_;
};

void Configure(grpc::ServerBuilder& builder, const ServerOptions& options) {
  builder.SetOption(std::make_unique<Reflection>(options.reflection));
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
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
  GrpcServer(const ServerOptions& options, ServerDeps deps)
      : calls_(options.store_threads, static_cast<std::size_t>(options.max_waiting_calls)),
        authenticator_(deps.tokens),
        state_{deps.jobs, calls_, authenticator_, std::move(deps.observe)},
        hub_(deps.jobs, calls_, deps.rules.links, static_cast<std::size_t>(options.max_streams)),
        scans_(state_, hub_, std::move(deps.rules)),
        worker_(state_, std::move(deps.info)) {}

  ~GrpcServer() override { Stop(std::chrono::milliseconds(0)); }

  absl::Status Start(const ServerOptions& options) {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    Configure(builder, options);
    const auto credentials = MakeServerCredentials(options.tls);
    ports_.resize(options.listen.size());
    for (std::size_t i = 0; i < options.listen.size(); ++i) {
      builder.AddListeningPort(options.listen[i], credentials, &ports_[i]);
    }
    builder.RegisterService(&scans_);
    builder.RegisterService(&worker_);
    server_ = builder.BuildAndStart();
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (server_ && ports_[i] != 0) continue;
      return Error(
          Reason::kInvalidOption,
          fmt::format("cannot listen on {}: the address is not this machine's, the port is "
                      "in use, or it needs more rights",
                      options.listen[i]));
    }
    SetHealth(false);
    return absl::OkStatus();
  }

  const std::vector<int>& ports() const override { return ports_; }
  std::size_t streams() const override { return hub_.streams(); }

  void SetHealth(bool serving) override {
    auto* const health = server_->GetHealthCheckService();
    if (health == nullptr) return;
    health->SetServingStatus(serving);  // those that it knows by itself: the server as a whole
    for (const char* service :
         {v1::ScanService::service_full_name(), v1::WorkerService::service_full_name()}) {
      health->SetServingStatus(service, serving);
    }
  }

  void StartDraining() override {
    SetHealth(false);
    state_.draining = true;
  }

  void Stop(std::chrono::milliseconds grace) override {
    if (!server_) return;
    StartDraining();
    hub_.EndAll(DrainingError());
    server_->Shutdown(std::chrono::system_clock::now() + grace);
    server_->Wait();
    calls_.Stop();  // before the hub goes, which its work uses
    server_.reset();
  }

 private:
  CallExecutor calls_;
  CallAuthenticator authenticator_;
  ServiceState state_;
  WatchHub hub_;
  ScanServiceImpl scans_;
  WorkerServiceImpl worker_;
  std::vector<int> ports_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> StartServer(const ServerOptions& options, ServerDeps deps) {
  auto server = std::make_unique<GrpcServer>(options, std::move(deps));
  GLINT_RETURN_IF_ERROR(server->Start(options));
  return server;
}

}  // namespace glint
