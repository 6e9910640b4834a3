// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fetch/fetch_test_support.h"
#include "support/http_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

std::vector<std::string> Told(const std::vector<UrlStep>& steps) {
  std::vector<std::string> told;
  told.reserve(steps.size());
  for (const UrlStep& step : steps) {
    told.push_back(step.what + ": " +
                   (step.status.ok() ? step.detail : std::string(Message(step.status))));
  }
  return told;
}

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class ExplainUrlTest : public testing::Test {
 protected:
  std::vector<std::string> Explained(const std::string& url) {
    const auto steps = ExplainUrl(url, options_, CancelToken());
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) EXPECT_THAT(steps[i].status, IsOk());
    last_ = steps.empty() ? absl::OkStatus() : steps.back().status;
    return Told(steps);
  }

  const TempFolder folder_;
  UrlFetchOptions options_ = LoopbackOptions(folder_);
  absl::Status last_;
};

TEST_F(ExplainUrlTest, GoesThroughRedirectsToTheFirstBytesOnly) {
  HttpServer server([](const ServerRequest& request, ServerReply& reply) {
    if (request.target.starts_with("/old")) return reply.Answer(302, "", {"Location: /new"});
    reply.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\nContent-Type: video/mp4\r\n\r\n");
    while (reply.Send(FakeVideo(100'000))) {
    }
    reply.Cut();
  });
  EXPECT_THAT(
      Explained(server.Url("/old?sig=hush")),
      ElementsAre("url: " + server.Url("/old"), StartsWith("policy: "), "address: 127.0.0.1",
                  StartsWith("answer: HTTP 302"), "redirect: " + server.Url("/new"),
                  StartsWith("policy: "), "address: 127.0.0.1",
                  "answer: HTTP 200, 1000000000 bytes, video/mp4", "content: may be a video"));
  EXPECT_THAT(last_, IsOk());
}

TEST_F(ExplainUrlTest, EndsWhereTheDownloadWould) {
  HttpServer server([](const ServerRequest& request, ServerReply& reply) {
    if (request.target == "/page") return reply.Answer(200, "<html>");
    if (request.target == "/away") {
      return reply.Answer(302, "", {"Location: http://169.254.169.254/"});
    }
    reply.Answer(404, "");
  });
  Explained(server.Url("/page"));
  EXPECT_THAT(last_, FailsWith(Reason::kNotAVideo, HasSubstr("HTML")));
  Explained(server.Url("/away"));
  EXPECT_THAT(last_, FailsWith(Reason::kUrlNotAllowed, HasSubstr("169.254.0.0/16")));
  Explained(server.Url("/none"));
  EXPECT_THAT(last_, FailsWith(Reason::kInputNotFound, HasSubstr("404")));
  Explained("http://[::1]/");
  EXPECT_THAT(last_, FailsWith(Reason::kUrlNotAllowed, HasSubstr("loopback")));
  Explained("http://me:pw@example.com/");
  EXPECT_THAT(last_, FailsWith(Reason::kUrlNotAllowed, HasSubstr("user name")));
  Explained("nonsense");
  EXPECT_THAT(last_, FailsWith(Reason::kInvalidOption, HasSubstr("https://")));
  options_.resolver = [](const std::string&, int) {
    return std::vector<std::string>{"10.0.0.1", "127.0.0.2"};
  };
  Explained("http://inside.example/");
  EXPECT_THAT(last_, FailsWith(Reason::kUrlNotAllowed, HasSubstr("inside.example")));
  options_.resolver = [](const std::string&, int) { return std::vector<std::string>(); };
  Explained("http://nobody.example/");
  EXPECT_THAT(last_, FailsWith(Reason::kDownloadFailed, HasSubstr("does not resolve")));
}

}  // namespace
}  // namespace glint
