// SPDX-License-Identifier: Apache-2.0
// Planted secrets, through the real logger.
#include "observe/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <vector>

#include "observe/redact.h"

namespace glint {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class LogTest : public testing::Test {
 protected:
  std::shared_ptr<spdlog::logger> Logger(LogFormat format) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(out_);
    auto logger = std::make_shared<spdlog::logger>("test", std::move(sink));
    logger->set_formatter(MakeLogFormatter(format, "\n"));
    return logger;
  }
  /// The line that a message becomes.
  std::string Logged(const std::string& message, LogFormat format = LogFormat::kText) {
    out_.str("");
    Logger(format)->warn(message);
    return out_.str();
  }
  std::ostringstream out_;
};

struct Planted {
  const char* message;
  const char* secret;   ///< must not appear
  const char* remains;  ///< must appear
};

class PlantedSecrets : public LogTest, public testing::WithParamInterface<Planted> {};

TEST_P(PlantedSecrets, DoNotReachTheLog) {
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line = Logged(GetParam().message, format);
    EXPECT_THAT(line, Not(HasSubstr(GetParam().secret)));
    EXPECT_THAT(line, HasSubstr("[redacted]"));
    EXPECT_THAT(line, HasSubstr(GetParam().remains));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, PlantedSecrets,
    testing::Values(
        Planted{"sent Authorization: Bearer abc.def-123", "abc.def", "sent Authorization"},
        Planted{"authorization=Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "authorization"},
        Planted{"Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20240101/us, "
                "SignedHeaders=host, Signature=fe5f80f77d5fa3beca",
                "fe5f80f77d5fa3beca", "Authorization"},
        Planted{R"({"authorization": "Bearer abcdefgh", "next": 1})", "abcdefgh", "next"},
        Planted{"Cookie: session=qwertz; other=1", "qwertz", "Cookie"},
        Planted{"header apikey: 0123456789abcdef was refused", "0123456789abcdef", "was refused"},
        Planted{"X-Api-Key=0123456789abcdef", "0123456789abcdef", "X-Api-Key"},
        Planted{"the caller's bearer aGVsbG8gd29ybGQ is unknown", "aGVsbG8gd29ybGQ", "is unknown"},
        Planted{"key sb_secret_Zk3-qT_9 refused", "Zk3-qT_9", "refused"},
        Planted{"key sb_publishable_Zk3qT9 refused", "Zk3qT9", "refused"},
        Planted{"token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.SflKxwRJ_SMeK-KF2QT4", "SflKxwRJ",
                "token"},
        Planted{"x=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.SflKxwRJ end", "eyJzdWIiOiIxIn0", " end"},
        Planted{"fetching https://user:pa55word@host/v.mp4 now", "pa55word", "host/v.mp4 now"},
        Planted{"fetching https://user:p@ss@host/v.mp4", "p@ss", "host/v.mp4"},
        Planted{"fetching 'https://host/v.mp4?X-Amz-Signature=0f3e&x=1' failed", "0f3e",
                "https://host/v.mp4?"},
        Planted{"https://host/v.mp4?a=quo'ted&b=hidden", "hidden", "https://host/v.mp4"},
        Planted{"https://host/v.mp4#fragment", "fragment", "https://host/v.mp4"},
        Planted{"HTTPS://HOST/v?tok=en1234", "en1234", "HTTPS://HOST/v"},
        Planted{"s3://bucket/key?versionId=secretversion", "secretversion", "s3://bucket/key"},
        Planted{"retrying /object/sign/x?token=abcdef123", "abcdef123", "/object/sign/x"},
        Planted{"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI", "AWS_SECRET"},
        Planted{R"({"password": "hunter2hunter2"})", "hunter2", "password"},
        Planted{R"({"client_secret":"abc123def"})", "abc123def", "client_secret"},
        Planted{"id AKIAIOSFODNN7EXAMPLE is not known", "AKIAIOSFODNN7EXAMPLE", "is not known"},
        Planted{"azure sig=Zm9vYmFyYmF6&se=2024", "Zm9vYmFyYmF6", "azure"},
        Planted{"two lines\nAuthorization: Bearer tokenvalue", "tokenvalue", "two lines"}));

TEST_F(LogTest, RegisteredSecretsAreHiddenWhereverTheyStand) {
  RegisterSecret("correct-horse");
  RegisterSecret("correct-horse-battery");
  EXPECT_THAT(Logged("wrapped<correct-horse-battery>twice:correct-horse"),
              EndsWith("wrapped<[redacted]>twice:[redacted]\n"));
}

TEST_F(LogTest, ShortValuesAreNotSecrets) {
  RegisterSecret("");
  RegisterSecret("is");
  EXPECT_THAT(Logged("this is text"), EndsWith("this is text\n"));
}

TEST_F(LogTest, OrdinaryTextIsLeftAlone) {
  for (const char* text :
       {"scan finished: 120 frames in 3.2 s, 4 regions", "https://host/a/b.mp4 has 10 bytes",
        "a token: it may have been replaced", "tokens: 3 of them need 16 bytes",
        "password: none was given", "bearer certificates are not known",
        "a bearer token is missing", "'regions/spine_mask.png' is stored", "key: a/b.png"}) {
    EXPECT_THAT(Logged(text), EndsWith(std::string(text) + "\n"));
  }
}

TEST(WithoutPlaces, LeavesNeitherFoldersNorInnerAddresses) {
  for (const auto& [text, shown] : std::vector<std::pair<std::string, std::string>>{
           {"'/var/lib/glint/downloads/17/video' is no video", "'video' is no video"},
           {"jobs in /srv/state/jobs.sqlite: no space", "jobs in jobs.sqlite: no space"},
           {"'name' resolves to 10.9.8.7, which is private",
            "'name' resolves to [inner address], which is private"},
           {"http://127.0.0.1:8080/a does not exist", "http://127.0.0.1:8080/a does not exist"},
           {"192.168.1.20 and 169.254.169.254", "[inner address] and [inner address]"},
           {"https://media.example/a/b.mp4 has 10 bytes",
            "https://media.example/a/b.mp4 has 10 bytes"},
           {"video/mp4, 30/1 and a / b", "video/mp4, 30/1 and a / b"},
           {"version 1.10.2 of 172.15.0.1", "version 1.10.2 of 172.15.0.1"}}) {
    EXPECT_EQ(WithoutPlaces(text), shown);
  }
}

TEST(WithoutPlaces, NamesNoStore) {
  const auto shown = [](std::string_view text) { return WithoutPlaces(text, "minio.internal"); };
  EXPECT_EQ(shown("cannot store s3://b/a/mask.png: https://minio.internal:9000/b/a/mask.png: there "
                  "is no connection (Failed to connect to minio.internal port 9000 after 2 ms)"),
            "cannot store s3://b/a/mask.png: the store: there is no connection (Failed to connect "
            "to the store after 2 ms)");
  EXPECT_EQ(shown("https://b.minio.internal/a?x: the name does not resolve (Could not resolve "
                  "host: b.minio.internal)"),
            "the store: the name does not resolve (Could not resolve host: the store)");
  EXPECT_EQ(shown("minio.internal: HTTP 503"), "the store: HTTP 503");
  EXPECT_EQ(shown("https://media.example/a.mp4 ends early"),
            "https://media.example/a.mp4 ends early");
  EXPECT_EQ(WithoutPlaces("cannot store s3://s3/s3.png", "s3"), "cannot store s3://s3/s3.png");
  EXPECT_EQ(WithoutPlaces("http://[fd00::7]:9000/b/a: broke off", "fd00::7"),
            "the store: broke off");
}

TEST_F(LogTest, TextLinesHaveTimeLevelAndScan) {
  EXPECT_THAT(Logged("hello"),
              MatchesRegex("[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\\.[0-9]+ warning hello\n"));
  const ScopedLogScan scan("scan-1");
  EXPECT_THAT(Logged("hello"), EndsWith("warning [scan-1] hello\n"));
}

TEST_F(LogTest, JsonLinesAreWholeObjects) {
  const ScopedLogScan scan("scan-1");
  const auto line = nlohmann::json::parse(Logged("say \"hi\"\nthere \xff", LogFormat::kJson));
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["scan_id"], "scan-1");
  EXPECT_EQ(line["message"], "say \"hi\"\nthere \xef\xbf\xbd");
  EXPECT_THAT(line["time"].get<std::string>(), MatchesRegex("20[0-9-]+T[0-9:]+\\.[0-9]+Z"));
}

TEST_F(LogTest, LinesOfAScanNameTheTraceThatItIsAPartOf) {
  const ScopedLogScan scan("scan-1", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  EXPECT_THAT(Logged("hello"),
              EndsWith("warning [scan-1 trace 4bf92f3577b34da6a3ce929d0e0e4736] hello\n"));
  EXPECT_EQ(nlohmann::json::parse(Logged("hello", LogFormat::kJson))["trace_id"],
            "4bf92f3577b34da6a3ce929d0e0e4736");
  const ScopedLogScan untraced("scan-2");
  EXPECT_THAT(Logged("hello"), EndsWith("warning [scan-2] hello\n"));
}

TEST_F(LogTest, AMessageIsOneLine) {
  EXPECT_THAT(Logged("first\nsecond\r\x1b[31mred"), EndsWith("first\\nsecond\\x0d\\x1b[31mred\n"));
  const std::string json = Logged("first\nsecond", LogFormat::kJson);
  EXPECT_EQ(std::ranges::count(json, '\n'), 1);
}

TEST_F(LogTest, ScansNestAndBelongToTheirThread) {
  const ScopedLogScan outer("outer");
  {
    const ScopedLogScan inner("inner");
    EXPECT_THAT(Logged("x"), HasSubstr("[inner]"));
    std::jthread([this] { EXPECT_THAT(Logged("x"), Not(HasSubstr("inner"))); }).join();
  }
  EXPECT_THAT(Logged("x"), HasSubstr("[outer]"));
}

TEST_F(LogTest, ManyThreadsMayLogAndRegister) {
  const auto logger = Logger(LogFormat::kJson);
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const std::string secret = "threadsecret" + std::to_string(t);
        RegisterSecret(secret);
        for (int i = 0; i < 50; ++i) logger->info("{} https://h/?{}", secret, secret);
      });
    }
  }
  EXPECT_THAT(out_.str(), Not(HasSubstr("threadsecret")));
}

}  // namespace
}  // namespace glint
