// SPDX-License-Identifier: Apache-2.0
#include "support/cut_proxy.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace glint {
namespace {

constexpr int kLook = 20;  // milliseconds

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// Passes on what has arrived. @return false at the connection's end
bool Pass(int from, int to) {
  std::array<char, 65536> bytes{};
  const ssize_t got = recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN;
  if (got == 0) return false;
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t more =
        send(to, bytes.data() + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
    if (more < 0) return false;
    sent += more;
  }
  return true;
}

}  // namespace

CutProxy::CutProxy(int target_port)
    : target_port_(target_port), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = Loopback(0);
  socklen_t length = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(bind(listener_.number(), any, length), 0);
  EXPECT_EQ(listen(listener_.number(), 64), 0);
  EXPECT_EQ(getsockname(listener_.number(), any, &length), 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

CutProxy::~CutProxy() = default;

void CutProxy::Accept(std::vector<Pair>& pairs) const {
  Descriptor client(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!client.open() || state_ == State::kCut) return;
  Descriptor server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = Loopback(target_port_);
  if (connect(server.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return;
  }
  pairs.push_back({std::move(client), std::move(server)});
}

void CutProxy::Run(const std::stop_token& stop) {
  std::vector<Pair> pairs;
  while (!stop.stop_requested()) {
    const State state = state_;
    if (state == State::kCut) pairs.clear();
    std::vector<pollfd> wanted = {{listener_.number(), POLLIN, 0}};
    if (state == State::kPassOn) {
      for (const Pair& pair : pairs) {
        wanted.push_back({pair.client.number(), POLLIN, 0});
        wanted.push_back({pair.server.number(), POLLIN, 0});
      }
    }
    if (poll(wanted.data(), wanted.size(), kLook) <= 0) continue;
    if (state == State::kPassOn) {
      std::erase_if(pairs, [](const Pair& pair) {
        return !Pass(pair.client.number(), pair.server.number()) ||
               !Pass(pair.server.number(), pair.client.number());
      });
    }
    if ((wanted.front().revents & POLLIN) != 0) Accept(pairs);
  }
}

}  // namespace glint
