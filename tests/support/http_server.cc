// SPDX-License-Identifier: Apache-2.0
#include "support/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <list>
#include <mutex>
#include <thread>

#include "support/test_certificate.h"

namespace glint {
namespace {

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

int Listen(const std::string& address, int port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, address.c_str(), &place.sin_addr);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
      listen(listener, 128) != 0) {
    std::abort();
  }
  return listener;
}

int PortOf(int socket) {
  sockaddr_in place{};
  socklen_t size = sizeof place;
  getsockname(socket, reinterpret_cast<sockaddr*>(&place), &size);
  return ntohs(place.sin_port);
}

/// Bytes to and from a client, with TLS where there is a context.
class Wire {
 public:
  Wire(int socket, SSL_CTX* context) : socket_(socket) {
    if (context == nullptr) return;
    ssl_.reset(SSL_new(context));
    SSL_set_fd(ssl_.get(), socket_);
    ready_ = SSL_accept(ssl_.get()) == 1;
  }
  bool ready() const { return ready_; }

  long Read(char* data, std::size_t size) {
    return ssl_ ? SSL_read(ssl_.get(), data, static_cast<int>(size)) : recv(socket_, data, size, 0);
  }
  bool Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const long sent = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                             : send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

 private:
  const int socket_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_{nullptr, &SSL_free};
  bool ready_ = true;
};

/// Reads one request; false at the end of the connection.
bool ReadRequest(Wire& wire, std::string& buffer, ServerRequest& request) {
  const auto more = [&] {
    char piece[16384];
    const long got = wire.Read(piece, sizeof piece);
    if (got > 0) buffer.append(piece, static_cast<std::size_t>(got));
    return got > 0;
  };
  std::size_t end = 0;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return false;
  }
  const std::string head = buffer.substr(0, end + 2);
  buffer.erase(0, end + 4);
  const std::size_t line_end = head.find("\r\n");
  const std::string line = head.substr(0, line_end);
  const std::size_t target = line.find(' ') + 1;
  request.method = line.substr(0, target - 1);
  request.target = line.substr(target, line.rfind(' ') - target);
  for (std::size_t at = line_end + 2; at < head.size();) {
    const std::size_t stop = head.find("\r\n", at);
    const std::string header = head.substr(at, stop - at);
    const std::size_t colon = header.find(':');
    const std::size_t value = std::min(header.find_first_not_of(' ', colon + 1), header.size());
    request.headers[Lower(header.substr(0, colon))] = header.substr(value);
    at = stop + 2;
  }
  const std::size_t length = std::strtoull(request.Header("content-length").c_str(), nullptr, 10);
  while (buffer.size() < length) {
    if (!more()) return false;
  }
  request.body = buffer.substr(0, length);
  buffer.erase(0, length);
  return true;
}

}  // namespace

struct HttpServer::State {
  class Reply;
  struct Client {
    int socket = -1;
    std::thread thread;
  };

  void Serve(int socket, int number);
  void Accept();

  Handler handler;
  Options options;
  int listener = -1;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls{nullptr, &SSL_CTX_free};
  std::atomic<bool> ending = false;
  mutable std::mutex mutex;
  std::vector<ServerRequest> log;
  std::list<Client> clients;
  std::thread acceptor;
};

class HttpServer::State::Reply final : public ServerReply {
 public:
  Reply(Wire& wire, int socket, const std::atomic<bool>& ending)
      : wire_(wire), socket_(socket), ending_(ending) {}
  bool Send(std::string_view bytes) override { return wire_.Write(bytes); }
  void Cut() override {
    cut_ = true;
    shutdown(socket_, SHUT_RDWR);
  }
  void Hang() override {
    while (!ending_) {
      pollfd look{socket_, POLLIN | POLLRDHUP, 0};
      if (poll(&look, 1, 50) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) break;
    }
    cut_ = true;
  }
  bool is_cut() const { return cut_; }

 private:
  Wire& wire_;
  const int socket_;
  const std::atomic<bool>& ending_;
  bool cut_ = false;
};

void HttpServer::State::Serve(int socket, int number) {
  Wire wire(socket, tls.get());
  Reply reply(wire, socket, ending);
  std::string buffer;
  while (wire.ready() && !reply.is_cut()) {
    ServerRequest request;
    request.connection = number;
    if (!ReadRequest(wire, buffer, request)) break;
    if (options.keeps_requests) {
      const std::scoped_lock lock(mutex);
      log.push_back(request);
    }
    handler(request, reply);
  }
  const std::scoped_lock lock(mutex);
  for (Client& client : clients) {
    if (client.socket == socket) client.socket = -1;
  }
  shutdown(socket, SHUT_RDWR);
  close(socket);
}

void HttpServer::State::Accept() {
  for (int number = 1; !ending; ++number) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const std::scoped_lock lock(mutex);
    clients.remove_if([](Client& client) {
      if (client.socket >= 0) return false;
      client.thread.join();  // it is at its end
      return true;
    });
    clients.push_back({socket, std::thread([this, socket, number] { Serve(socket, number); })});
  }
}

HttpServer::HttpServer(Handler handler, Options options) : state_(std::make_unique<State>()) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL's writes to clients that have gone
  state_->handler = std::move(handler);
  state_->options = std::move(options);
  if (!state_->options.certificate.empty()) {
    state_->tls.reset(SSL_CTX_new(TLS_server_method()));
    UseCertificate(state_->tls.get(), state_->options.certificate);
  }
  state_->listener = Listen(state_->options.address, 0);
  state_->acceptor = std::thread([this] { state_->Accept(); });
}

HttpServer::~HttpServer() {
  state_->ending = true;
  shutdown(state_->listener, SHUT_RDWR);
  state_->acceptor.join();
  for (State::Client& client : state_->clients) {
    {
      const std::scoped_lock lock(state_->mutex);
      if (client.socket >= 0) shutdown(client.socket, SHUT_RDWR);
    }
    client.thread.join();
  }
  close(state_->listener);
}

int HttpServer::port() const { return PortOf(state_->listener); }

std::string HttpServer::Url(std::string_view target, std::string_view host) const {
  return fmt::format("{}://{}:{}{}", state_->tls ? "https" : "http",
                     host.empty() ? std::string_view(state_->options.address) : host, port(),
                     target);
}

std::vector<ServerRequest> HttpServer::requests() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->log;
}

void ServerReply::Answer(int status, std::string_view body,
                         const std::vector<std::string>& headers) {
  std::string head =
      fmt::format("HTTP/1.1 {} Status\r\nContent-Length: {}\r\n", status, body.size());
  for (const std::string& header : headers) head += header + "\r\n";
  Send(head + "\r\n");
  Send(body);
}

int UnusedPort() {
  const int listener = Listen("127.0.0.1", 0);
  const int port = PortOf(listener);
  close(listener);
  return port;
}

}  // namespace glint
