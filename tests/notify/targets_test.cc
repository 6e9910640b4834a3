// SPDX-License-Identifier: Apache-2.0
// The targets against a real server.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "http/digest.h"
#include "notify/postgrest_row.h"
#include "notify/webhook.h"
#include "support/fake_clock.h"
#include "support/http_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using nlohmann::json;
using testing::_;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "0123456789abcdef-hush";
FakeClock& TestClock() {
  static FakeClock clock;
  return clock;
}

const RetryPolicy kRetry{.attempts = 3, .clock = &TestClock()};

ScanNotification Sample() {
  ScanNotification notification;
  notification.scan_id = "scan 1&id=eq.2";
  notification.seq = 7;
  notification.state = "running";
  notification.step = ScanStep::kMeasuring;
  notification.fraction = 0.429;
  notification.message = "measuring \"ü\" \xff";
  notification.time = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20} +
                      std::chrono::milliseconds(3'723'045);
  return notification;
}

TEST(Webhook, SendsWhatAReceiverCanVerify) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(204, ""); });
  const auto webhook = MakeWebhook({.url = server.Url("/hook?t=1"), .secret = kSecret});
  ASSERT_THAT(webhook, IsOk());
  ASSERT_THAT((*webhook)->Deliver(Sample(), CancelToken()), IsOk());
  const ServerRequest request = server.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/hook?t=1");
  const json body = json::parse(request.body);
  EXPECT_EQ(body["scan_id"], "scan 1&id=eq.2");
  EXPECT_EQ(body["step"], "measuring");
  EXPECT_EQ(body["seq"], 7);
  EXPECT_EQ(body["final"], false);
  EXPECT_EQ(body["time"], "2026-11-20T01:02:03.045Z");
  const std::string timestamp = request.Header("x-glint-timestamp");
  EXPECT_NEAR(std::atof(timestamp.c_str()), static_cast<double>(std::time(nullptr)), 100);
  const std::string delivery = request.Header("x-glint-delivery");
  EXPECT_EQ(delivery, "scan 1&id=eq.2:7");
  EXPECT_EQ(request.Header("x-glint-signature"),
            "v1=" + Hex(HmacSha256(kSecret, timestamp + "." + delivery + "." + request.body)));
}

TEST(Webhook, PassesTheTraceOn) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(204, ""); });
  const auto webhook = MakeWebhook({.url = server.Url("/"), .secret = kSecret});
  ASSERT_THAT(webhook, IsOk());
  ScanNotification traced = Sample();
  traced.trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  ASSERT_THAT((*webhook)->Deliver(traced, CancelToken()), IsOk());
  ASSERT_THAT((*webhook)->Deliver(Sample(), CancelToken()), IsOk());
  EXPECT_EQ(server.requests().at(0).Header("traceparent"), traced.trace);
  EXPECT_EQ(server.requests().at(1).Header("traceparent"), "");
}

TEST(Webhook, TheSignatureCoversEveryPart) {
  const std::string right = WebhookSignature(kSecret, "1", "a:1", "{}");
  EXPECT_NE(WebhookSignature(kSecret, "2", "a:1", "{}"), right);
  EXPECT_NE(WebhookSignature(kSecret, "1", "a:2", "{}"), right);
  EXPECT_NE(WebhookSignature(kSecret, "1", "a:1", "{ }"), right);
  EXPECT_NE(WebhookSignature("other", "1", "a:1", "{}"), right);
}

TEST(Webhook, TriesAgainWhatMayPass) {
  std::atomic<int> count = 0;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    if (++count < 3) return reply.Answer(503, "");
    reply.Answer(200, "");
  });
  const auto webhook = MakeWebhook({.url = server.Url("/"), .secret = kSecret, .retry = kRetry});
  ASSERT_THAT(webhook, IsOk());
  EXPECT_THAT((*webhook)->Deliver(Sample(), CancelToken()), IsOk());
  const auto requests = server.requests();
  EXPECT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].Header("x-glint-delivery"), requests[2].Header("x-glint-delivery"));
}

TEST(Webhook, SaysWhatFailsWithoutSecrets) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(410, ""); });
  const auto webhook =
      MakeWebhook({.url = server.Url("/hook?token=hush"), .secret = kSecret, .retry = kRetry});
  ASSERT_THAT(webhook, IsOk());
  EXPECT_THAT(
      (*webhook)->Deliver(Sample(), CancelToken()),
      FailsWith(Reason::kOutputUnwritable, AllOf(HasSubstr("410"), Not(HasSubstr("hush")))));
  EXPECT_EQ(server.requests().size(), 1U);
  EXPECT_THAT(MakeWebhook({.url = server.Url("/"), .secret = "short"}),
              FailsWith(Reason::kInvalidOption, HasSubstr("16 bytes")));
  EXPECT_THAT(MakeWebhook({.url = "nowhere", .secret = kSecret}),
              FailsWith(Reason::kInvalidOption, HasSubstr("webhook")));
}

TEST(PostgrestRow, PatchesTheRowOfTheScan) {
  for (const std::string key : {"eyJhbGciOi.J9.x", "sb_secret_x"}) {
    HttpServer server([](const ServerRequest&, ServerReply& reply) {
      reply.Answer(200, R"([{"id":"scan"}])", {"Content-Type: application/json"});
    });
    const auto row = MakePostgrestRow({.url = server.Url("/rest/v1/"), .key = key});
    ASSERT_THAT(row, IsOk());
    ASSERT_THAT((*row)->Deliver(Sample(), CancelToken()), IsOk());
    const ServerRequest request = server.requests().at(0);
    EXPECT_EQ(request.method, "PATCH");
    EXPECT_EQ(request.target, "/rest/v1/analysis_jobs?id=eq.scan%201%26id%3Deq.2&select=id");
    EXPECT_EQ(request.Header("prefer"), "return=representation");
    EXPECT_EQ(request.Header("apikey"), key);
    EXPECT_EQ(request.Header("authorization"), key.starts_with("sb_") ? "" : "Bearer " + key);
    const json body = json::parse(request.body);
    EXPECT_EQ(body["progress_percentage"], 42);
    EXPECT_EQ(body["progress_step"], "measuring");
    EXPECT_EQ(body["progress_updated_at"], "2026-11-20T01:02:03.045Z");
    EXPECT_EQ(body["updated_at"], body["progress_updated_at"]);
    EXPECT_TRUE(body.contains("progress_message"));
    EXPECT_EQ(body.size(), 5U);
  }
}

/// As PostgREST's documentation has its answers.
TEST(PostgrestRow, SaysWhatThePostgrestSays) {
  HttpServer server([](const ServerRequest& request, ServerReply& reply) {
    if (request.Header("content-profile") == "private") {
      return reply.Answer(406,
                          R"({"code":"PGRST106","details":null,"hint":null,)"
                          R"("message":"The schema must be one of the following: public, scans"})");
    }
    reply.Answer(403, R"({"code":"42501","details":null,"hint":null,)"
                      R"("message":"permission denied for table analysis_jobs"})");
  });
  const auto row = MakePostgrestRow({.url = server.Url("/"), .key = "k"});
  ASSERT_THAT(row, IsOk());
  EXPECT_THAT((*row)->Deliver(Sample(), CancelToken()),
              FailsWith(Reason::kOutputUnwritable,
                        AllOf(HasSubstr("HTTP 403"), HasSubstr("42501"),
                              HasSubstr("permission denied for table analysis_jobs"))));
  EXPECT_EQ(server.requests().at(0).Header("content-profile"), "");
  const auto other = MakePostgrestRow({.url = server.Url("/"), .schema = "private", .key = "k"});
  ASSERT_THAT(other, IsOk());
  EXPECT_THAT((*other)->Deliver(Sample(), CancelToken()),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("PGRST106")));
}

TEST(PostgrestRow, NoticesThatThereIsNoRow) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(200, "[]"); });
  const auto row = MakePostgrestRow({.url = server.Url("/"), .key = "sb_secret_hush"});
  ASSERT_THAT(row, IsOk());
  EXPECT_THAT((*row)->Deliver(Sample(), CancelToken()),
              FailsWith(Reason::kOutputUnwritable,
                        AllOf(HasSubstr("no row of analysis_jobs"), Not(HasSubstr("hush")))));
}

TEST(PostgrestRow, NamesTheEndOfAScanThatFailed) {
  HttpServer server(
      [](const ServerRequest&, ServerReply& reply) { reply.Answer(200, R"([{"id":"a"}])"); });
  const auto row = MakePostgrestRow({.url = server.Url("/"), .key = "k"});
  ASSERT_THAT(row, IsOk());
  ScanNotification notification = Sample();
  notification.state = "failed";
  notification.final = true;
  ASSERT_THAT((*row)->Deliver(notification, CancelToken()), IsOk());
  EXPECT_EQ(json::parse(server.requests().at(0).body)["progress_step"], "failed");
  EXPECT_THAT(MakePostgrestRow({.url = server.Url("/"), .key = ""}),
              FailsWith(Reason::kInvalidOption, _));
}

}  // namespace
}  // namespace glint
