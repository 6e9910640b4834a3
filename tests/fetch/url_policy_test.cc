// SPDX-License-Identifier: Apache-2.0
// URLs of strangers: none of these may lead to a connection.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fetch/fetch_test_support.h"
#include "support/http_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::_;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

HttpServer::Handler Forbidden() {
  return [](const ServerRequest&, ServerReply& reply) { reply.Answer(200, FakeVideo(1000)); };
}

std::function<std::vector<std::string>(const std::string&, int)> Says(const std::string& address) {
  return [address](const std::string&, int) { return std::vector<std::string>{address}; };
}

TEST(UrlPolicy, RefusesEveryFormOfAnInternalAddress) {
  const TempFolder folder;
  UrlFetchOptions options = LoopbackOptions(folder);
  options.allowed_sources.clear();
  for (const char* host : {"127.0.0.1",
                           "127.1",
                           "2130706433",
                           "0x7f000001",
                           "0x7f.0.0.1",
                           "0177.0.0.1",
                           "017700000001",
                           "0",
                           "0.0.0.0",
                           "[::1]",
                           "[::]",
                           "[::ffff:127.0.0.1]",
                           "[::ffff:7f00:1]",
                           "[0:0:0:0:0:0:0:1]",
                           "[64:ff9b::127.0.0.1]",
                           "[2002:7f00:1::]",
                           "[fe80::1]",
                           "[fd00::1]",
                           "10.0.0.1",
                           "169.254.169.254",
                           "2852039166",
                           "0xA9FEA9FE",
                           "[::ffff:169.254.169.254]",
                           "192.168.0.1",
                           "172.16.0.1",
                           "100.64.0.1",
                           "224.0.0.1",
                           "255.255.255.255"}) {
    EXPECT_THAT(Fetched(fmt::format("http://{}/latest/meta-data", host), options),
                FailsWith(Reason::kUrlNotAllowed, _))
        << host;
  }
}

TEST(UrlPolicy, RefusesOtherSchemesPortsAndUserInfo) {
  const TempFolder folder;
  UrlFetchOptions options = LoopbackOptions(folder);
  options.allowed_sources.clear();
  options.resolver = Says("8.8.8.8");
  struct Case {
    const char* url;
    Reason reason;
    const char* says;
  };
  for (const Case& c : {
           Case{"file:///etc/passwd", Reason::kUrlNotAllowed, "only http"},
           Case{"ftp://host.example/a", Reason::kUrlNotAllowed, "only http"},
           Case{"gopher://host.example/a", Reason::kUrlNotAllowed, "only http"},
           Case{"http://host.example:22/a", Reason::kUrlNotAllowed, "port 22"},
           Case{"https://host.example:6379/a", Reason::kUrlNotAllowed, "port 6379"},
           Case{"http://me:hush@host.example/a", Reason::kUrlNotAllowed, "user name"},
           Case{"http://hush@host.example/a", Reason::kUrlNotAllowed, "user name"},
           Case{"http://", Reason::kInvalidOption, "URL"},
           Case{"not a url", Reason::kInvalidOption, "URL"},
           Case{"http://a b/", Reason::kInvalidOption, "URL"},
       }) {
    EXPECT_THAT(Fetched(c.url, options),
                FailsWith(c.reason, AllOf(HasSubstr(c.says), Not(HasSubstr("hush")))))
        << c.url;
  }
}

TEST(UrlPolicy, RefusesNamesThatLeadInside) {
  const TempFolder folder;
  const HttpServer server(Forbidden());
  UrlFetchOptions options = LoopbackOptions(folder);
  options.allowed_sources = {fmt::format("192.0.2.1:{}", server.port())};  // opens the port only
  options.resolver = Says("127.0.0.1");
  EXPECT_THAT(Fetched(server.Url("/v.mp4", "innocent.example"), options),
              FailsWith(Reason::kUrlNotAllowed, HasSubstr("resolves to 127.0.0.1")));
  EXPECT_TRUE(server.requests().empty());
}

TEST(UrlPolicy, RefusesANameThatIsReboundBetweenAttempts) {
  const TempFolder folder;
  const HttpServer inside(Forbidden());
  int asked = 0;
  HttpServer outside(
      [](const ServerRequest&, ServerReply& reply) { reply.Cut(); },  // so that it comes back
      {.address = "127.0.0.2"});
  UrlFetchOptions options = LoopbackOptions(folder);
  options.allowed_sources = {"127.0.0.2:*"};
  options.resolver = [&](const std::string&, int) {
    return std::vector<std::string>{++asked == 1 ? "127.0.0.2" : "127.0.0.1"};
  };
  EXPECT_THAT(Fetched(outside.Url("/v.mp4", "rebound.example"), options),
              FailsWith(Reason::kUrlNotAllowed, HasSubstr("127.0.0.1")));
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(outside.requests().size(), 1U);
  EXPECT_TRUE(inside.requests().empty());
}

TEST(UrlPolicy, ChecksEveryRedirect) {
  const TempFolder folder;
  const HttpServer inside(Forbidden(), {.address = "127.0.0.2"});
  std::string target;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    reply.Answer(302, "", {"Location: " + target});
  });
  const UrlFetchOptions options = LoopbackOptions(folder);
  for (const std::string& location :
       {inside.Url("/"), std::string("http://169.254.169.254/latest/meta-data"),
        std::string("http://[::1]/"), std::string("http://2130706434/"),
        std::string("//127.0.0.2/"), std::string("file:///etc/passwd"),
        std::string("ftp://127.0.0.1/"), server.Url("/", "me:hush@127.0.0.1")}) {
    target = location;
    EXPECT_THAT(
        Fetched(server.Url("/"), options),
        FailsWith(Reason::kUrlNotAllowed, AllOf(HasSubstr("redirected"), Not(HasSubstr("hush")))))
        << location;
  }
  EXPECT_TRUE(inside.requests().empty());
}

TEST(UrlPolicy, FollowsThreeRedirectsAndNoLoop) {
  const TempFolder folder;
  const std::string video = FakeVideo(2000);
  HttpServer server([&](const ServerRequest& request, ServerReply& reply) {
    if (request.target == "/loop") return reply.Answer(302, "", {"Location: /loop"});
    if (request.target == "/3") return reply.Answer(301, "moved", {"Location: 2"});
    if (request.target == "/2") return reply.Answer(307, "", {"Location: /1"});
    if (request.target == "/1") return reply.Answer(303, "", {"Location: " + server.Url("/0")});
    if (request.target == "/nowhere") return reply.Answer(302, "");
    reply.Answer(200, video);
  });
  const UrlFetchOptions options = LoopbackOptions(folder);
  const auto got = Fetched(server.Url("/3"), options);
  ASSERT_THAT(got, IsOk());
  EXPECT_EQ(*got, video);
  EXPECT_THAT(Fetched(server.Url("/loop"), options),
              FailsWith(Reason::kUrlNotAllowed, HasSubstr("more than 3 redirects")));
  EXPECT_THAT(Fetched(server.Url("/nowhere"), options),
              FailsWith(Reason::kDownloadFailed, HasSubstr("Location")));
}

TEST(UrlPolicy, DoesNotGoFromHttpsToHttp) {
  const TempFolder folder;
  const HttpServer plain(Forbidden());
  const std::string pem = MakeTestCertificate("tls.example");
  HttpServer server(
      [&](const ServerRequest&, ServerReply& reply) {
        reply.Answer(302, "", {"Location: " + plain.Url("/")});
      },
      {.certificate = pem});
  UrlFetchOptions options = LoopbackOptions(folder);
  options.ca_file = folder.Write("ca.pem", pem).string();
  options.resolver = Says("127.0.0.1");
  EXPECT_THAT(Fetched(server.Url("/", "tls.example"), options),
              FailsWith(Reason::kUrlNotAllowed, HasSubstr("https down to http")));
  EXPECT_TRUE(plain.requests().empty());
}

}  // namespace
}  // namespace glint
