// SPDX-License-Identifier: Apache-2.0
#include "observe/observe_server.h"

#include <civetweb.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

int Answer(mg_connection* connection, int code, const char* type, const std::string& body) {
  const std::string head = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "Connection: close\r\n\r\n",
      code == 200 ? "200 OK" : "503 Service Unavailable", type, body.size());
  mg_write(connection, head.data(), head.size());
  mg_write(connection, body.data(), body.size());
  return code;
}

class CivetObserveServer final : public ObserveServer {
 public:
  CivetObserveServer(ServiceMetrics& metrics, std::function<Health()> health)
      : metrics_(metrics), health_(std::move(health)) {}
  ~CivetObserveServer() override {
    if (context_ != nullptr) mg_stop(context_);
  }

  absl::Status Listen(const std::string& address) {
    std::array<const char*, 7> options = {
        "listening_ports", address.c_str(), "num_threads", "2", "tcp_nodelay", "1", nullptr};
    context_ = mg_start(nullptr, nullptr, options.data());
    mg_server_port port{};
    if (context_ == nullptr || mg_get_server_ports(context_, 1, &port) != 1) {
      return Error(Reason::kInvalidOption,
                   fmt::format("'{}' cannot be listened on for metrics; use HOST:PORT with a "
                               "numeric address of this machine and a free port",
                               address));
    }
    port_ = port.port;
    mg_set_request_handler(context_, "/metrics$", OnMetrics, this);
    mg_set_request_handler(context_, "/healthz$", OnHealth, this);
    return absl::OkStatus();
  }

  int port() const override { return port_; }

 private:
  // The server's threads are C: nothing may be thrown through them.
  static int OnMetrics(mg_connection* connection, void* self) noexcept {
    return Answer(connection, 200, "text/plain; version=0.0.4; charset=utf-8",
                  static_cast<CivetObserveServer*>(self)->metrics_.Text());
  }
  static int OnHealth(mg_connection* connection, void* self) noexcept {
    const Health health = static_cast<CivetObserveServer*>(self)->health_();
    return Answer(connection, health.serving ? 200 : 503, "text/plain; charset=utf-8",
                  health.detail + "\n");
  }

  ServiceMetrics& metrics_;
  const std::function<Health()> health_;
  mg_context* context_ = nullptr;
  int port_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ObserveServer>> StartObserveServer(const std::string& address,
                                                                  ServiceMetrics& metrics,
                                                                  std::function<Health()> health) {
  auto server = std::make_unique<CivetObserveServer>(metrics, std::move(health));
  GLINT_RETURN_IF_ERROR(server->Listen(address));
  return server;
}

}  // namespace glint
