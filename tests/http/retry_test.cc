// SPDX-License-Identifier: Apache-2.0
#include "http/retry.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/fake_clock.h"
#include "support/http_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using std::chrono::milliseconds;
using testing::_;

class SendWithRetryTest : public testing::Test {
 protected:
  FakeClock clock_;
  const RetryPolicy policy_{.attempts = 4, .clock = &clock_};
};

HttpRequest Put(const std::string& url, std::string_view body) {
  HttpRequest request;
  request.method = "PUT";
  request.url = Url::Parse(url).value();
  request.body = std::as_bytes(std::span(body.data(), body.size()));
  return request;
}

TEST(WaitBefore, DoublesWithJitterAndHonoursTheServer) {
  const RetryPolicy policy{.first_wait = milliseconds(100), .longest_wait = milliseconds(1000)};
  for (int i = 0; i < 100; ++i) {
    EXPECT_GE(WaitBefore(2, policy, {}), milliseconds(50));
    EXPECT_LE(WaitBefore(2, policy, {}), milliseconds(100));
    EXPECT_GE(WaitBefore(4, policy, {}), milliseconds(200));
    EXPECT_LE(WaitBefore(4, policy, {}), milliseconds(400));
    EXPECT_LE(WaitBefore(60, policy, {}), milliseconds(1000));
  }
  EXPECT_EQ(WaitBefore(2, policy, std::chrono::seconds(1)), milliseconds(1000));
  EXPECT_EQ(WaitBefore(2, policy, std::chrono::seconds(3600)), milliseconds(1000))
      << "a server may not make us wait for ever";
}

TEST_F(SendWithRetryTest, RepeatsTheWholeBodyUntilTheServerTakesIt) {
  std::atomic<int> count = 0;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    switch (++count) {
      case 1:
        return reply.Answer(503, "later", {"Retry-After: 0"});
      case 2:
        return reply.Cut();
      case 3:
        return reply.Answer(429, "");
      default:
        return reply.Answer(200, "done");
    }
  });
  const std::string text(300'000, 'x');
  HttpClient client({});
  const auto response = SendWithRetry(client, Put(server.Url("/a"), text),
                                      Reason::kOutputUnwritable, policy_, CancelToken());
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->body, "done");
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 4U);
  for (const ServerRequest& request : requests) EXPECT_EQ(request.body, text);
}

TEST_F(SendWithRetryTest, WaitsLongerEachTimeAndAsLongAsTheServerAsks) {
  std::atomic<int> count = 0;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    reply.Answer(503, "", {++count == 3 ? "Retry-After: 7" : "X-Nothing: asked"});
  });
  HttpClient client({});
  ASSERT_THAT(SendWithRetry(client, Put(server.Url("/"), ""), Reason::kOutputUnwritable, policy_,
                            CancelToken()),
              IsOk());
  const auto sleeps = clock_.sleeps();
  ASSERT_EQ(sleeps.size(), 3U);
  EXPECT_GE(sleeps[0], policy_.first_wait / 2);
  EXPECT_LE(sleeps[0], policy_.first_wait);
  EXPECT_GE(sleeps[1], policy_.first_wait);
  EXPECT_LE(sleeps[1], 2 * policy_.first_wait);
  EXPECT_EQ(sleeps[2], std::chrono::seconds(7));
}

TEST_F(SendWithRetryTest, GivesUpWithTheLastAnswer) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(500, "broken"); });
  HttpClient client({});
  const auto response = SendWithRetry(client, Put(server.Url("/"), ""), Reason::kOutputUnwritable,
                                      policy_, CancelToken());
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->status, 500);
  EXPECT_EQ(server.requests().size(), 4U);
}

TEST_F(SendWithRetryTest, DoesNotRepeatWhatCannotHelp) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(403, "no"); });
  HttpClient client({});
  const auto response = SendWithRetry(client, Put(server.Url("/"), ""), Reason::kOutputUnwritable,
                                      policy_, CancelToken());
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->status, 403);
  EXPECT_EQ(server.requests().size(), 1U);
  EXPECT_TRUE(clock_.sleeps().empty());
}

TEST_F(SendWithRetryTest, StopsWaitingWhenCancelled) {
  std::stop_source stop;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    reply.Answer(503, "");
    stop.request_stop();
  });
  HttpClient client({});
  const RetryPolicy slow{.first_wait = std::chrono::hours(1),
                         .longest_wait = std::chrono::hours(1)};
  EXPECT_THAT(SendWithRetry(client, Put(server.Url("/"), ""), Reason::kOutputUnwritable, slow,
                            CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, _));
}

}  // namespace
}  // namespace glint
