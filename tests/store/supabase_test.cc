// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>

#include "glint/open_store.h"
#include "store/bucket_store.h"
#include "store/store_test_support.h"
#include "store/supabase_bucket.h"
#include "support/fake_clock.h"
#include "support/fake_supabase.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::unique_ptr<Bucket> BucketOf(const std::string& url, const std::string& key,
                                 const std::function<void(SupabaseOptions&)>& change = {}) {
  SupabaseOptions options;
  options.endpoint = Url::Parse(url + "/storage/v1").value();
  options.bucket = "masks";
  options.key = key;
  static FakeClock clock;
  options.retry = {.attempts = 3, .clock = &clock};
  if (change) change(options);
  return MakeSupabaseBucket(std::move(options));
}

/// What everybody gets who has the URL.
std::string Fetched(const std::string& url) {
  HttpClient client({});
  HttpRequest request;
  request.url = Url::Parse(url).value();
  const auto response = client.Send(request, Reason::kDownloadFailed, CancelToken());
  EXPECT_THAT(response, IsOk());
  return response.ok() ? response->body : "";
}

TEST(Supabase, TakesBothKindsOfKeys) {
  for (const char* key : {FakeSupabase::kJwtKey, FakeSupabase::kSecretKey}) {
    FakeSupabase supabase;
    const auto bucket = BucketOf(supabase.url(), key);
    ASSERT_THAT(bucket->Put("a/b.png", Bytes("x"), "image/png", CancelToken()), IsOk()) << key;
    EXPECT_EQ(supabase.server().requests().size(), 1U) << "right at the first attempt";
    EXPECT_EQ(supabase.objects().at("a/b.png").type, "image/png");
    const auto content = bucket->Get("a/b.png", CancelToken());
    ASSERT_THAT(content, IsOk());
    EXPECT_EQ(*content, "x");
  }
}

TEST(Supabase, TriesTheOtherFormOfTheKeyOnceAndRemembers) {
  FakeSupabase supabase;
  const auto bucket = BucketOf(supabase.url(), FakeSupabase::kOldServerKey);
  ASSERT_THAT(bucket->Put("a", Bytes("x"), "image/png", CancelToken()), IsOk());
  EXPECT_EQ(supabase.server().requests().size(), 2U);
  ASSERT_THAT(bucket->Put("b", Bytes("x"), "image/png", CancelToken()), IsOk());
  EXPECT_EQ(supabase.server().requests().size(), 3U);
}

TEST(Supabase, SaysWhatFailedInBothShapesOfErrors) {
  for (const bool new_errors : {false, true}) {
    FakeSupabase supabase(
        {.new_errors = new_errors, .allowed_types = {"image/png"}, .max_bytes = 10});
    const auto bucket = BucketOf(supabase.url(), FakeSupabase::kJwtKey);
    EXPECT_THAT(bucket->Put("a", Bytes("x"), "text/html", CancelToken()),
                FailsWith(Reason::kOutputUnwritable, HasSubstr("415 InvalidMimeType")));
    EXPECT_THAT(bucket->Put("a", Bytes("12345678901"), "image/png", CancelToken()),
                FailsWith(Reason::kOutputUnwritable,
                          AllOf(HasSubstr("11 bytes, of which the bucket takes 10"),
                                HasSubstr("limit on the size"))));
    const auto missing = bucket->Get("none", CancelToken());
    ASSERT_THAT(missing, IsOk());
    EXPECT_EQ(*missing, std::nullopt);
    const auto exists = bucket->Exists("none", CancelToken());
    ASSERT_THAT(exists, IsOk());
    EXPECT_FALSE(*exists);
    const auto other = BucketOf(supabase.url(), FakeSupabase::kJwtKey,
                                [](SupabaseOptions& options) { options.bucket = "none"; });
    EXPECT_THAT(other->Get("a", CancelToken()),
                FailsWith(Reason::kStoreDenied, HasSubstr("create the bucket")));
    const auto stranger = BucketOf(supabase.url(), "eyJwrong.key.hush");
    EXPECT_THAT(stranger->Put("a", Bytes("x"), "image/png", CancelToken()),
                FailsWith(Reason::kStoreDenied, AllOf(HasSubstr("key"), Not(HasSubstr("hush")))));
  }
}

TEST(Supabase, ChecksKeysBeforeItAsks) {
  const auto bucket = BucketOf("http://127.0.0.1:1", FakeSupabase::kJwtKey);
  EXPECT_THAT(bucket->CheckKey("scan-1/regions/spine_(1).png"), IsOk());
  for (const char* key : {"ü", "a#b", "a%b", "a~b", "a\"b", "a\\b", "a\nb"}) {
    EXPECT_THAT(bucket->CheckKey(key), FailsWith(Reason::kInvalidOption, HasSubstr("Supabase")));
  }
}

TEST(Supabase, CopiesDeletesAndCaches) {
  FakeSupabase supabase;
  const auto bucket =
      BucketOf(supabase.url(), FakeSupabase::kSecretKey,
               [](SupabaseOptions& options) { options.cache_control = "max-age=60"; });
  ASSERT_THAT(bucket->Put("a (1)", Bytes("x"), "image/png", CancelToken()), IsOk());
  ASSERT_THAT(bucket->Copy("a (1)", "b", CancelToken()), IsOk());
  ASSERT_THAT(bucket->Copy("a (1)", "b", CancelToken()), IsOk());
  EXPECT_EQ(supabase.objects().at("b").cache_control, "max-age=60");
  ASSERT_THAT(bucket->Delete(std::vector<std::string>{"a (1)", "missing"}, CancelToken()), IsOk());
  EXPECT_EQ(supabase.objects().size(), 1U);
}

TEST(Supabase, ListsFoldersInFolders) {
  FakeSupabase supabase;
  const auto bucket = BucketOf(supabase.url(), FakeSupabase::kJwtKey);
  for (const char* key : {"a/b/c.png", "a/d.png", "ab/e.png", "f.png"}) {
    ASSERT_THAT(bucket->Put(key, Bytes("x"), "image/png", CancelToken()), IsOk());
  }
  const auto keys = [&](const std::string& folder) {
    std::vector<std::string> found;
    const auto listed = bucket->List(folder, CancelToken());
    EXPECT_THAT(listed, IsOk());
    for (const auto& object : listed.value_or(std::vector<ListedObject>())) {
      found.push_back(object.key);
      const auto age = std::chrono::system_clock::now() - object.modified;
      EXPECT_LT(std::chrono::abs(age), std::chrono::minutes(5));
    }
    return found;
  };
  EXPECT_THAT(keys("a"), testing::UnorderedElementsAre("a/b/c.png", "a/d.png"));
  EXPECT_THAT(keys(""), testing::UnorderedElementsAre("a/b/c.png", "a/d.png", "ab/e.png", "f.png"));
  EXPECT_THAT(keys("none"), testing::IsEmpty());
}

TEST(Supabase, WritesIntoABucketThatAllowsTheTypesThatTheDocumentationNames) {
  FakeSupabase supabase({.allowed_types = {"image/png", "application/json", "text/html"}});
  const auto store = MakeBucketStore(BucketOf(supabase.url(), FakeSupabase::kJwtKey), "",
                                     KeyTemplate::Parse(KeyTemplate::kPlain).value());
  EXPECT_THAT(store->Prove(CancelToken()), IsOk());
  EXPECT_TRUE(supabase.objects().empty());
}

TEST(Supabase, TellsEachMisconfigurationApart) {
  const auto prove = [](FakeSupabase& supabase, const std::string& key,
                        const std::function<void(SupabaseOptions&)>& change = {}) {
    return MakeBucketStore(BucketOf(supabase.url(), key, change), "",
                           KeyTemplate::Parse(KeyTemplate::kPlain).value())
        ->Prove(CancelToken());
  };
  FakeSupabase no_html({.allowed_types = {"image/png", "application/json"}});
  EXPECT_THAT(
      prove(no_html, FakeSupabase::kJwtKey),
      FailsWith(Reason::kOutputUnwritable, AllOf(HasSubstr("text/html"), HasSubstr("MIME types"))));
  FakeSupabase small({.max_bytes = 1'000'000});
  EXPECT_THAT(prove(small, FakeSupabase::kJwtKey),
              FailsWith(Reason::kOutputUnwritable,
                        AllOf(HasSubstr("8 MiB"), HasSubstr("limit on the size"))));
  EXPECT_THAT(prove(small, "sb_publishable_0123"),
              FailsWith(Reason::kStoreDenied, HasSubstr("anon (publishable) key")));
  EXPECT_THAT(prove(small, "sb_secret_wrong"),
              FailsWith(Reason::kStoreDenied, HasSubstr("check the key")));
  EXPECT_THAT(prove(small, FakeSupabase::kJwtKey,
                    [](SupabaseOptions& options) { options.bucket = "none"; }),
              FailsWith(Reason::kStoreDenied, HasSubstr("create the bucket")));
  EXPECT_THAT(prove(small, FakeSupabase::kAnonKey),
              FailsWith(Reason::kStoreDenied, HasSubstr("anon (publishable) key")));
  EXPECT_THAT(prove(small, FakeSupabase::kExpiredKey),
              FailsWith(Reason::kStoreDenied, HasSubstr("\"exp\" claim")));
  const std::string wrong_path = small.url() + "/rest/v1";
  EXPECT_THAT(
      prove(small, FakeSupabase::kJwtKey,
            [&](SupabaseOptions& options) { options.endpoint = Url::Parse(wrong_path).value(); }),
      FailsWith(Reason::kStoreDenied, HasSubstr("no storage service at this path")));
  EXPECT_THAT(MakeBucketStore(BucketOf(small.url(), FakeSupabase::kJwtKey), "a~b",
                              KeyTemplate::Parse(KeyTemplate::kPlain).value())
                  ->Prove(CancelToken()),
              FailsWith(Reason::kInvalidOption, HasSubstr("'a~b")));
  FakeSupabase keeps({.deletes = false});
  EXPECT_THAT(prove(keeps, FakeSupabase::kJwtKey),
              FailsWith(Reason::kStoreDenied, HasSubstr("right to delete")));
}

TEST(Supabase, GivesUrlsByMode) {
  FakeSupabase supabase;
  const std::vector<std::string> keys = {"a b.png", "none"};
  const auto urls = [&](UrlMode mode, const std::string& public_url = "") {
    const auto bucket =
        BucketOf(supabase.url(), FakeSupabase::kJwtKey, [&](SupabaseOptions& options) {
          options.urls = mode;
          options.public_url = public_url;
        });
    EXPECT_THAT(bucket->Put("a b.png", Bytes("x"), "image/png", CancelToken()), IsOk());
    return bucket->Urls(keys, CancelToken()).value();
  };
  const std::string base = supabase.url() + "/storage/v1/object/";
  EXPECT_THAT(urls(UrlMode::kNone), ElementsAre("", ""));
  EXPECT_THAT(urls(UrlMode::kPublic),
              ElementsAre(base + "public/masks/a%20b.png", base + "public/masks/none"));
  EXPECT_THAT(urls(UrlMode::kPublic, "https://cdn.example"),
              ElementsAre("https://cdn.example/a%20b.png", "https://cdn.example/none"));
  const std::vector<std::string> made = urls(UrlMode::kSigned);
  EXPECT_THAT(made, ElementsAre(StartsWith(base + "sign/masks/a%20b.png?token="), ""));
  EXPECT_EQ(Fetched(made[0]), "x");
}

TEST(Supabase, SignsUrlsForTheHostThatClientsReach) {
  FakeSupabase supabase;
  const auto bucket = BucketOf(supabase.url(), FakeSupabase::kJwtKey, [](SupabaseOptions& options) {
    options.urls = UrlMode::kSigned;
    options.public_url = "https://files.example/storage/v1";
  });
  ASSERT_THAT(bucket->Put("a", Bytes("x"), "image/png", CancelToken()), IsOk());
  EXPECT_THAT(
      bucket->Urls(std::vector<std::string>{"a"}, CancelToken()).value(),
      ElementsAre(StartsWith("https://files.example/storage/v1/object/sign/masks/a?token=")));
}

TEST(Supabase, ABucketWithoutPagesIsEnoughWhereNoneAreStored) {
  FakeSupabase supabase({.allowed_types = {"image/png", "application/json"}});
  const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "SUPABASE_URL") return supabase.url();
    if (name == "SUPABASE_SECRET_KEY") return FakeSupabase::kSecretKey;
    return std::nullopt;
  };
  const auto open = [&](const std::string& objects) {
    return OpenStore("supabase://masks", {.objects = objects}, environment);
  };
  const auto store = open("json,png");
  ASSERT_THAT(store, IsOk());
  EXPECT_FALSE((*store)->Takes("text/html; charset=utf-8"));
  EXPECT_TRUE((*store)->Takes("image/png"));
  EXPECT_THAT((*store)->Prove(CancelToken()), IsOk());
  EXPECT_THAT((*open(""))->Prove(CancelToken()),
              FailsWith(Reason::kOutputUnwritable, HasSubstr("text/html")));
  for (const char* wrong : {"png", "json,gif", "json,,png", "json,json"}) {
    EXPECT_THAT(open(wrong), FailsWith(Reason::kInvalidOption, HasSubstr("json,png,html")))
        << wrong;
  }
}

TEST(Supabase, ProvesThatClientsGetWhatItGivesOut) {
  const auto prove = [](FakeSupabase& supabase, UrlMode mode) {
    const auto urls = [&](SupabaseOptions& options) { options.urls = mode; };
    return MakeBucketStore(BucketOf(supabase.url(), FakeSupabase::kJwtKey, urls), "",
                           KeyTemplate::Parse(KeyTemplate::kPlain).value())
        ->Prove(CancelToken());
  };
  FakeSupabase everybodys({.is_public = true});
  EXPECT_THAT(prove(everybodys, UrlMode::kPublic), IsOk());
  FakeSupabase ours;
  EXPECT_THAT(prove(ours, UrlMode::kSigned), IsOk());
  EXPECT_THAT(prove(ours, UrlMode::kPublic),
              FailsWith(Reason::kStoreDenied, HasSubstr("make the bucket public")));
  EXPECT_TRUE(ours.objects().empty());
}

TEST(Supabase, TellsWhatMayPassFromWhatWillNot) {
  struct Case {
    int status;
    const char* body;
    Reason reason;
  };
  for (const Case& c : {
           Case{400, R"({"statusCode":"423","error":"ResourceLocked"})", Reason::kStoreUnavailable},
           Case{400, R"({"statusCode":"503","error":"SlowDown"})", Reason::kStoreUnavailable},
           Case{429, R"({"statusCode":"429"})", Reason::kStoreUnavailable},
           Case{500, R"({"statusCode":"500","code":"InternalError"})", Reason::kStoreUnavailable},
           Case{544, R"({"statusCode":"544","code":"DatabaseTimeout"})", Reason::kStoreUnavailable},
           Case{522, "<html>", Reason::kStoreUnavailable},
           Case{400, R"({"statusCode":"413"})", Reason::kOutputUnwritable},
           Case{400, R"({"statusCode":"415"})", Reason::kOutputUnwritable},
           Case{400, R"({"statusCode":"400","error":"InvalidKey"})", Reason::kOutputUnwritable},
           Case{400, R"({"statusCode":"403","error":"Unauthorized"})", Reason::kStoreDenied},
           Case{400, R"({"statusCode":"404","error":"Bucket not found"})", Reason::kStoreDenied},
       }) {
    HttpServer server(
        [&](const ServerRequest&, ServerReply& reply) { reply.Answer(c.status, c.body); });
    const auto bucket = BucketOf(server.Url(""), FakeSupabase::kJwtKey);
    EXPECT_THAT(bucket->Put("a", Bytes("x"), "image/png", CancelToken()),
                FailsWith(c.reason, testing::_))
        << c.status << " " << c.body;
    EXPECT_EQ(server.requests().size() > 2, c.reason == Reason::kStoreUnavailable) << c.body;
  }
}

TEST(Supabase, RepeatsWhatMayPassWhereverTheStatusStands) {
  std::atomic<int> count = 0;
  HttpServer server([&](const ServerRequest&, ServerReply& reply) {
    switch (++count) {
      case 1:
        return reply.Answer(400, R"({"statusCode":"503","error":"busy","message":"later"})");
      case 2:
        return reply.Answer(429, R"({"statusCode":"429","code":"SlowDown"})");
      default:
        return reply.Answer(200, "{}");
    }
  });
  const auto bucket = BucketOf(server.Url(""), FakeSupabase::kJwtKey);
  EXPECT_THAT(bucket->Put("a", Bytes("x"), "image/png", CancelToken()), IsOk());
  EXPECT_EQ(count, 3);
}

}  // namespace
}  // namespace glint
