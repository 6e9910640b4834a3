// SPDX-License-Identifier: Apache-2.0
// The program with inputs and outputs on the network.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/clips.h"
#include "cli/program.h"
#include "store/s3_test_support.h"
#include "support/http_server.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string CardVideo() {
  const TempFolder folder;
  WriteCardVideo(folder.path() / "card.mp4", {.size = {160, 120}, .frames = 12});
  std::ostringstream content;
  content << std::ifstream(folder.path() / "card.mp4", std::ios::binary).rdbuf();
  return content.str();
}

class NetworkProgram : public testing::Test {
 protected:
  Ended Run(const std::vector<std::string>& arguments) {
    return RunProgram(arguments, {.folder = folder_.path()});
  }

  const TempFolder folder_;
  const std::string video_ = CardVideo();
  HttpServer server_{[this](const ServerRequest& request, ServerReply& reply) {
    if (request.target.starts_with("/page")) return reply.Answer(200, "<html>");
    reply.Answer(200, video_, {"Content-Type: video/mp4"});
  }};
};

TEST_F(NetworkProgram, ScansAUrlAndShowsNoSecretOfIt) {
  const std::string url = server_.Url("/clips/My%20Card.mp4?token=hush");
  const Ended ended = Run({"scan", url, "--allow-source", "127.0.0.1:*", "--work-dir", "work",
                           "--log-level", "trace", "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out + ended.err,
              AllOf(HasSubstr("/clips/My%20Card.mp4"), Not(HasSubstr("hush"))));
  EXPECT_THAT(ended.out, HasSubstr(fmt::format("\"bytes\":{}", video_.size())));
  EXPECT_TRUE(FilesBelow(folder_.path() / "glint-out").contains("My_20Card/report.json"));
  for (const std::string& left : FilesBelow(folder_.path() / "work")) {
    EXPECT_EQ(left.find('/'), std::string::npos) << "a download was left: " << left;
  }
  for (const char* file : {"report.json", "report.html", "timing.json"}) {
    std::ostringstream content;
    content << std::ifstream(folder_.path() / "glint-out" / "My_20Card" / file).rdbuf();
    EXPECT_THAT(content.str(), Not(HasSubstr("hush"))) << file;
  }
}

TEST_F(NetworkProgram, RefusesInternalAddressesUnlessTheyAreAllowed) {
  const Ended ended = Run({"scan", server_.Url("/card.mp4")});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_THAT(ended.err, HasSubstr("loopback"));
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(NetworkProgram, ResumesABatchOfUrls) {
  const std::vector<std::string> batch = {"scan",
                                          server_.Url("/a.mp4?token=hush"),
                                          server_.Url("/b.mp4"),
                                          "--allow-source",
                                          "127.0.0.1:*",
                                          "--out",
                                          "results"};
  EXPECT_EQ(Run(batch).exit_code, 0);
  const Ended again = Run(batch);
  EXPECT_THAT(again.out, AllOf(HasSubstr("a: skipped"), HasSubstr("b: skipped")));
  std::ostringstream record;
  record << std::ifstream(folder_.path() / "results" / "batch.jsonl").rdbuf();
  EXPECT_THAT(record.str(), Not(HasSubstr("hush")));
}

TEST_F(NetworkProgram, DoctorExplainsAUrl) {
  const Ended good = Run(
      {"doctor", "--url", server_.Url("/card.mp4?token=hush"), "--allow-source", "127.0.0.1:*"});
  EXPECT_EQ(good.exit_code, 0) << good.out;
  EXPECT_THAT(good.out,
              AllOf(HasSubstr("may be a video"), HasSubstr("video/mp4"), Not(HasSubstr("hush"))));
  const Ended page =
      Run({"doctor", "--url", server_.Url("/page"), "--allow-source", "127.0.0.1:*"});
  EXPECT_EQ(page.exit_code, 4);
  EXPECT_THAT(page.out, HasSubstr("HTML page"));
  const Ended refused = Run({"doctor", "--url", "http://169.254.169.254/", "--json"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(json::parse(refused.out)["url"].back()["message"].get<std::string>(),
              HasSubstr("metadata"));
}

TEST_F(NetworkProgram, StoresInS3) {
  S3Server* s3 = S3Server::Get();
  if (s3 == nullptr) GTEST_SKIP() << "Ceph's radosgw is not installed";
  MakeBucketOn(*s3, "glint-cli");
  for (const auto& [name, value] : s3->environment()) setenv(name.c_str(), value.c_str(), 1);
  WriteCardVideo(folder_.path() / "card.mp4", {.size = {160, 120}, .frames = 12});
  const Ended scanned =
      Run({"scan", "card.mp4", "--out", "s3://glint-cli/scan-1", "--store-keys", "legacy"});
  EXPECT_EQ(scanned.exit_code, 0) << scanned.err;
  EXPECT_THAT(scanned.out, HasSubstr("s3://glint-cli/scan-1/analysis/report.html"));
  S3Options options = TestS3Options(s3->endpoint(), CredentialsOf(*s3));
  options.bucket = "glint-cli";
  const auto bucket = MakeS3Bucket(std::move(options));
  for (const char* key : {"scan-1/analysis/report.json", "scan-1/frames/golden_01.png"}) {
    EXPECT_TRUE(bucket->Exists(key, CancelToken()).value_or(false)) << key;
  }
  EXPECT_EQ(Run({"doctor", "--out", "s3://glint-cli/x"}).exit_code, 0);
  setenv("AWS_SECRET_ACCESS_KEY", "hush", 1);
  const Ended denied = Run({"doctor", "--out", "s3://glint-cli/x"});
  for (const auto& [name, value] : s3->environment()) unsetenv(name.c_str());
  EXPECT_EQ(denied.exit_code, 6);
  EXPECT_THAT(denied.out, AllOf(HasSubstr("SignatureDoesNotMatch"), Not(HasSubstr("hush"))));
  const Ended missing = Run({"scan", "card.mp4", "--out", "s3://glint-cli/x"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("AWS_ACCESS_KEY_ID"));
}

}  // namespace
}  // namespace glint
