// SPDX-License-Identifier: Apache-2.0
#include "http/http_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "support/http_server.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::_;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Reason kFailed = Reason::kDownloadFailed;

HttpRequest Get(const std::string& url) {
  HttpRequest request;
  request.url = Url::Parse(url).value();
  return request;
}

absl::StatusOr<HttpResponse> Send(const HttpRequest& request, HttpClientOptions options = {}) {
  HttpClient client(std::move(options));
  return client.Send(request, kFailed, CancelToken());
}

AddressPolicy Allowing(const std::vector<std::string>& allowed) {
  return AddressPolicy::Make(allowed).value();
}

HttpResolver Always(const std::string& address) {
  return [address](const std::string&, int) { return std::vector<std::string>{address}; };
}

TEST(HttpClient, SendsWhatItIsToldAndGivesTheAnswer) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) {
    reply.Answer(207, "body", {"X-One:  two ", "ETag: \"a\""});
  });
  const std::string text("a\0b", 3);
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    HttpRequest request = Get(server.Url("/a/../b%2f?c=d&e"));
    request.method = method;
    request.headers = {{"X-Empty", ""}, {"X-Full", "1 2"}};
    if (request.method != "GET") request.body = std::as_bytes(std::span(text));
    const auto response = Send(request);
    ASSERT_THAT(response, IsOk());
    EXPECT_EQ(response->status, 207);
    EXPECT_EQ(response->body, "body");
    EXPECT_EQ(response->Header("x-one"), "two");
    EXPECT_EQ(response->Header("etag"), "\"a\"");
    EXPECT_EQ(response->Header("none"), "");
    const ServerRequest seen = server.requests().back();
    EXPECT_EQ(seen.method, method);
    EXPECT_EQ(seen.target, "/a/../b%2f?c=d&e") << "a signed path must not be changed";
    EXPECT_EQ(seen.body, request.method == "GET" ? "" : text);
    EXPECT_TRUE(seen.headers.contains("x-empty"));
    EXPECT_EQ(seen.Header("x-full"), "1 2");
    EXPECT_FALSE(seen.headers.contains("expect"));
    EXPECT_FALSE(seen.headers.contains("content-type"));
    EXPECT_THAT(seen.Header("user-agent"), HasSubstr("glint/"));
  }
}

TEST(HttpClient, FollowsNoRedirect) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) {
    reply.Answer(302, "", {"Location: /elsewhere"});
  });
  const auto response = Send(Get(server.Url("/")));
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->status, 302);
  EXPECT_EQ(response->Header("Location"), "/elsewhere");
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpClient, ReusesConnections) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(200, "x"); });
  HttpClient client({});
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(client.Send(Get(server.Url("/")), kFailed, CancelToken()), IsOk());
  }
  for (const ServerRequest& request : server.requests()) EXPECT_EQ(request.connection, 1);
}

TEST(HttpClient, ServesManyThreads) {
  HttpServer server(
      [](const ServerRequest& request, ServerReply& reply) { reply.Answer(200, request.target); });
  HttpClient client({});
  std::vector<std::jthread> threads;
  threads.reserve(12);
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 10; ++j) {
        const std::string target = fmt::format("/{}/{}", i, j);
        const auto response = client.Send(Get(server.Url(target)), kFailed, CancelToken());
        EXPECT_THAT(response, IsOk());
        EXPECT_EQ(response.ok() ? response->body : "", target);
      }
    });
  }
}

TEST(HttpClient, GivesTheBodyPieceByPieceAfterTheHead) {
  const std::string body(500'000, 'z');
  HttpServer server([&](const ServerRequest&, ServerReply& reply) { reply.Answer(200, body); });
  HttpRequest request = Get(server.Url("/"));
  std::string got;
  std::string length;
  request.on_head = [&](const HttpResponse& head) {
    EXPECT_TRUE(got.empty());
    length = head.Header("content-length");
    return absl::OkStatus();
  };
  request.on_body = [&](std::span<const std::byte> piece) {
    got.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return absl::OkStatus();
  };
  ASSERT_THAT(Send(request), IsOk());
  EXPECT_EQ(got, body);
  EXPECT_EQ(length, "500000");
}

TEST(HttpClient, EndsWithTheFailureOfACallback) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(200, "x"); });
  HttpRequest request = Get(server.Url("/"));
  request.on_head = [](const HttpResponse&) { return Error(Reason::kNotAVideo, "mine"); };
  EXPECT_THAT(Send(request), FailsWith(Reason::kNotAVideo, "mine"));
  request.on_head = {};
  request.on_body = [](std::span<const std::byte>) { return Error(Reason::kDiskFull, "full"); };
  EXPECT_THAT(Send(request), FailsWith(Reason::kDiskFull, "full"));
  request.on_body = [](std::span<const std::byte>) -> absl::Status {
    throw std::runtime_error("thrown");
  };
  EXPECT_THAT(Send(request), FailsWith(Reason::kInternal, "thrown"));
}

TEST(HttpClient, CapsWhatItKeeps) {
  HttpServer server([](const ServerRequest& request, ServerReply& reply) {
    if (request.target == "/body") {
      reply.Send("HTTP/1.1 200 OK\r\n\r\n");
      while (reply.Send(std::string(4096, 'x'))) {
      }
    } else {
      reply.Send("HTTP/1.1 200 OK\r\n");
      while (reply.Send("X-Endless: " + std::string(4096, 'x') + "\r\n")) {
      }
    }
    reply.Cut();
  });
  EXPECT_THAT(Send(Get(server.Url("/body"))),
              FailsWith(Reason::kLimitExceeded, HasSubstr("bytes")));
  EXPECT_FALSE(Send(Get(server.Url("/headers"))).ok());
}

TEST(HttpClient, SaysWhatBroke) {
  HttpServer server([](const ServerRequest& request, ServerReply& reply) {
    if (request.target.starts_with("/cut")) return reply.Cut();
    if (request.target.starts_with("/half")) {
      reply.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      return reply.Cut();
    }
    if (request.target.starts_with("/head")) {
      reply.Send("HTTP/1.1 200 OK\r\nContent-Le");
      return reply.Cut();
    }
    if (request.target.starts_with("/garbage")) {
      reply.Send("SSH-2.0-OpenSSH\r\n\r\n");
      return reply.Cut();
    }
    reply.Hang();
  });
  struct Case {
    std::string url;
    const char* says;
    bool transient;
  };
  for (const Case& c : {
           Case{server.Url("/cut"), "broke off", true},
           Case{server.Url("/half"), "broke off", true},
           Case{server.Url("/head"), "broke off", true},
           Case{server.Url("/garbage"), "broke off", false},
           Case{server.Url("/hang"), "too long", true},
           Case{fmt::format("http://127.0.0.1:{}/", UnusedPort()), "no connection", true},
       }) {
    HttpRequest request = Get(c.url + "?token=hush");
    request.timeout = std::chrono::milliseconds(300);
    const auto response = Send(request);
    EXPECT_THAT(response, FailsWith(kFailed, AllOf(HasSubstr(c.says), Not(HasSubstr("hush")))));
    EXPECT_EQ(IsTransient(response.status()), c.transient) << c.url;
  }
  EXPECT_THAT(
      Send(Get("http://nobody.example/"),
           {.resolver = [](const std::string&, int) { return std::vector<std::string>(); }}),
      FailsWith(kFailed, _));
}

TEST(HttpClient, GivesUpOnAServerThatCrawls) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) {
    reply.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    while (reply.Send("x")) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    reply.Cut();
  });
  HttpRequest request = Get(server.Url("/"));
  request.low_speed_bytes = 1000;
  request.low_speed_time = std::chrono::seconds(1);
  const auto response = Send(request);
  EXPECT_THAT(response, FailsWith(kFailed, HasSubstr("too long")));
  EXPECT_TRUE(IsTransient(response.status()));
}

TEST(HttpClient, StopsWhenCancelledOrLate) {
  std::stop_source stop;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    stop.request_stop();
    reply.Hang();
  });
  HttpClient client({});
  EXPECT_THAT(client.Send(Get(server.Url("/")), kFailed, CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, _));
  const CancelToken late({}, CancelToken::Clock::now() + std::chrono::milliseconds(100));
  EXPECT_THAT(client.Send(Get(server.Url("/")), kFailed, late),
              FailsWith(Reason::kDeadlineExceeded, _));
}

TEST(HttpClient, ChecksTheAddressOfTheSocketThatItOpens) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(200, "secret"); });
  // The URL names no address; that the name means 127.0.0.1 shows when the socket is opened.
  const std::string url = server.Url("/", "rebound.example");
  const std::string port_only = fmt::format("192.0.2.1:{}", server.port());
  EXPECT_THAT(Send(Get(url), {.policy = Allowing({port_only}), .resolver = Always("127.0.0.1")}),
              FailsWith(Reason::kUrlNotAllowed, HasSubstr("resolves to 127.0.0.1")));
  EXPECT_TRUE(server.requests().empty());
  EXPECT_THAT(
      Send(Get(url), {.policy = Allowing({"127.0.0.1:*"}), .resolver = Always("127.0.0.1")}),
      IsOk());
}

TEST(HttpClient, AsksTheResolverAnewForEachConnection) {
  HttpServer good(
      [](const ServerRequest&, ServerReply& reply) {
        reply.Answer(200, "x", {"Connection: close"});
        reply.Cut();
      },
      {.address = "127.0.0.2"});
  int asked = 0;
  HttpClient client({.policy = Allowing({"127.0.0.2:*"}), .resolver = [&](const std::string&, int) {
                       return std::vector<std::string>{++asked == 1 ? "127.0.0.2" : "127.0.0.1"};
                     }});
  const HttpRequest request = Get(good.Url("/", "rebound.example"));
  EXPECT_THAT(client.Send(request, kFailed, CancelToken()), IsOk());
  EXPECT_THAT(client.Send(request, kFailed, CancelToken()),
              FailsWith(Reason::kUrlNotAllowed, HasSubstr("127.0.0.1")));
}

TEST(HttpClient, SpeaksHttpOnly) {
  for (const char* url : {"ftp://127.0.0.1/", "gopher://127.0.0.1/", "ldap://127.0.0.1/"}) {
    EXPECT_THAT(Send(Get(url)), FailsWith(Reason::kUrlNotAllowed, HasSubstr("only http"))) << url;
  }
}

TEST(HttpClient, IgnoresProxiesOfTheEnvironment) {
  HttpServer server([](const ServerRequest&, ServerReply& reply) { reply.Answer(200, "direct"); });
  const std::string proxy = fmt::format("http://127.0.0.1:{}", UnusedPort());
  for (const char* name : {"http_proxy", "all_proxy"}) setenv(name, proxy.c_str(), 1);
  const auto direct = Send(Get(server.Url("/")));
  for (const char* name : {"http_proxy", "all_proxy"}) unsetenv(name);
  EXPECT_THAT(direct, IsOk());
  EXPECT_THAT(Send(Get(server.Url("/")), {.proxy = proxy}), FailsWith(kFailed, _));
  EXPECT_THAT(Send(Get(server.Url("/")), {.policy = Allowing({}), .proxy = proxy}),
              FailsWith(Reason::kInvalidOption, _));
}

TEST(HttpClient, TrustsTheNamedAuthorityOnly) {
  const std::string pem = MakeTestCertificate("tls.example");
  const HttpServer server(
      [](const ServerRequest&, ServerReply& reply) { reply.Answer(200, "tls"); },
      {.certificate = pem});
  const TempFolder folder;
  const std::string ca = folder.Write("ca.pem", pem).string();
  const HttpRequest request = Get(server.Url("/", "tls.example"));
  const auto response = Send(request, {.ca_file = ca, .resolver = Always("127.0.0.1")});
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->body, "tls");
  const auto stranger = Send(request, {.resolver = Always("127.0.0.1")});
  EXPECT_THAT(stranger, FailsWith(kFailed, HasSubstr("certificate")));
  EXPECT_FALSE(IsTransient(stranger.status()));
  EXPECT_FALSE(
      Send(Get(server.Url("/", "other.example")), {.ca_file = ca, .resolver = Always("127.0.0.1")})
          .ok())
      << "the certificate is for another name";
}

}  // namespace
}  // namespace glint
