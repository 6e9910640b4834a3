// SPDX-License-Identifier: Apache-2.0
// Publication in a bucket that breaks at every single call there is.
#include "store/bucket_store.h"

#include <gtest/gtest.h>

#include <thread>

#include "store/publish_claim.h"
#include "store/store_test_support.h"
#include "support/fake_clock.h"
#include "support/memory_bucket.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

class BucketStoreTest : public testing::Test {
 protected:
  using Objects = std::map<std::string, std::string>;

  std::unique_ptr<ObjectStore> Store() {
    return MakeBucketStore(std::make_unique<MemoryBucket>(state_), "root",
                           KeyTemplate::Parse(KeyTemplate::kPlain).value());
  }
  static absl::Status Publish(ObjectStore& store, std::string_view content,
                              const std::vector<std::string>& names) {
    auto set = store.Begin("scan", CancelToken());
    if (!set.ok()) return set.status();
    for (const std::string& name : names) {
      if (absl::Status put = PutText(**set, name, content); !put.ok()) return put;
    }
    if (absl::Status put = PutText(**set, "report.json", content); !put.ok()) return put;
    return (*set)->Commit();
  }
  absl::Status PublishFirst(ObjectStore& store) {
    return Publish(store, "first", {"mask.png", "golden_00.png", "golden_01.png"});
  }
  absl::Status PublishSecond(ObjectStore& store) {
    return Publish(store, "second", {"mask.png", "golden_00.png", "heatmap.png"});
  }
  /// What one undisturbed publication leaves, the list of names left out.
  static Objects Whole(const std::string& content, const std::vector<std::string>& names) {
    Objects objects = {{"root/scan/report.json", content}};
    for (const std::string& name : names) objects["root/scan/" + name] = content;
    return objects;
  }
  Objects Left() const {
    Objects objects = state_->objects;
    objects.erase("root/scan/objects.json");
    return objects;
  }
  static Objects WithoutStaging(Objects objects) {
    std::erase_if(objects, [](const auto& object) {
      return object.first.find("/.glint-partial/") != std::string::npos;
    });
    return objects;
  }

  /// Lets the time pass after which a dead attempt's claim to publish does not count.
  void LetClaimsAge() {
    for (const auto& [key, content] : state_->objects) {
      if (key.find("/.claims/") != std::string::npos) state_->modified[key] = {};
    }
  }

  std::shared_ptr<MemoryBucket::State> state_ = std::make_shared<MemoryBucket::State>();
  const Objects first_ = Whole("first", {"mask.png", "golden_00.png", "golden_01.png"});
  const Objects second_ = Whole("second", {"mask.png", "golden_00.png", "heatmap.png"});
};

TEST_F(BucketStoreTest, ReplacesASetAndLeavesNothingOfIt) {
  const auto store = Store();
  ASSERT_THAT(PublishFirst(*store), IsOk());
  EXPECT_EQ(Left(), first_);
  ASSERT_THAT(PublishSecond(*store), IsOk());
  EXPECT_EQ(Left(), second_);
}

TEST_F(BucketStoreTest, NeverTouchesWhatOthersKeepThere) {
  state_->objects["root/scan/notes.txt"] = "mine";
  state_->objects["elsewhere.txt"] = "mine";
  const auto store = Store();
  ASSERT_THAT(PublishFirst(*store), IsOk());
  ASSERT_THAT(PublishSecond(*store), IsOk());
  EXPECT_EQ(state_->objects["root/scan/notes.txt"], "mine");
  EXPECT_EQ(state_->objects["elsewhere.txt"], "mine");
}

TEST_F(BucketStoreTest, IsNotFooledByAForgedList) {
  state_->objects["root/scan/objects.json"] = R"(["../../elsewhere.txt", "/etc", 7, {"a": 1}])";
  state_->objects["elsewhere.txt"] = "mine";
  const auto store = Store();
  ASSERT_THAT(PublishFirst(*store), IsOk());
  EXPECT_EQ(state_->objects["elsewhere.txt"], "mine");
  state_->objects["root/scan/objects.json"] = "not json";
  EXPECT_THAT(PublishSecond(*store), IsOk());
}

/// After a failure at any call: never a set that says it is complete and is not; the earlier one
/// whole as long as nothing but uploading has happened; and the next attempt leaves exactly its
/// own.
TEST_F(BucketStoreTest, SurvivesAFailureAndADeathAtEveryCall) {
  const auto store = Store();
  for (const bool dead : {false, true}) {
    bool failed = true;
    for (int calls = 0; failed; ++calls) {
      ASSERT_LT(calls, 100);
      state_->objects.clear();
      state_->dead = dead;
      state_->calls_left = -1;
      ASSERT_THAT(PublishFirst(*store), IsOk());
      state_->calls_left = calls;
      failed = !PublishSecond(*store).ok();
      state_->dead = false;
      state_->calls_left = -1;
      const Objects staged_left = Left();
      const Objects left = WithoutStaging(staged_left);
      if (left.contains("root/scan/report.json")) {
        EXPECT_TRUE(left == first_ || left == second_) << calls;
        EXPECT_EQ(left == second_, !failed) << calls;
      }
      // The list is read, three objects are put, the claim is put and all are listed, the list is
      // read again and put.
      const bool uploading = calls <= 7;
      if (uploading) {
        EXPECT_EQ(left, first_) << calls;
        EXPECT_TRUE(dead || staged_left == first_) << "an attempt that fails tidies up";
      }
      LetClaimsAge();
      ASSERT_THAT(PublishSecond(*store), IsOk());
      EXPECT_EQ(WithoutStaging(Left()), second_) << calls;
    }
  }
}

TEST_F(BucketStoreTest, AttemptsAtOncePublishOneAfterTheOther) {
  for (int round = 0; round < 8; ++round) {
    absl::Status first;
    absl::Status second;
    {
      const std::jthread one([&] { first = PublishFirst(*Store()); });
      const std::jthread two([&] { second = PublishSecond(*Store()); });
    }
    ASSERT_THAT(first, IsOk());
    ASSERT_THAT(second, IsOk());
    EXPECT_TRUE(Left() == first_ || Left() == second_) << round;
  }
}

TEST_F(BucketStoreTest, AnAttemptWaitsForTheClaimOfAnother) {
  const std::string claim = "root/.glint-partial/scan/.claims/0";
  state_->objects[claim] = "{}";
  const auto store = Store();
  const CancelToken brief({}, CancelToken::Clock::now() + std::chrono::milliseconds(700));
  auto set = store->Begin("scan", brief);
  ASSERT_THAT(set, IsOk());
  ASSERT_THAT(PutText(**set, "report.json", "first"), IsOk());
  EXPECT_THAT((*set)->Commit(), FailsWith(Reason::kDeadlineExceeded, testing::_));
  set->reset();
  EXPECT_EQ(state_->objects.size(), 1U) << "its own claim has gone";
  LetClaimsAge();
  EXPECT_THAT(PublishFirst(*store), IsOk());
}

TEST_F(BucketStoreTest, AnAttemptThatStoodStillLeavesThePlaceToOthers) {
  FakeClock clock;
  MemoryBucket bucket(state_);
  PublishClaim claim(bucket, "folder", "a", clock);
  ASSERT_THAT(claim.Acquire(CancelToken()), IsOk());
  clock.Sleep(std::chrono::seconds(30), {});
  EXPECT_THAT(claim.Confirm(CancelToken()), IsOk()) << "renewed";
  clock.Sleep(std::chrono::seconds(59), {});
  EXPECT_THAT(claim.Confirm(CancelToken()), IsOk()) << "renewed";
  clock.Sleep(std::chrono::seconds(61), {});
  EXPECT_THAT(claim.Confirm(CancelToken()),
              FailsWith(Reason::kStoreUnavailable, testing::HasSubstr("publish again")));
  EXPECT_THAT(claim.Release(CancelToken()), IsOk());
  EXPECT_TRUE(state_->objects.empty());
}

TEST_F(BucketStoreTest, AnAttemptThatIsRepeatedUnderItsNameLeavesNothing) {
  const auto store = Store();
  {
    auto first = store->Resume("scan", {"7-9", {}}, CancelToken());
    ASSERT_THAT(first, IsOk());
    ASSERT_THAT(PutText(**first, "mask.png", "second"), IsOk());
    EXPECT_TRUE(state_->objects.contains("root/.glint-partial/scan/7-9/mask.png"));
    state_->calls_left = 0;  // a death: nothing is tidied up
    state_->dead = true;
  }
  state_->calls_left = -1;
  auto again = store->Resume("scan", {"7-9", {}}, CancelToken());
  ASSERT_THAT(again, IsOk());
  for (const char* name : {"mask.png", "golden_00.png", "heatmap.png", "report.json"}) {
    ASSERT_THAT(PutText(**again, name, "second"), IsOk());
  }
  ASSERT_THAT((*again)->Commit(), IsOk());
  again->reset();
  EXPECT_EQ(Left(), second_);
}

TEST_F(BucketStoreTest, ASweepDeletesOldLeftoversAndNothingElse) {
  const auto store = Store();
  ASSERT_THAT(PublishFirst(*store), IsOk());
  state_->objects["root/.glint-partial/scan/1/mask.png"] = "dead";
  state_->modified["root/.glint-partial/scan/1/mask.png"] = {};
  state_->objects["root/.glint-partial/scan/2/mask.png"] = "at work";
  state_->objects["root/scan/.glint-partial-0123/mask.png"] = "of an earlier version";
  state_->modified["root/scan/.glint-partial-0123/mask.png"] = {};
  state_->objects["other/.glint-partial/scan/1/mask.png"] = "another's";
  const auto sweep = [&](const SweepOptions& options) {
    return store->Sweep(options, CancelToken()).value();
  };
  EXPECT_EQ(sweep({}), 1);
  EXPECT_EQ(sweep({}), 0);
  EXPECT_EQ(sweep({.everywhere = true}), 1);
  EXPECT_EQ(sweep({.older_than = std::chrono::seconds(0)}), 1);
  EXPECT_EQ(state_->objects.erase("other/.glint-partial/scan/1/mask.png"), 1U);
  EXPECT_EQ(Left(), first_);
}

TEST_F(BucketStoreTest, ProvesItsAccessAndLeavesNothing) {
  ASSERT_THAT(Store()->Prove(CancelToken()), IsOk());
  EXPECT_TRUE(state_->objects.empty());
  for (int calls = 0; calls < 10; ++calls) {
    state_->calls_left = calls;
    EXPECT_FALSE(Store()->Prove(CancelToken()).ok()) << calls;
    state_->calls_left = -1;
    EXPECT_TRUE(state_->objects.empty()) << calls;
  }
}

TEST_F(BucketStoreTest, ALateAttemptDoesNoHarmWhenItGivesUp) {
  const auto store = Store();
  {
    auto late = store->Begin("scan", CancelToken());
    ASSERT_THAT(late, IsOk());
    ASSERT_THAT(PutText(**late, "mask.png", "late"), IsOk());
    ASSERT_THAT(PublishSecond(*store), IsOk());
  }
  EXPECT_EQ(Left(), second_);
}

/// A worker that was stopped in the middle and has a successor, whose result is complete.
TEST_F(BucketStoreTest, AnAttemptWhoseRightHasGoneTouchesNothingMore) {
  const auto store = Store();
  ASSERT_THAT(PublishFirst(*store), IsOk());
  for (const int confirmed : {0, 1}) {
    int asked = 0;
    const auto confirm = [&]() -> absl::Status {
      if (asked++ < confirmed) return absl::OkStatus();
      EXPECT_THAT(PublishSecond(*store), IsOk());
      return Error(Reason::kCancelled, "another worker has the scan");
    };
    {
      auto late = store->Resume("scan", {"7-9", confirm}, CancelToken());
      ASSERT_THAT(late, IsOk());
      for (const char* name : {"mask.png", "golden_00.png", "heatmap.png", "report.json"}) {
        ASSERT_THAT(PutText(**late, name, "second"), IsOk());
      }
      EXPECT_THAT((*late)->Commit(), FailsWith(Reason::kCancelled, testing::_));
    }
    EXPECT_EQ(Left(), second_) << confirmed;
  }
}

TEST_F(BucketStoreTest, WhatSomebodyElseSweptAwayIsReasonToTryAgain) {
  const auto store = Store();
  auto set = store->Resume("scan", {"7-9", {}}, CancelToken());
  ASSERT_THAT(set, IsOk());
  ASSERT_THAT(PutText(**set, "mask.png", "second"), IsOk());
  ASSERT_THAT(PutText(**set, "report.json", "second"), IsOk());
  ASSERT_THAT(store->Sweep({.older_than = std::chrono::seconds(0)}, CancelToken()), IsOk());
  EXPECT_THAT((*set)->Commit(), FailsWith(Reason::kStoreUnavailable, testing::_));
}

}  // namespace
}  // namespace glint
