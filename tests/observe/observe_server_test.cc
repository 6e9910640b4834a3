// SPDX-License-Identifier: Apache-2.0
#include "observe/observe_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <vector>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The whole answer to a request, head and body.
std::string Get(int port, const std::string& path) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  EXPECT_EQ(write(connection, request.data(), request.size()), std::ssize(request));
  std::string answer;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(connection, buffer, sizeof buffer)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  close(connection);
  return answer;
}

TEST(ObserveServer, ServesMetricsAndHealthAndNothingElse) {
  const auto metrics = MakeServiceMetrics("1");
  std::atomic<bool> serving = true;
  const auto server = StartObserveServer("127.0.0.1:0", *metrics, [&] {
    return Health{.serving = serving, .detail = serving ? "serving" : "draining"};
  });
  ASSERT_THAT(server, IsOk());
  const int port = (*server)->port();
  const std::string text = Get(port, "/metrics");
  EXPECT_THAT(text, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(text, HasSubstr("glint_frames_total 0\n"));
  EXPECT_THAT(Get(port, "/healthz"), StartsWith("HTTP/1.1 200 "));
  serving = false;
  const std::string sick = Get(port, "/healthz");
  EXPECT_THAT(sick, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(sick, HasSubstr("\r\n\r\ndraining\n"));
  for (const char* other : {"/", "/etc/passwd", "/../etc/passwd", "/metrics/x", "/healthzz"}) {
    EXPECT_THAT(Get(port, other), StartsWith("HTTP/1.1 4")) << other;
  }
}

TEST(ObserveServer, SilentConnectionsHoldUpNobody) {
  const auto metrics = MakeServiceMetrics("1");
  const auto server = StartObserveServer("127.0.0.1:0", *metrics, [] { return Health{true, "x"}; });
  ASSERT_THAT(server, IsOk());
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>((*server)->port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<int> silent;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 200; ++i) {
    silent.push_back(socket(AF_INET, SOCK_STREAM, 0));
    ASSERT_EQ(connect(silent.back(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  EXPECT_THAT(Get((*server)->port(), "/healthz"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Get((*server)->port(), "/metrics"), StartsWith("HTTP/1.1 200 "));
  // Far less than the 30 s that a silent connection is waited for; on a loaded machine the kernel
  // may drop first attempts to connect, and tries again after 1 and 3 s.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
  for (const int one : silent) close(one);
}

TEST(ObserveServer, AnAddressThatCannotBeListenedOnIsRefused) {
  const auto metrics = MakeServiceMetrics("1");
  const auto health = [] { return Health{}; };
  const auto taken = StartObserveServer("127.0.0.1:0", *metrics, health);
  ASSERT_THAT(taken, IsOk());
  for (const std::string& address :
       {std::string("nonsense"), std::string(""), std::string("192.0.2.1:9090"),
        "127.0.0.1:" + std::to_string((*taken)->port())}) {
    EXPECT_THAT(StartObserveServer(address, *metrics, health),
                FailsWith(Reason::kInvalidOption, HasSubstr("HOST:PORT")))
        << address;
  }
}

}  // namespace
}  // namespace glint
