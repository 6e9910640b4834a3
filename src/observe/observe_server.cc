// SPDX-License-Identifier: Apache-2.0
#include "observe/observe_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <list>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/catch_exceptions.h"
#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxConnections = 64;
constexpr std::size_t kMaxRequestBytes = 8 << 10;
/// For a request to come and its answer to go.
constexpr std::chrono::seconds kPatience{5};

std::string Answer(std::string_view status, std::string_view type, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "Connection: close\r\n\r\n{}",
      status, type, body.size(), body);
}

/// A client: sends a request, gets an answer, and is closed.
struct Client {
  int socket = -1;
  Clock::time_point since;
  std::string request;
  std::string answer;  // what is left of it
  bool answered = false;
};

/// Listens on the numeric address of "HOST:PORT" or "[V6]:PORT". @return the socket, or -1
int Listen(const std::string& address) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return -1;
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (host.empty() ||
      getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &wanted, &found) != 0) {
    return -1;
  }
  const int listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const bool listens = bind(listener, found->ai_addr, found->ai_addrlen) == 0 &&
                       listen(listener, static_cast<int>(kMaxConnections)) == 0;
  freeaddrinfo(found);
  if (listens) return listener;
  if (listener >= 0) close(listener);
  return -1;
}

int PortOf(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

/// One thread for all clients, none of whom it waits for.
class PollingServer final : public ObserveServer {
 public:
  PollingServer(int listener, ServiceMetrics& metrics, std::function<Health()> health)
      : metrics_(metrics),
        health_(std::move(health)),
        listener_(listener),
        port_(PortOf(listener)),
        wake_(eventfd(0, EFD_CLOEXEC)),
        thread_([this](const std::stop_token& stop) {
          const absl::Status ended = CatchExceptions([&] {
            Serve(stop);
            return absl::OkStatus();
          });
          if (!ended.ok()) spdlog::error("/metrics and /healthz end: {}", Message(ended));
        }) {}

  ~PollingServer() override {
    thread_.request_stop();
    eventfd_write(wake_, 1);
    thread_.join();
    for (const Client& client : clients_) close(client.socket);
    close(listener_);
    close(wake_);
  }

  int port() const override { return port_; }

 private:
  void Serve(const std::stop_token& stop) {
    std::vector<pollfd> waiting;
    while (!stop.stop_requested()) {
      waiting = {{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const Client& client : clients_) {
        waiting.push_back(
            {client.socket, static_cast<short>(client.answered ? POLLOUT : POLLIN), 0});
      }
      constexpr int kLookMs = 1'000;
      poll(waiting.data(), waiting.size(), clients_.empty() ? -1 : kLookMs);
      auto at = waiting.begin() + 2;
      for (auto client = clients_.begin(); client != clients_.end(); ++at) {
        const bool goes_on =
            (at->revents == 0 || Progress(*client)) && Clock::now() - client->since < kPatience;
        if (!goes_on) close(client->socket);
        client = goes_on ? std::next(client) : clients_.erase(client);
      }
      if (waiting[1].revents != 0) Accept();
    }
  }

  void Accept() {
    const int accepted = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0) {
      if (errno == EMFILE || errno == ENFILE)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return;
    }
    if (clients_.size() >= kMaxConnections) {
      close(clients_.front().socket);  // the oldest: it had its time
      clients_.pop_front();
    }
    clients_.push_back({.socket = accepted, .since = Clock::now(), .request = "", .answer = ""});
  }

  /// @return whether there is more to do for the client
  bool Progress(Client& client) const {
    if (!client.answered) {
      std::array<char, 2048> piece{};
      const auto got = recv(client.socket, piece.data(), piece.size(), 0);
      if (got <= 0) return got < 0 && errno == EAGAIN;
      client.request.append(piece.data(), static_cast<std::size_t>(got));
      if (client.request.find("\r\n\r\n") == std::string::npos) {
        return client.request.size() < kMaxRequestBytes;
      }
      client.answer = AnswerTo(client.request);
      client.answered = true;
    }
    const auto sent = send(client.socket, client.answer.data(), client.answer.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    client.answer.erase(0, static_cast<std::size_t>(sent));
    return !client.answer.empty();
  }

  std::string AnswerTo(std::string_view request) const {
    const std::string_view line = request.substr(0, request.find("\r\n"));
    constexpr std::string_view kPlain = "text/plain; charset=utf-8";
    if (line.starts_with("GET /metrics HTTP/") || line.starts_with("HEAD /metrics HTTP/")) {
      return Answer("200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics_.Text());
    }
    if (line.starts_with("GET /healthz HTTP/") || line.starts_with("HEAD /healthz HTTP/")) {
      const Health health = health_();
      return Answer(health.serving ? "200 OK" : "503 Service Unavailable", kPlain,
                    health.detail + "\n");
    }
    return Answer("404 Not Found", kPlain, "only /metrics and /healthz are here\n");
  }

  ServiceMetrics& metrics_;
  const std::function<Health()> health_;
  const int listener_;
  const int port_;
  const int wake_;
  std::list<Client> clients_;  // of the thread; the oldest first
  std::jthread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ObserveServer>> StartObserveServer(const std::string& address,
                                                                  ServiceMetrics& metrics,
                                                                  std::function<Health()> health) {
  const int listener = Listen(address);
  if (listener < 0) {
    return Error(Reason::kInvalidOption,
                 fmt::format("'{}' cannot be listened on for metrics; use HOST:PORT with a "
                             "numeric address of this machine and a free port",
                             address));
  }
  return std::make_unique<PollingServer>(listener, metrics, std::move(health));
}

}  // namespace glint
