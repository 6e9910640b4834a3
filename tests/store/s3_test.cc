// SPDX-License-Identifier: Apache-2.0
// Against Ceph's object gateway, which checks signatures and the hashes of bodies.
#include <gtest/gtest.h>

#include <thread>

#include "http/http_client.h"
#include "store/prove_access.h"
#include "store/s3_test_support.h"
#include "store/store_test_support.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

bool EveryType(std::string_view /*content_type*/) { return true; }

class S3Test : public testing::Test {
 protected:
  void SetUp() override {
    server_ = S3Server::Get();
    if (server_ == nullptr) GTEST_SKIP() << "Ceph's radosgw is not installed";
    MakeBucketOn(*server_, "glint-test");
  }

  std::unique_ptr<Bucket> BucketWith(const std::function<void(S3Options&)>& change = {}) const {
    S3Options options = TestS3Options(server_->endpoint(), CredentialsOf(*server_));
    if (change) change(options);
    return MakeS3Bucket(std::move(options));
  }
  static absl::StatusOr<HttpResponse> Plain(const std::string& url) {
    HttpClient client({});
    HttpRequest request;
    request.url = Url::Parse(url).value();
    request.max_body_bytes = 64 << 20;
    return client.Send(request, Reason::kDownloadFailed, CancelToken());
  }
  static std::string UrlOf(Bucket& bucket, const std::string& key) {
    return bucket.Urls(std::vector<std::string>{key}, CancelToken()).value().front();
  }

  S3Server* server_ = nullptr;
};

TEST_F(S3Test, ListsAFolderPageByPageAndProvesItsAccess) {
  const auto bucket = BucketWith();
  for (int i = 0; i < 1003; ++i) {
    ASSERT_THAT(
        bucket->Put("listed/a b&/" + std::to_string(i), Bytes("x"), "image/png", CancelToken()),
        IsOk());
  }
  ASSERT_THAT(bucket->Put("listed2", Bytes("x"), "image/png", CancelToken()), IsOk());
  const auto listed = bucket->List("listed", CancelToken());
  ASSERT_THAT(listed, IsOk());
  EXPECT_EQ(listed->size(), 1003U);
  EXPECT_TRUE(listed->front().key.starts_with("listed/a b&/")) << listed->front().key;
  EXPECT_LT(std::chrono::abs(listed->front().modified - std::chrono::system_clock::now()),
            std::chrono::hours(1));
  EXPECT_THAT(ProveAccess(*bucket, "probes", EveryType, CancelToken()), IsOk());
  EXPECT_THAT(ProveAccess(*BucketWith([](S3Options& options) { options.bucket = "none"; }),
                          "probes", EveryType, CancelToken()),
              FailsWith(Reason::kStoreDenied, HasSubstr("create the bucket")));
}

TEST_F(S3Test, NoticesThatItMayNotDelete) {
  MakeBucketOn(*server_, "glint-keeps");
  const std::string policy = R"({"Version": "2012-10-17", "Statement": [{"Effect": "Deny",
      "Principal": "*", "Action": "s3:DeleteObject", "Resource": "arn:aws:s3:::glint-keeps/*"}]})";
  const HttpResponse set = AskS3(*server_, "PUT", "/glint-keeps", {{"policy", ""}}, policy);
  ASSERT_EQ(set.status / 100, 2) << set.body;
  EXPECT_THAT(
      ProveAccess(*BucketWith([](S3Options& options) { options.bucket = "glint-keeps"; }), "probes",
                  EveryType, CancelToken()),
      FailsWith(Reason::kStoreDenied, AllOf(HasSubstr("AccessDenied"), HasSubstr("delete"))));
}

TEST_F(S3Test, KeepsEveryKeyAndContent) {
  const auto bucket = BucketWith();
  std::string large(7'000'000, '\0');
  for (std::size_t i = 0; i < large.size(); ++i)
    large[i] = static_cast<char>(i * 2654435761U >> 11);
  for (const std::string& key :
       {std::string("plain.png"), std::string("a b/x(1)+&=,;:@$!'*.png"),
        std::string("ü日本/%41#?~[]{}|^`\"<>\\.png"), std::string("a//b/../c/./d"),
        std::string("%2e%2e/+ +"), std::string(900, 'k')}) {
    for (const std::string& content : {std::string(), std::string("x"), large}) {
      ASSERT_THAT(bucket->Put(key, Bytes(content), "image/png", CancelToken()), IsOk()) << key;
      const auto got = bucket->Get(key, CancelToken());
      ASSERT_THAT(got, IsOk()) << key;
      EXPECT_TRUE(*got == content) << key;
    }
    EXPECT_TRUE(bucket->Exists(key, CancelToken()).value());
    ASSERT_THAT(bucket->Copy(key, "copy of " + key, CancelToken()), IsOk()) << key;
    EXPECT_TRUE(bucket->Get("copy of " + key, CancelToken()).value() == large) << key;
    ASSERT_THAT(bucket->Delete(std::vector<std::string>{key, "copy of " + key, "never there"},
                               CancelToken()),
                IsOk());
    EXPECT_FALSE(bucket->Exists(key, CancelToken()).value());
    EXPECT_EQ(bucket->Get("copy of " + key, CancelToken()).value(), std::nullopt);
  }
}

TEST_F(S3Test, KeepsTypesAndCacheHeadersThroughCopies) {
  const auto bucket = BucketWith([](S3Options& options) {
    options.cache_control = "public, max-age=60";
    options.urls = UrlMode::kSigned;
  });
  ASSERT_THAT(bucket->Put("typed.html", Bytes("<p>"), "text/html; charset=utf-8", CancelToken()),
              IsOk());
  ASSERT_THAT(bucket->Copy("typed.html", "copied.html", CancelToken()), IsOk());
  for (const char* key : {"typed.html", "copied.html"}) {
    const auto response = Plain(UrlOf(*bucket, key));
    ASSERT_THAT(response, IsOk());
    EXPECT_EQ(response->Header("content-type"), "text/html; charset=utf-8") << key;
    EXPECT_EQ(response->Header("cache-control"), "public, max-age=60") << key;
  }
}

TEST_F(S3Test, SignedUrlsOpenOneObjectForAWhile) {
  const auto bucket = BucketWith([](S3Options& options) { options.urls = UrlMode::kSigned; });
  const std::string key = "ü日本 (1)+&='#?.png";
  ASSERT_THAT(bucket->Put(key, Bytes("mask"), "image/png", CancelToken()), IsOk());
  const std::string url = UrlOf(*bucket, key);
  const auto opened = Plain(url);
  ASSERT_THAT(opened, IsOk());
  EXPECT_EQ(opened->status, 200);
  EXPECT_EQ(opened->body, "mask");
  std::string tampered = url;
  tampered.back() = tampered.back() == '0' ? '1' : '0';
  EXPECT_EQ(Plain(tampered)->status, 403);
  EXPECT_EQ(Plain(url.substr(0, url.find('?')))->status, 403) << "the bucket is private";
  const auto brief = BucketWith([](S3Options& options) {
    options.urls = UrlMode::kSigned;
    options.url_life = std::chrono::seconds(1);
  });
  const std::string expiring = UrlOf(*brief, key);
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  EXPECT_EQ(Plain(expiring)->status, 403);
}

TEST_F(S3Test, OtherUrlModesNeedNoServer) {
  const auto none = BucketWith();
  EXPECT_EQ(UrlOf(*none, "a b.png"), "");
  const auto open = BucketWith([](S3Options& options) { options.urls = UrlMode::kPublic; });
  EXPECT_EQ(UrlOf(*open, "a b.png"), server_->endpoint() + "/glint-test/a%20b.png");
  const auto cdn = BucketWith([](S3Options& options) {
    options.urls = UrlMode::kPublic;
    options.public_url = "https://cdn.example/masks";
  });
  EXPECT_EQ(UrlOf(*cdn, "a b.png"), "https://cdn.example/masks/a%20b.png");
}

TEST_F(S3Test, SaysWhoIsRefusedAndWhy) {
  const auto wrong_secret =
      BucketWith([](S3Options& options) { options.credentials.secret_key = "hush-wrong"; });
  const auto wrong_key =
      BucketWith([](S3Options& options) { options.credentials.access_key = "NOBODY"; });
  const auto no_bucket = BucketWith([](S3Options& options) { options.bucket = "not-there"; });
  EXPECT_THAT(wrong_secret->Put("a", Bytes("x"), "image/png", CancelToken()),
              FailsWith(Reason::kStoreDenied,
                        AllOf(HasSubstr("SignatureDoesNotMatch"), Not(HasSubstr("hush")))));
  EXPECT_THAT(wrong_key->Get("a", CancelToken()),
              FailsWith(Reason::kStoreDenied, HasSubstr("InvalidAccessKeyId")));
  EXPECT_THAT(wrong_secret->Exists("a", CancelToken()),
              FailsWith(Reason::kStoreDenied, HasSubstr("403")));
  EXPECT_THAT(no_bucket->Get("a", CancelToken()),
              FailsWith(Reason::kStoreDenied, HasSubstr("NoSuchBucket")));
  EXPECT_THAT(no_bucket->Put("a", Bytes("x"), "image/png", CancelToken()),
              FailsWith(Reason::kStoreDenied, HasSubstr("create the bucket")));
}

}  // namespace
}  // namespace glint
