// SPDX-License-Identifier: Apache-2.0
// Servers that fail in the ways that S3 servers do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "store/s3_test_support.h"
#include "store/store_test_support.h"
#include "support/http_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

const S3Credentials kCredentials{"KEY", "hush", ""};

TEST(S3Faults, SurvivesAServerThatIsSickForAWhile) {
  std::atomic<int> count = 0;
  HttpServer server([&](const ServerRequest& request, ServerReply& reply) {
    EXPECT_EQ(request.body, "content");
    switch (++count) {
      case 1:
        return reply.Answer(503, "<Error><Code>SlowDown</Code></Error>");
      case 2:
        reply.Send("HTTP/1.1 200 OK\r\nContent-Le");  // half an answer
        return reply.Cut();
      default:
        return reply.Answer(200, "");
    }
  });
  const auto bucket = MakeS3Bucket(TestS3Options(server.Url(""), kCredentials));
  EXPECT_THAT(bucket->Put("a", Bytes("content"), "image/png", CancelToken()), IsOk());
  EXPECT_EQ(count, 3);
}

TEST(S3Faults, NoticesFailuresBehind200) {
  std::atomic<int> count = 0;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    const std::string error = "<Error><Code>InternalError</Code></Error>";
    reply.Answer(200, ++count == 1 ? error : "<CopyObjectResult/>",
                 {"Content-Type: application/xml"});
  });
  const auto bucket = MakeS3Bucket(TestS3Options(server.Url(""), kCredentials));
  EXPECT_THAT(bucket->Copy("a", "b", CancelToken()), IsOk());
  EXPECT_EQ(count, 2);
  HttpServer worse([&](const ServerRequest&, ServerReply& reply) {
    reply.Answer(200, "<DeleteResult><Error><Code>AccessDenied</Code></Error></DeleteResult>",
                 {"Content-Type: application/xml"});
  });
  const auto denied = MakeS3Bucket(TestS3Options(worse.Url(""), kCredentials));
  EXPECT_THAT(denied->Delete(std::vector<std::string>{"a"}, CancelToken()),
              FailsWith(Reason::kStoreDenied, HasSubstr("delete objects")));
}

TEST(S3Faults, CopiesOnServersThatTakeTheSourceAsItStands) {
  const std::string key = "a b/!'()&$=@;:+,*c.png";
  std::vector<std::string> sources;
  HttpServer server([&](const ServerRequest& request, ServerReply& reply) {
    sources.push_back(request.Header("x-amz-copy-source"));
    if (sources.back() == "/glint-test/" + key) return reply.Answer(200, "<CopyObjectResult/>");
    reply.Answer(404, "<Error><Code>NoSuchKey</Code></Error>");
  });
  const auto bucket = MakeS3Bucket(TestS3Options(server.Url(""), kCredentials));
  EXPECT_THAT(bucket->Copy(key, "to.png", CancelToken()), IsOk());
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].find_first_of(" !'()&$=@;:+,*"), std::string::npos) << sources[0];
  EXPECT_THAT(bucket->Copy("gone.png", "to.png", CancelToken()),
              FailsWith(Reason::kStoreUnavailable, HasSubstr("uploaded again")));
}

TEST(S3Faults, SignsUrlsForTheHostThatClientsReach) {
  S3Options options = TestS3Options("http://10.0.0.7:9000", kCredentials);
  options.urls = UrlMode::kSigned;
  options.public_url = "https://files.example/s3";
  const auto urls = MakeS3Bucket(std::move(options))->Urls(std::vector<std::string>{"a b"}, {});
  ASSERT_THAT(urls, IsOk());
  EXPECT_THAT(urls->at(0),
              testing::StartsWith("https://files.example/s3/glint-test/a%20b?X-Amz-Algorithm="));
}

TEST(S3Faults, SaysWhatFails) {
  struct Case {
    int status;
    const char* code;
    Reason reason;
    const char* says;
  };
  for (const Case& c : {
           Case{403, "AccessDenied", Reason::kStoreDenied, "rights to list"},
           Case{403, "RequestTimeTooSkewed", Reason::kStoreDenied, "clock"},
           Case{403, "QuotaExceeded", Reason::kDiskFull, "full"},
           Case{301, "PermanentRedirect", Reason::kStoreDenied, "region"},
           Case{400, "AuthorizationHeaderMalformed", Reason::kStoreDenied, "region"},
           Case{404, "NoSuchBucket", Reason::kStoreDenied, "create the bucket"},
           Case{500, "InternalError", Reason::kStoreUnavailable, "InternalError"},
           Case{503, "SlowDown", Reason::kStoreUnavailable, "SlowDown"},
           Case{413, "EntityTooLarge", Reason::kOutputUnwritable, "413"},
           Case{412, "PreconditionFailed", Reason::kOutputUnwritable, "412"},
       }) {
    const std::string body =
        fmt::format("<?xml?><Error><Code>{}</Code><Message>m</Message></Error>", c.code);
    HttpServer server(
        [&](const ServerRequest&, ServerReply& reply) { reply.Answer(c.status, body); });
    const auto bucket = MakeS3Bucket(TestS3Options(server.Url(""), kCredentials));
    EXPECT_THAT(bucket->Put("a", Bytes("x"), "image/png", CancelToken()),
                FailsWith(c.reason, HasSubstr(c.says)))
        << c.code;
  }
}

TEST(S3Faults, SaysThatNobodyAnswers) {
  const auto bucket =
      MakeS3Bucket(TestS3Options(fmt::format("http://127.0.0.1:{}", UnusedPort()), kCredentials));
  EXPECT_THAT(bucket->Put("a", Bytes("x"), "image/png", CancelToken()),
              FailsWith(Reason::kStoreUnavailable, HasSubstr("no connection")));
}

TEST(S3Faults, NamesTheBucketInTheHostOrInThePath) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(200, ""); });
  for (const bool path_style : {true, false}) {
    S3Options options = TestS3Options(server.Url("/base", "127.0.0.1"), kCredentials);
    options.path_style = path_style;
    options.urls = UrlMode::kPublic;
    const auto bucket = MakeS3Bucket(std::move(options));
    const auto urls = bucket->Urls(std::vector<std::string>{"k"}, CancelToken());
    ASSERT_THAT(urls, IsOk());
    EXPECT_EQ(urls->front(), path_style ? server.Url("/base/glint-test/k")
                                        : server.Url("/base/k", "glint-test.127.0.0.1"));
  }
}

}  // namespace
}  // namespace glint
