// SPDX-License-Identifier: Apache-2.0
#include "serve/watched_socket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/descriptor.h"

namespace glint {
namespace {

/// Both ends of a TCP connection.
struct Ends {
  Descriptor client, server;
};

Ends Connect() {
  const Descriptor listener(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  Ends ends{.client = Descriptor(socket(AF_INET, SOCK_STREAM, 0))};
  EXPECT_EQ(bind(listener.number(), at, size), 0);
  EXPECT_EQ(listen(listener.number(), 1), 0);
  EXPECT_EQ(getsockname(listener.number(), at, &size), 0);
  EXPECT_EQ(connect(ends.client.number(), at, size), 0);
  ends.server = Descriptor(accept(listener.number(), nullptr, nullptr));
  return ends;
}

/// Sends it, and waits until it is there.
void Send(const Ends& ends, std::string_view text) {
  ASSERT_EQ(send(ends.client.number(), text.data(), text.size(), 0),
            static_cast<ssize_t>(text.size()));
  std::string read(text.size(), '\0');
  ASSERT_EQ(recv(ends.server.number(), read.data(), read.size(), MSG_WAITALL),
            static_cast<ssize_t>(text.size()));
}

TEST(WatchedSocket, TellsWhatWasReceived) {
  const Ends ends = Connect();
  const WatchedSocket watched(ends.server.number());
  EXPECT_TRUE(watched.open());
  EXPECT_EQ(watched.ReceivedBytes(), 0U);
  Send(ends, "hello");
  EXPECT_EQ(watched.ReceivedBytes(), 5U);
}

TEST(WatchedSocket, IsClosedWhenItsOwnerClosesIt) {
  Ends ends = Connect();
  const WatchedSocket watched(ends.server.number());
  Send(ends, "hello");
  ends.server.Close();
  EXPECT_FALSE(watched.open());
  EXPECT_EQ(watched.ReceivedBytes(), std::nullopt) << "and not that it has received less";
}

TEST(WatchedSocket, IsNotTheNextOneWithItsNumber) {
  Ends ends = Connect();
  const Ends next = Connect();
  const WatchedSocket watched(ends.server.number());
  Send(next, "more than that");
  ASSERT_EQ(dup2(next.server.number(), ends.server.number()), ends.server.number());
  EXPECT_FALSE(watched.open());
  EXPECT_EQ(watched.ReceivedBytes(), std::nullopt);
  watched.Shutdown();
  Send(next, "still there");
}

TEST(WatchedSocket, ShutsItsConnectionDown) {
  const Ends ends = Connect();
  WatchedSocket(ends.server.number()).Shutdown();
  char byte = 0;
  EXPECT_EQ(recv(ends.client.number(), &byte, 1, 0), 0);
}

TEST(WatchedSocket, NeverTellsOfLessThanItHasReceivedWhileItsOwnerClosesIt) {
  for (int i = 0; i < 500; ++i) {
    Ends ends = Connect();
    Send(ends, "hello");
    const WatchedSocket watched(ends.server.number());
    std::atomic<bool> begun = false;
    std::jthread owner([&] {
      while (!begun) {
      }
      ends.server.Close();
    });
    for (auto received = watched.ReceivedBytes(); received; received = watched.ReceivedBytes()) {
      ASSERT_EQ(*received, 5U);
      begun = true;
    }
  }
}

}  // namespace
}  // namespace glint
