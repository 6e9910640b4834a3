// SPDX-License-Identifier: Apache-2.0
// Objects that go up in parts: on Ceph's object gateway, and on a server that fails in between.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

#include "glint/object_store.h"
#include "store/bucket_store.h"
#include "store/s3_test_support.h"
#include "store/store_test_support.h"
#include "support/http_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kLargestAtOnce = std::size_t{64} << 20;
constexpr std::size_t kPartBytes = std::size_t{16} << 20;

std::string Noise(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525U + 1013904223U) >> 24);
  return text;
}

/// As much of S3 as uploads in parts need; can be told to fail.
class PartsServer {
 public:
  std::unique_ptr<Bucket> MakeBucket() {
    return MakeS3Bucket(TestS3Options(server_.Url(""), {"KEY", "hush", ""}));
  }

  int refused_part = 0;          ///< this one is denied
  bool forgets_once = false;     ///< the first upload is gone when it is completed
  bool hides_a_failure = false;  ///< a completion answers 200 with an error, once
  int lists_with = 200;          ///< the status of a list of uploads
  std::atomic<int> begun = 0;
  int most_at_once = 0;
  std::map<std::string, std::string> objects;
  std::map<std::string, std::map<int, std::string>> uploads;

 private:
  static std::string Field(const std::string& target, const std::string& name) {
    const std::size_t at = target.find(name + "=");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 1;
    return target.substr(begin, target.find('&', begin) - begin);
  }

  void Answer(const ServerRequest& request, ServerReply& reply) {
    const std::string key = request.target.substr(0, request.target.find('?'));
    const std::string id = Field(request.target, "uploadId");
    if (request.method == "PUT" && !id.empty()) return TakePart(request, reply, id);
    const std::scoped_lock lock(mutex_);
    if (request.method == "PUT") {
      objects[key] = request.body;
      return reply.Answer(200, "");
    }
    if (request.method == "GET") return List(reply);
    if (id.empty()) {
      const std::string made = fmt::format("{}/+&", ++begun);
      uploads[made] = {};
      return reply.Answer(200,
                          "<UploadId>" + fmt::format("{}/+&amp;", begun.load()) + "</UploadId>");
    }
    const auto upload = uploads.find(Decoded(id));
    if (upload == uploads.end() || std::exchange(forgets_once, false)) {
      return reply.Answer(404, "<Error><Code>NoSuchUpload</Code></Error>");
    }
    if (request.method == "POST" && std::exchange(hides_a_failure, false)) {
      return reply.Answer(200, "<Error><Code>InternalError</Code></Error>",
                          {"Content-Type: application/xml"});
    }
    if (request.method == "POST") {
      std::string whole;
      for (const auto& [number, part] : upload->second) {
        EXPECT_THAT(request.body, HasSubstr(fmt::format("<PartNumber>{}</PartNumber><ETag>\"{}\"",
                                                        number, part.size())));
        whole += part;
      }
      objects[key] = whole;
    }
    uploads.erase(upload);
    reply.Answer(request.method == "POST" ? 200 : 204, "");
  }

  void TakePart(const ServerRequest& request, ServerReply& reply, const std::string& id) {
    const int number = std::stoi(Field(request.target, "partNumber"));
    std::unique_lock lock(mutex_);
    most_at_once = std::max(most_at_once, ++under_way_);
    came_.notify_all();
    // The first part stays until another comes, however slowly: only a client that sends one after
    // the other lets it wait in vain.
    came_.wait_for(lock, std::chrono::seconds(60), [this] { return most_at_once > 1; });
    // And each a little longer, so that one too many is seen.
    came_.wait_for(lock, std::chrono::milliseconds(50), [this] { return most_at_once > 4; });
    --under_way_;
    if (number == refused_part) {
      return reply.Answer(403, "<Error><Code>AccessDenied</Code></Error>");
    }
    uploads[Decoded(id)][number] = request.body;
    reply.Answer(200, "", {fmt::format("ETag: \"{}\"", request.body.size())});
  }

  void List(ServerReply& reply) {
    if (lists_with != 200) return reply.Answer(lists_with, "<Error><Code>No</Code></Error>");
    reply.Answer(200, "<ListMultipartUploadsResult></ListMultipartUploadsResult>");
  }

  static std::string Decoded(std::string id) {
    for (const auto& [encoded, c] : {std::pair{"%2F", "/"}, {"%2B", "+"}, {"%26", "&"}}) {
      if (const auto at = id.find(encoded); at != std::string::npos) id.replace(at, 3, c);
    }
    return id;
  }

  std::mutex mutex_;
  std::condition_variable came_;
  int under_way_ = 0;
  HttpServer server_{
      [this](const ServerRequest& request, ServerReply& reply) { Answer(request, reply); },
      {.keeps_requests = false}};
};

TEST(S3Multipart, SendsInPartsOnlyWhatIsLargerThan64MiB) {
  PartsServer server;
  const std::string large = Noise(kLargestAtOnce + 7);
  const auto bucket = server.MakeBucket();
  const auto limit = Bytes(large).first(kLargestAtOnce);
  ASSERT_THAT(bucket->Put("limit", limit, "image/png", CancelToken()), IsOk());
  EXPECT_EQ(server.begun, 0);
  ASSERT_THAT(bucket->Put("large", Bytes(large), "image/png", CancelToken()), IsOk());
  EXPECT_EQ(server.begun, 1);
  EXPECT_LE(server.most_at_once, 4);
  EXPECT_GE(server.most_at_once, 2);
  EXPECT_TRUE(server.objects["/glint-test/limit"] == large.substr(0, kLargestAtOnce));
  EXPECT_TRUE(server.objects["/glint-test/large"] == large);
  EXPECT_THAT(server.uploads, IsEmpty());
}

TEST(S3Multipart, EndsAnUploadThatFails) {
  PartsServer server;
  server.refused_part = 3;
  const std::string large = Noise(kLargestAtOnce + 1);
  EXPECT_THAT(server.MakeBucket()->Put("large", Bytes(large), "image/png", CancelToken()),
              FailsWith(Reason::kStoreDenied, HasSubstr("a part of s3://glint-test/large")));
  EXPECT_THAT(server.uploads, IsEmpty());
  EXPECT_THAT(server.objects, IsEmpty());
}

TEST(S3Multipart, BeginsAnewWhenItsUploadIsGone) {
  PartsServer server;
  server.forgets_once = true;
  server.hides_a_failure = true;
  const std::string large = Noise(kLargestAtOnce + 1);
  ASSERT_THAT(server.MakeBucket()->Put("large", Bytes(large), "image/png", CancelToken()), IsOk());
  EXPECT_EQ(server.begun, 2);
  EXPECT_TRUE(server.objects["/glint-test/large"] == large);
}

TEST(S3Multipart, ToleratesServersThatListNoUploads) {
  PartsServer server;
  for (const int status : {200, 403, 404, 501}) {
    server.lists_with = status;
    const auto listed = server.MakeBucket()->ListUploads("a", CancelToken());
    ASSERT_THAT(listed, IsOk()) << status;
    EXPECT_THAT(*listed, IsEmpty());
  }
  server.lists_with = 503;
  EXPECT_THAT(server.MakeBucket()->ListUploads("a", CancelToken()),
              FailsWith(Reason::kStoreUnavailable, HasSubstr("unfinished uploads")));
}

class MultipartOnCeph : public testing::Test {
 protected:
  void SetUp() override {
    if (S3Server::Get() == nullptr) GTEST_SKIP() << "Ceph's radosgw is not installed";
    MakeBucketOn(*S3Server::Get(), "glint-test");
  }
  static S3Options Options() {
    return TestS3Options(S3Server::Get()->endpoint(), CredentialsOf(*S3Server::Get()));
  }
  /// Begins an upload as a process that died in the middle of it.
  static void BeginUpload(const std::string& key) {
    const HttpResponse response =
        AskS3(*S3Server::Get(), "POST", "/glint-test/" + key, {{"uploads", ""}});
    ASSERT_EQ(response.status, 200) << response.body;
  }
  static std::set<std::string> Unfinished(const std::string& folder) {
    const auto uploads = MakeS3Bucket(Options())->ListUploads(folder, CancelToken());
    EXPECT_THAT(uploads, IsOk());
    std::set<std::string> keys;
    for (const UnfinishedUpload& upload : uploads.value()) keys.insert(upload.key);
    return keys;
  }
};

TEST_F(MultipartOnCeph, PublishesAnObjectInPartsByteByByte) {
  const auto store = MakeBucketStore(MakeS3Bucket(Options()), "parts",
                                     KeyTemplate::Parse(KeyTemplate::kPlain).value());
  const std::string large = Noise(kLargestAtOnce + kPartBytes / 2 + 1);
  auto set = store->Begin("scan", CancelToken());
  ASSERT_THAT(set, IsOk());
  ASSERT_THAT((*set)->Put("mask.png", Bytes(large), "image/png"), IsOk());
  ASSERT_THAT(PutText(**set, "report.json", "{}"), IsOk());
  ASSERT_THAT((*set)->Commit(), IsOk());
  const auto got = store->Get("scan", "mask.png", CancelToken());
  ASSERT_THAT(got, IsOk());
  EXPECT_TRUE(*got == large);
  EXPECT_THAT(Unfinished("parts"), IsEmpty());
}

TEST_F(MultipartOnCeph, SweepsTheUploadsThatNobodyEnded) {
  const auto store = MakeBucketStore(MakeS3Bucket(Options()), "swept",
                                     KeyTemplate::Parse(KeyTemplate::kPlain).value());
  for (int i = 0; i < 3; ++i) {
    BeginUpload(fmt::format("swept/.glint-partial/scan/7-{}/mask.png", i));
  }
  BeginUpload("swept/of-somebody-else.png");
  EXPECT_THAT(Unfinished("swept"), SizeIs(4));
  EXPECT_EQ(store->Sweep({.older_than = std::chrono::hours(1)}, CancelToken()).value(), 0);
  EXPECT_EQ(store->Sweep({.older_than = std::chrono::hours(0)}, CancelToken()).value(), 3);
  EXPECT_EQ(Unfinished("swept"), std::set<std::string>{"swept/of-somebody-else.png"});
}

}  // namespace
}  // namespace glint
