// SPDX-License-Identifier: Apache-2.0
// Downloads from a server that misbehaves in every way that one can.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "fetch/fetch_test_support.h"
#include "support/fake_clock.h"
#include "support/http_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::_;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class DownloadTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(FilesIn(folder_.path() / "work"), 0); }

  const TempFolder folder_;
  UrlFetchOptions options_ = LoopbackOptions(folder_);
  const std::string video_ = FakeVideo(200'000);
};

/// Where a Range request begins; 0 without one.
std::size_t RangeBegin(const ServerRequest& request) {
  const std::string range = request.Header("range");
  return range.empty() ? 0 : std::strtoull(range.c_str() + 6, nullptr, 10);
}

std::string PartHead(std::size_t begin, const std::string& whole, const std::string& tag) {
  return fmt::format(
      "HTTP/1.1 206 Partial\r\nContent-Length: {}\r\nContent-Range: bytes {}-{}/{}\r\nETag: "
      "{}\r\n\r\n",
      whole.size() - begin, begin, whole.size() - 1, whole.size(), tag);
}

TEST_F(DownloadTest, GivesTheFileAndReportsProgress) {
  HttpServer server([&](const ServerRequest&, ServerReply& reply) { reply.Answer(200, video_); });
  const auto fetcher = MakeInputFetcher(options_);
  ASSERT_THAT(fetcher, IsOk());
  std::int64_t last = 0;
  std::int64_t of = 0;
  const auto file = (*fetcher)->Fetch(
      server.Url("/a.mp4?sig=x"),
      [&](std::int64_t bytes, std::int64_t bytes_of) {
        EXPECT_GT(bytes, last);
        last = bytes;
        of = bytes_of;
      },
      CancelToken());
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(ContentOf((*file)->path()), video_);
  EXPECT_EQ(last, std::ssize(video_));
  EXPECT_EQ(of, std::ssize(video_));
  const ServerRequest request = server.requests().at(0);
  EXPECT_EQ(request.target, "/a.mp4?sig=x");
  EXPECT_EQ(request.Header("accept-encoding"), "identity");
}

TEST_F(DownloadTest, LeavesLocalFilesToTheFileFetcher) {
  options_.work_folder.clear();  // the system's, where nothing appears without a download
  const auto fetcher = MakeInputFetcher(options_);
  ASSERT_THAT(fetcher, IsOk());
  const auto path = folder_.Write("http:", "x");
  EXPECT_THAT((*fetcher)->Fetch(path.string(), {}, CancelToken()), IsOk());
}

TEST_F(DownloadTest, ANewFetcherDeletesWhatADeadOneLeft) {
  const auto place = options_.work_folder / fmt::format("glint-downloads-{}", geteuid());
  std::filesystem::create_directories(place);
  std::filesystem::permissions(place, std::filesystem::perms::owner_all);
  std::ofstream(place / "glint-download-0123456789abcdef") << "half a video";
  const auto fetcher = MakeInputFetcher(options_);
  ASSERT_THAT(fetcher, IsOk());
  EXPECT_TRUE(std::filesystem::is_empty(place));
}

TEST_F(DownloadTest, TakesBodiesOfUnannouncedLength) {
  HttpServer server([&](const ServerRequest& request, ServerReply& reply) {
    if (request.target == "/chunked") {
      reply.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      reply.Send(fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", video_.size(), video_));
    } else {
      reply.Send("HTTP/1.0 200 OK\r\n\r\n" + video_);
      reply.Cut();
    }
  });
  for (const char* target : {"/chunked", "/until-close"}) {
    const auto got = Fetched(server.Url(target), options_);
    ASSERT_THAT(got, IsOk()) << target;
    EXPECT_EQ(*got, video_);
  }
}

TEST_F(DownloadTest, ResumesAfterEachCut) {
  HttpServer server([&](const ServerRequest& request, ServerReply& reply) {
    const std::size_t begin = RangeBegin(request);
    if (begin == 0) {
      reply.Send(fmt::format("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: {}\r\n\r\n",
                             video_.size()));
    } else {
      EXPECT_EQ(request.Header("if-range"), "\"v1\"");
      reply.Send(PartHead(begin, video_, "\"v1\""));
    }
    reply.Send(video_.substr(begin, 30'000));
    reply.Cut();
  });
  const auto got = Fetched(server.Url("/"), options_);
  ASSERT_THAT(got, IsOk());
  EXPECT_EQ(*got, video_);
  EXPECT_EQ(server.requests().size(), (video_.size() + 29'999) / 30'000);
}

TEST_F(DownloadTest, StartsOverWhereTheRestCannotBeTrusted) {
  struct Case {
    const char* name;
    std::string first_headers;
    std::function<void(std::size_t begin, ServerReply& reply)> again;
  };
  const std::string other = FakeVideo(200'000) + "changed";
  const std::vector<Case> cases = {
      {"no validator: no Range is asked for", "", [](std::size_t, ServerReply&) { FAIL(); }},
      {"weak validator", "ETag: W/\"v1\"\r\n", [](std::size_t, ServerReply&) { FAIL(); }},
      {"range ignored", "ETag: \"v1\"\r\n",
       [&](std::size_t, ServerReply& reply) { reply.Answer(200, video_); }},
      {"another begin", "ETag: \"v1\"\r\n",
       [&](std::size_t begin, ServerReply& reply) {
         reply.Send(PartHead(begin - 1, video_, "\"v1\"") + video_.substr(begin - 1));
       }},
      {"another tag", "ETag: \"v1\"\r\n",
       [&](std::size_t begin, ServerReply& reply) {
         reply.Send(PartHead(begin, video_, "\"v2\"") + video_.substr(begin));
       }},
      {"another size", "ETag: \"v1\"\r\n",
       [&](std::size_t begin, ServerReply& reply) {
         reply.Send(PartHead(begin, other, "\"v1\"") + other.substr(begin));
       }},
      {"no Content-Range", "ETag: \"v1\"\r\n",
       [&](std::size_t begin, ServerReply& reply) {
         reply.Answer(206, video_.substr(begin), {"ETag: \"v1\""});
       }},
      {"range refused", "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT\r\n",
       [](std::size_t, ServerReply& reply) { reply.Answer(416, ""); }},
  };
  for (const Case& c : cases) {
    std::atomic<int> count = 0;
    HttpServer server([&](const ServerRequest& request, ServerReply& reply) {
      if (const std::size_t begin = RangeBegin(request); begin > 0) return c.again(begin, reply);
      if (++count > 1) return reply.Answer(200, video_);
      reply.Send(fmt::format("HTTP/1.1 200 OK\r\n{}Content-Length: {}\r\n\r\n{}", c.first_headers,
                             video_.size(), video_.substr(0, 50'000)));
      reply.Cut();
    });
    const auto got = Fetched(server.Url("/"), options_);
    ASSERT_THAT(got, IsOk()) << c.name;
    EXPECT_EQ(*got, video_) << c.name;
  }
}

TEST_F(DownloadTest, TriesAgainWhatMayPassAndNothingElse) {
  struct Case {
    int status;
    Reason reason;
    std::size_t requests;
  };
  for (const Case& c : {
           Case{404, Reason::kInputNotFound, 1},
           Case{410, Reason::kInputNotFound, 1},
           Case{401, Reason::kInputUnreadable, 1},
           Case{403, Reason::kInputUnreadable, 1},
           Case{400, Reason::kDownloadFailed, 1},
           Case{418, Reason::kDownloadFailed, 1},
           Case{204, Reason::kDownloadFailed, 1},
           Case{300, Reason::kDownloadFailed, 1},
           Case{500, Reason::kDownloadFailed, 5},
           Case{503, Reason::kDownloadFailed, 5},
           Case{429, Reason::kDownloadFailed, 5},
       }) {
    HttpServer server(
        [&](const ServerRequest&, ServerReply& reply) { reply.Answer(c.status, "x"); });
    EXPECT_THAT(
        Fetched(server.Url("/a?sig=hush"), options_),
        FailsWith(c.reason, AllOf(HasSubstr(std::to_string(c.status)), Not(HasSubstr("hush")))))
        << c.status;
    EXPECT_EQ(server.requests().size(), c.requests) << c.status;
  }
}

TEST_F(DownloadTest, SurvivesAServerThatIsSickForAWhile) {
  std::atomic<int> count = 0;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    const int now = ++count;
    if (now == 1) return reply.Answer(503, "", {"Retry-After: 0"});
    if (now == 2) return reply.Cut();
    if (now == 3) return reply.Answer(500, "");
    reply.Answer(200, video_);
  });
  FakeClock clock;
  options_.timeout = std::chrono::minutes(10);
  options_.first_wait = std::chrono::seconds(8);
  EXPECT_THAT(Fetched(server.Url("/"), options_, {}, clock), IsOk());
  const auto sleeps = clock.sleeps();
  ASSERT_EQ(sleeps.size(), 3U);
  EXPECT_GE(sleeps[2], std::chrono::seconds(15)) << "doubled, at most halved by chance";
}

TEST_F(DownloadTest, EndsEndlessBodies) {
  options_.max_bytes = 300'000;
  HttpServer server([&](const ServerRequest& request, ServerReply& reply) {
    if (request.target == "/declared") {
      reply.Send("HTTP/1.1 200 OK\r\nContent-Length: 300001\r\n\r\n");
    } else {
      reply.Send("HTTP/1.1 200 OK\r\n\r\n");
    }
    while (reply.Send(video_)) {
    }
    reply.Cut();
  });
  EXPECT_THAT(Fetched(server.Url("/declared"), options_),
              FailsWith(Reason::kLimitExceeded, HasSubstr("300001")));
  EXPECT_THAT(Fetched(server.Url("/streamed"), options_),
              FailsWith(Reason::kLimitExceeded, HasSubstr("300000")));
}

TEST_F(DownloadTest, EndsSlowBodies) {
  options_.low_speed_bytes = 5000;
  options_.low_speed_time = std::chrono::seconds(1);
  options_.attempts = 1;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    reply.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + FakeVideo(600));
    while (reply.Send("x")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    reply.Cut();
  });
  // Which of the two limits sees it first depends on the machine: the one on an exchange ("too
  // long") or, after twice the time, the one on the whole download ("too slowly").
  EXPECT_THAT(
      Fetched(server.Url("/"), options_),
      FailsWith(Reason::kDownloadFailed, AnyOf(HasSubstr("too long"), HasSubstr("too slowly"))));
}

TEST_F(DownloadTest, SaysHowMuchHadComeWhenItsTimeWasOver) {
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    reply.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + FakeVideo(6'000));
    while (reply.Send("x")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  options_.timeout = std::chrono::milliseconds(700);
  options_.first_wait = std::chrono::milliseconds(250);
  EXPECT_THAT(Fetched(server.Url("/"), options_),
              FailsWith(Reason::kDownloadFailed, HasSubstr("given up with 6")));
  EXPECT_EQ(server.requests().size(), 1U) << "what has come is not thrown away for another try";
}

TEST_F(DownloadTest, EndsWhatGetsOnForEver) {
  options_.timeout = std::chrono::milliseconds(700);
  HttpServer server([&](const ServerRequest& request, ServerReply& reply) {
    if (request.target == "/hang") return reply.Hang();
    reply.Send("HTTP/1.1 200 OK\r\nETag: \"v\"\r\n\r\n" + FakeVideo(600));
    while (reply.Send(std::string(1000, 'x'))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    reply.Cut();
  });
  for (const char* target : {"/hang", "/crawl"}) {
    EXPECT_THAT(Fetched(server.Url(target), options_),
                FailsWith(Reason::kDownloadFailed, HasSubstr("given up")))
        << target;
  }
}

TEST_F(DownloadTest, DoesNotTakeHalfAFileForAWhole) {
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    reply.Send(
        fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", video_.size() + 1, video_));
    reply.Cut();
  });
  EXPECT_THAT(Fetched(server.Url("/"), options_),
              FailsWith(Reason::kDownloadFailed, HasSubstr("given up")));
}

TEST_F(DownloadTest, NeverUnpacks) {
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    reply.Answer(200, "\x1f\x8b a bomb", {"Content-Encoding: gzip"});
  });
  EXPECT_THAT(Fetched(server.Url("/"), options_),
              FailsWith(Reason::kDownloadFailed, HasSubstr("Content-Encoding")));
}

TEST_F(DownloadTest, SaysWhatCameInsteadOfAVideo) {
  const std::string filler(5000, 'x');
  for (const auto& [body, says] : std::vector<std::pair<std::string, std::string>>{
           {"<!DOCTYPE html><title>Sign in</title>" + filler, "HTML page"},
           {"{\"statusCode\":\"404\"}", "JSON"},
           {"#EXTM3U\nhttp://127.0.0.1/secret", "HLS playlist"},
           {"ffconcat version 1.0\nfile /etc/passwd", "concat playlist"},
           {"", "empty file"},
       }) {
    const std::string& answer = body;
    HttpServer server([&](const ServerRequest&, ServerReply& reply) { reply.Answer(200, answer); });
    EXPECT_THAT(Fetched(server.Url("/"), options_), FailsWith(Reason::kNotAVideo, HasSubstr(says)));
  }
}

TEST_F(DownloadTest, HonoursTheQuotaOfTheFolder) {
  options_.work_bytes = 300'000;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) { reply.Answer(200, video_); });
  const auto fetcher = MakeUrlFetcher(options_);
  ASSERT_THAT(fetcher, IsOk());
  {
    const auto first = (*fetcher)->Fetch(server.Url("/"), {}, CancelToken());
    ASSERT_THAT(first, IsOk());
    EXPECT_THAT((*fetcher)->Fetch(server.Url("/"), {}, CancelToken()),
                FailsWith(Reason::kDiskFull, _));
  }
  EXPECT_THAT((*fetcher)->Fetch(server.Url("/"), {}, CancelToken()), IsOk());
}

TEST_F(DownloadTest, StopsWhenCancelledInTheMiddle) {
  std::stop_source stop;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    reply.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + video_);
    stop.request_stop();
    reply.Hang();
  });
  EXPECT_THAT(Fetched(server.Url("/"), options_, CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, _));
}

TEST_F(DownloadTest, ServesManyAtOnce) {
  HttpServer server([&](const ServerRequest& request, ServerReply& reply) {
    reply.Answer(200, video_ + request.target);
  });
  const auto fetcher = MakeUrlFetcher(options_);
  ASSERT_THAT(fetcher, IsOk());
  std::vector<std::jthread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const std::string target = fmt::format("/{}", i);
      const auto file = (*fetcher)->Fetch(server.Url(target), {}, CancelToken());
      EXPECT_THAT(file, IsOk());
      EXPECT_EQ(file.ok() ? ContentOf((*file)->path()) : "", video_ + target);
    });
  }
}

}  // namespace
}  // namespace glint
