// SPDX-License-Identifier: Apache-2.0
#include "workers/completion_marker.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "store/store_test_support.h"
#include "support/memory_store.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

const Job kJob{.scan_id = "scan-1", .request = "request"};

class CompletionMarker : public testing::Test {
 protected:
  void Publish(const std::string& marker) {
    auto set = store_.Begin("prefix", CancelToken());
    ASSERT_THAT(set, IsOk());
    ASSERT_THAT(PutText(**set, kCompletionMarkerName, marker), IsOk());
    ASSERT_THAT(PutText(**set, "report.json", "{}"), IsOk());
    ASSERT_THAT((*set)->Commit(), IsOk());
  }
  std::optional<std::string> Take(const Job& job = kJob) {
    const auto taken = FindCompletedResult(store_, "prefix", job, CancelToken());
    EXPECT_THAT(taken, IsOk());
    return taken.value_or(std::nullopt);
  }
  MemoryStore store_;
};

TEST_F(CompletionMarker, GivesBackTheSameBytes) {
  const std::string result("any\0bytes\xff", 10);
  Publish(MakeCompletionMarker(kJob, result));
  EXPECT_EQ(Take(), result);
  Publish(MakeCompletionMarker(kJob, ""));
  EXPECT_EQ(Take(), "");
}

TEST_F(CompletionMarker, NothingThereIsNoResult) { EXPECT_EQ(Take(), std::nullopt); }

TEST_F(CompletionMarker, NamesTheRequestByTheDigestThatOthersCompute) {
  // printf request | sha256sum
  EXPECT_EQ(nlohmann::json::parse(MakeCompletionMarker(kJob, ""))["request_sha256"],
            "1f58b9145b24d108d7ac38887338b3ea3229833b9c1e418250343f907bfd1047");
}

TEST_F(CompletionMarker, AResultOfAnotherScanOrRequestIsNotTaken) {
  Publish(MakeCompletionMarker(kJob, "result"));
  EXPECT_EQ(Take({.scan_id = "scan-2", .request = "request"}), std::nullopt);
}

TEST_F(CompletionMarker, AResultOfAnotherRequestWithTheSameIdIsNotReplaced) {
  Publish(MakeCompletionMarker(kJob, "result"));
  EXPECT_THAT(FindCompletedResult(store_, "prefix", {.scan_id = "scan-1", .request = "another"},
                                  CancelToken()),
              FailsWith(ServiceReason::kScanConflict, testing::HasSubstr("another id")));
}

TEST_F(CompletionMarker, AResultWithoutAMarkerIsNotTaken) {
  auto set = store_.Begin("prefix", CancelToken());
  ASSERT_THAT(PutText(**set, "report.json", "{}"), IsOk());
  ASSERT_THAT((*set)->Commit(), IsOk());
  EXPECT_EQ(Take(), std::nullopt);
}

TEST_F(CompletionMarker, ADamagedMarkerIsNotTaken) {
  const std::string good = MakeCompletionMarker(kJob, "result");
  auto other = nlohmann::json::parse(good);
  other["receipt"] = 2;
  auto not_base64 = nlohmann::json::parse(good);
  not_base64["result"] = "!!";
  auto no_text = nlohmann::json::parse(good);
  no_text["result"] = 7;
  auto no_result = nlohmann::json::parse(good);
  no_result.erase("result");
  for (const std::string& bad : {std::string(), std::string("{}"), std::string("[1]"),
                                 std::string("null"), good.substr(0, good.size() / 2), other.dump(),
                                 not_base64.dump(), no_text.dump(), no_result.dump()}) {
    Publish(bad);
    EXPECT_EQ(Take(), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace glint
