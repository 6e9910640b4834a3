// SPDX-License-Identifier: Apache-2.0
// What every ObjectStore promises; runs over each of them.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "store/bucket_store.h"
#include "store/s3_test_support.h"
#include "store/store_test_support.h"
#include "store/supabase_bucket.h"
#include "store/supabase_test_support.h"
#include "support/fake_supabase.h"
#include "support/memory_bucket.h"
#include "support/memory_store.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::_;
using testing::HasSubstr;

struct Kind {
  const char* name;
  /// Null where what it needs is not installed.
  std::function<std::unique_ptr<ObjectStore>(const TempFolder&)> make;
  bool unicode = true;  ///< whether every prefix is allowed
  const char* without = "its server is not installed";
};

std::unique_ptr<ObjectStore> InBucket(std::unique_ptr<Bucket> bucket) {
  const std::string root = "contract-" + std::to_string(std::random_device{}());  // of one test
  return MakeBucketStore(std::move(bucket), root, KeyTemplate::Parse(KeyTemplate::kPlain).value());
}

std::unique_ptr<ObjectStore> OnCeph() {
  const S3Server* server = S3Server::Get();
  if (server == nullptr) return nullptr;
  MakeBucketOn(*server, "glint-test");
  return InBucket(MakeS3Bucket(TestS3Options(server->endpoint(), CredentialsOf(*server))));
}

std::unique_ptr<ObjectStore> OnSupabase() {
  static FakeSupabase supabase;
  SupabaseOptions options;
  options.endpoint = Url::Parse(supabase.url() + "/storage/v1").value();
  options.bucket = "masks";
  options.key = FakeSupabase::kSecretKey;
  return InBucket(MakeSupabaseBucket(std::move(options)));
}

std::unique_ptr<ObjectStore> OnRealSupabase() {
  const SupabaseServer* server = SupabaseServer::Get();
  if (server == nullptr) return nullptr;
  // As the documentation says that a bucket is set up.
  MakeBucketOn(*server, "masks", false, {"image/png", "application/json", "text/html"});
  SupabaseOptions options;
  options.endpoint = Url::Parse(server->url()).value();
  options.bucket = "masks";
  options.key = server->key();
  return InBucket(MakeSupabaseBucket(std::move(options)));
}

class StoreContract : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (store_ == nullptr) GTEST_SKIP() << GetParam().without;
  }
  std::unique_ptr<Publication> Begin(std::string_view prefix = "scan") {
    auto publication = store_->Begin(prefix, CancelToken());
    EXPECT_THAT(publication, IsOk());
    return *std::move(publication);
  }
  void Publish(std::string_view report, std::string_view prefix = "scan") {
    const auto set = Begin(prefix);
    ASSERT_THAT(PutText(*set, "report.json", report), IsOk());
    ASSERT_THAT(set->Commit(), IsOk());
  }
  std::string Content(std::string_view name, std::string_view prefix = "scan") {
    const auto content = store_->Get(prefix, name, CancelToken());
    EXPECT_THAT(content, IsOk());
    return content.value_or("");
  }
  bool IsComplete(std::string_view prefix = "scan") {
    const auto complete = store_->Complete(prefix, CancelToken());
    EXPECT_THAT(complete, IsOk());
    return complete.value_or(false);
  }

  const TempFolder folder_;
  const std::unique_ptr<ObjectStore> store_ = GetParam().make(folder_);
};

TEST_P(StoreContract, ASetAppearsAtCommitAndNotBefore) {
  const auto set = Begin();
  ASSERT_THAT(PutText(*set, "report.json", "{}"), IsOk());
  ASSERT_THAT(PutText(*set, "regions/spine_mask.png", std::string("\0\xff\n", 3)), IsOk());
  EXPECT_FALSE(IsComplete());
  EXPECT_EQ(store_->Get("scan", "report.json", CancelToken()).status().code(),
            absl::StatusCode::kNotFound);
  ASSERT_THAT(set->Commit(), IsOk());
  EXPECT_TRUE(IsComplete());
  EXPECT_EQ(Content("report.json"), "{}");
  EXPECT_EQ(Content("regions/spine_mask.png"), std::string("\0\xff\n", 3));
}

TEST_P(StoreContract, ADroppedSetLeavesTheEarlierOne) {
  Publish("first");
  {
    const auto set = Begin();
    ASSERT_THAT(PutText(*set, "report.json", "second"), IsOk());
  }
  EXPECT_EQ(Content("report.json"), "first");
}

TEST_P(StoreContract, ANewSetReplacesTheEarlierOneAsAWhole) {
  {
    const auto set = Begin();
    ASSERT_THAT(PutText(*set, "report.json", "first"), IsOk());
    ASSERT_THAT(PutText(*set, "golden_07.png", "only in the first"), IsOk());
    ASSERT_THAT(set->Commit(), IsOk());
  }
  Publish("second");
  EXPECT_EQ(Content("report.json"), "second");
  EXPECT_EQ(store_->Get("scan", "golden_07.png", CancelToken()).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_P(StoreContract, SetsDoNotMix) {
  Publish("a", "a");
  Publish("b", "b");
  if (GetParam().unicode) Publish("unicode", "überraschung 漫画");
  EXPECT_EQ(Content("report.json", "a"), "a");
  EXPECT_EQ(Content("report.json", "b"), "b");
  if (GetParam().unicode) {
    EXPECT_EQ(Content("report.json", "überraschung 漫画"), "unicode");
  }
  EXPECT_FALSE(IsComplete("c"));
}

TEST_P(StoreContract, AnEmptyPrefixIsTheRoot) {
  Publish("root", "");
  EXPECT_TRUE(IsComplete(""));
  EXPECT_EQ(Content("report.json", ""), "root");
}

TEST_P(StoreContract, TheLastPutOfANameWins) {
  const auto set = Begin();
  ASSERT_THAT(PutText(*set, "report.json", "a long first version"), IsOk());
  ASSERT_THAT(PutText(*set, "report.json", "short"), IsOk());
  ASSERT_THAT(set->Commit(), IsOk());
  EXPECT_EQ(Content("report.json"), "short");
}

TEST_P(StoreContract, ManyThreadsMayPut) {
  const auto set = Begin();
  {
    std::vector<std::jthread> threads;
    threads.reserve(16);
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&set, i] {
        const std::string number = std::to_string(i);
        EXPECT_THAT(PutText(*set, "regions/" + number + ".png", number), IsOk());
      });
    }
  }
  ASSERT_THAT(PutText(*set, "report.json", "{}"), IsOk());
  ASSERT_THAT(set->Commit(), IsOk());
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(Content("regions/" + std::to_string(i) + ".png"), std::to_string(i));
  }
}

TEST_P(StoreContract, NamesThatLeaveTheSetAreRefused) {
  const auto set = Begin();
  for (const std::string& name :
       {std::string(), std::string("/etc/passwd"), std::string(".."), std::string("../x"),
        std::string("a/../../x"), std::string("a//b"), std::string("a/"), std::string("."),
        std::string("a/./b"), std::string(".hidden"), std::string("a\nb"), std::string("a\0b", 3),
        std::string("a\x7f"), std::string(256, 'a')}) {
    EXPECT_THAT(PutText(*set, name, "x"), FailsWith(Reason::kInvalidOption, _)) << name;
    EXPECT_THAT(store_->Get("scan", name, CancelToken()), FailsWith(Reason::kInvalidOption, _))
        << name;
    if (name.empty()) continue;  // the root
    EXPECT_THAT(store_->Begin(name, CancelToken()), FailsWith(Reason::kInvalidOption, _)) << name;
    EXPECT_THAT(store_->Complete(name, CancelToken()), FailsWith(Reason::kInvalidOption, _))
        << name;
  }
  EXPECT_THAT(PutText(*set, std::string(255, 'a'), "x"), IsOk());
}

TEST_P(StoreContract, ACommitNeedsAReportAndHappensOnce) {
  const auto set = Begin();
  EXPECT_THAT(set->Commit(), FailsWith(Reason::kInternal, HasSubstr("report.json")));
  ASSERT_THAT(PutText(*set, "report.json", "{}"), IsOk());
  ASSERT_THAT(set->Commit(), IsOk());
  EXPECT_THAT(set->Commit(), FailsWith(Reason::kInternal, _));
  EXPECT_THAT(PutText(*set, "late.png", "x"), FailsWith(Reason::kInternal, _));
}

TEST_P(StoreContract, LinksSayWhereObjectsLie) {
  const std::vector<std::string> names = {"regions/spine.png", "report.json"};
  const auto links = store_->Links("a/b", names, CancelToken());
  ASSERT_THAT(links, IsOk());
  ASSERT_EQ(links->size(), 2U);
  EXPECT_THAT(links->at(0).key, testing::EndsWith("a/b/regions/spine.png"));
  EXPECT_THAT(links->at(1).key, testing::EndsWith("a/b/report.json"));
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(store_->Key("a/b", names[i]), links->at(i).key) << "without asking a server, too";
  }
  EXPECT_THAT(store_->Links("a/b", std::vector<std::string>{"../x"}, CancelToken()),
              FailsWith(Reason::kInvalidOption, _));
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreContract,
    testing::Values(
        Kind{"Folder",
             [](const TempFolder& folder) { return MakeFolderStore(folder.path() / "out"); }},
        Kind{"Memory", [](const TempFolder&) { return std::make_unique<MemoryStore>(); }},
        Kind{"MemoryBucket",
             [](const TempFolder&) {
               return InBucket(
                   std::make_unique<MemoryBucket>(std::make_shared<MemoryBucket::State>()));
             }},
        Kind{"Ceph", [](const TempFolder&) { return OnCeph(); }},
        Kind{"Supabase", [](const TempFolder&) { return OnSupabase(); }, false},
        Kind{"RealSupabase", [](const TempFolder&) { return OnRealSupabase(); }, false,
             "GLINT_TEST_SUPABASE_SOURCE names no built checkout"}),
    [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace glint
