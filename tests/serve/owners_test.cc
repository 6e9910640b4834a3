// SPDX-License-Identifier: Apache-2.0
// What a token allows: whose scans are seen and touched, tiers, quotas, rights; and what an owner
// can do that wants to see, stop or push aside the scans of others.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "api/failure.h"
#include "serve/access.h"
#include "serve/test_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::_;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kSite = "site-token-0123456789";
constexpr const char* kShop = "shop-token-0123456789";
constexpr const char* kReader = "reader-token-0123456789";
constexpr const char* kAll = "everything-token-0123456789";

class Owners : public testing::Test {
 protected:
  v1::SubmitScanRequest Request(const std::string& id, const std::string& tier = "") {
    v1::SubmitScanRequest request = SubmitRequest(id);
    request.set_tier(tier);
    return request;
  }
  absl::StatusOr<v1::Scan> Submit(const std::string& token, const v1::SubmitScanRequest& request) {
    Call call(token);
    v1::SubmitScanResponse response;
    const auto status = FromGrpc(server_.scans().SubmitScan(&call, request, &response));
    if (!status.ok()) return status;
    return response.scan();
  }
  absl::StatusOr<v1::Scan> Get(const std::string& token, const std::string& id,
                               const std::string& owner = "") {
    Call call(token);
    v1::GetScanRequest request;
    request.set_scan_id(id);
    request.set_owner(owner);
    v1::GetScanResponse response;
    const auto status = FromGrpc(server_.scans().GetScan(&call, request, &response));
    if (!status.ok()) return status;
    return response.scan();
  }
  absl::Status Cancel(const std::string& token, const std::string& id,
                      const std::string& owner = "") {
    Call call(token);
    v1::CancelScanRequest request;
    request.set_scan_id(id);
    request.set_owner(owner);
    v1::CancelScanResponse response;
    return FromGrpc(server_.scans().CancelScan(&call, request, &response));
  }
  absl::StatusOr<std::vector<std::string>> List(const std::string& token,
                                                const std::string& owner = "") {
    Call call(token);
    v1::ListScansRequest request;
    request.set_owner(owner);
    v1::ListScansResponse response;
    const auto status = FromGrpc(server_.scans().ListScans(&call, request, &response));
    if (!status.ok()) return status;
    std::vector<std::string> scans;
    for (const v1::Scan& scan : response.scans()) {
      scans.push_back(fmt::format("{}:{}", scan.owner(), scan.scan_id()));
    }
    return scans;
  }
  absl::Status Watch(const std::string& token, const std::string& id,
                     const std::string& owner = "") {
    Call call(token);
    v1::WatchScanRequest request;
    request.set_scan_id(id);
    request.set_owner(owner);
    const auto stream = server_.scans().WatchScan(&call, request);
    v1::WatchScanResponse first;
    if (stream->Read(&first)) {
      call.TryCancel();
      return absl::OkStatus();
    }
    return FromGrpc(stream->Finish());
  }
  absl::Status Workers(const std::string& token) {
    Call call(token);
    v1::ListWorkersResponse response;
    return FromGrpc(server_.worker().ListWorkers(&call, {}, &response));
  }

  const TempFolder folder_;
  const std::filesystem::path tokens_ =
      folder_.Write("tokens", fmt::format("the site owner=site tiers=premium,free queued=3 {}\n"
                                          "owner=shop {}\n"
                                          "dashboard owner=site rights=read {}\n"
                                          "ops {}\n",
                                          kSite, kShop, kReader, kAll));
  TestServer server_{{.token_file = tokens_, .rules = {.usual_tier = "free"}}};
};

TEST_F(Owners, SeeAndTouchTheirOwnScansOnly) {
  ASSERT_THAT(Submit(kSite, Request("scan-1")), IsOk());
  ASSERT_THAT(Submit(kShop, Request("scan-2")), IsOk());
  EXPECT_THAT(*List(kSite), ElementsAre("site:scan-1"));
  EXPECT_THAT(*List(kShop), ElementsAre("shop:scan-2"));
  for (const char* theirs : {"scan-2", "none"}) {  // the same answer to both
    const auto not_found =
        FailsWith(ServiceReason::kScanNotFound, testing::EndsWith(fmt::format("'{}'", theirs)));
    EXPECT_THAT(Get(kSite, theirs), not_found);
    EXPECT_THAT(Cancel(kSite, theirs), not_found);
    EXPECT_THAT(Watch(kSite, theirs), not_found);
  }
  EXPECT_EQ(Get(kShop, "scan-2")->state(), v1::SCAN_STATE_QUEUED);
  EXPECT_THAT(Watch(kShop, "scan-2"), IsOk());
}

TEST_F(Owners, MayUseTheSameIdWithoutMeeting) {
  ASSERT_THAT(Submit(kSite, Request("scan-1")), IsOk());
  v1::SubmitScanRequest other = Request("scan-1");
  other.set_video_url("https://media.example/another.mp4");
  ASSERT_THAT(Submit(kShop, other), IsOk());
  ASSERT_THAT(Cancel(kSite, "scan-1"), IsOk());
  EXPECT_EQ(Get(kSite, "scan-1")->state(), v1::SCAN_STATE_CANCELLED);
  const auto theirs = Get(kShop, "scan-1");
  EXPECT_EQ(theirs->state(), v1::SCAN_STATE_QUEUED);
  EXPECT_EQ(theirs->owner(), "shop");
  EXPECT_EQ(theirs->scan_id(), "scan-1");
  EXPECT_EQ(theirs->video_url(), "https://media.example/another.mp4");
}

TEST_F(Owners, CannotReachOthersByNamesThatTheStoreUses) {
  ASSERT_THAT(Submit(kShop, Request("scan-2")), IsOk());
  for (const char* id : {"@shop/scan-2", "shop/scan-2", "../shop/scan-2", "@shop", ""}) {
    EXPECT_THAT(Get(kSite, id), FailsWith(Reason::kInvalidOption, _)) << id;
    EXPECT_THAT(Submit(kSite, Request(id)), FailsWith(Reason::kInvalidOption, _)) << id;
    EXPECT_THAT(Cancel(kAll, id), FailsWith(Reason::kInvalidOption, _)) << id;
  }
  for (const char* owner : {"shop", "*", "", "@shop"}) {
    const auto refused = owner[0] == '\0' ? FailsWith(ServiceReason::kScanNotFound, _)
                                          : FailsWith(ServiceReason::kNotPermitted, _);
    EXPECT_THAT(Get(kSite, "scan-2", owner), refused) << owner;
    EXPECT_THAT(Cancel(kSite, "scan-2", owner), refused) << owner;
    EXPECT_THAT(Watch(kSite, "scan-2", owner), refused) << owner;
  }
  EXPECT_THAT(List(kSite, "shop"), FailsWith(ServiceReason::kNotPermitted, _));
  EXPECT_THAT(List(kSite, "*"), FailsWith(ServiceReason::kNotPermitted, _));
  EXPECT_EQ(Get(kShop, "scan-2")->state(), v1::SCAN_STATE_QUEUED);
}

TEST_F(Owners, AreRefusedLongNames) {
  const std::string longest(128, 'x');
  EXPECT_THAT(Submit(kSite, Request(longest)), IsOk());
  EXPECT_THAT(Get(kSite, longest), IsOk());
  EXPECT_THAT(Submit(kSite, Request(longest + "x")), FailsWith(Reason::kInvalidOption, _));
  EXPECT_THAT(Submit(kAll, Request("a", std::string(65, 'x'))),
              FailsWith(Reason::kInvalidOption, _));
  EXPECT_THAT(Get(kAll, "a", std::string(3000, 'x')), FailsWith(Reason::kInvalidOption, _));
  v1::SubmitScanRequest request = Request("b");
  request.set_batch(std::string(129, 'x'));
  EXPECT_THAT(Submit(kSite, request), FailsWith(Reason::kInvalidOption, _));
}

TEST_F(Owners, ThatFloodGetNoMoreThanTheirTurns) {
  int accepted = 0;
  for (int i = 0; i < 20; ++i) {
    const auto submitted = Submit(kSite, Request(fmt::format("flood-{}", i), "free"));
    if (submitted.ok()) {
      ++accepted;
    } else {
      EXPECT_THAT(submitted, FailsWith(ServiceReason::kQuotaExceeded, HasSubstr("3 scans")));
    }
  }
  EXPECT_EQ(accepted, 3);
  const auto polite = Submit(kShop, Request("one"));
  ASSERT_THAT(polite, IsOk());
  EXPECT_EQ(polite->tier(), "free");
  EXPECT_EQ(polite->progress().queue_position(), 0) << "it learns nothing of others' scans";
  EXPECT_EQ(server_.Claim().scan_id, "@site/flood-0");
  EXPECT_EQ(server_.Claim().scan_id, "@shop/one");
}

TEST_F(Owners, SubmitToTheirTiersOnly) {
  EXPECT_EQ(Submit(kSite, Request("a"))->tier(), "premium") << "the token's first";
  EXPECT_EQ(Submit(kSite, Request("b", "free"))->tier(), "free");
  EXPECT_THAT(Submit(kSite, Request("c", "gold")),
              FailsWith(ServiceReason::kNotPermitted, AllOf(HasSubstr("gold"), HasSubstr("free"))));
  EXPECT_EQ(Submit(kShop, Request("d"))->tier(), "free") << "the worker's usual one";
  EXPECT_THAT(Submit(kShop, Request("e", "premium")), FailsWith(ServiceReason::kNotPermitted, _));
  EXPECT_EQ(Submit(kAll, Request("f", "gold"))->tier(), "gold");
}

TEST_F(Owners, HaveTheRightsOfTheirTokens) {
  ASSERT_THAT(Submit(kSite, Request("scan-1")), IsOk());
  EXPECT_THAT(Get(kReader, "scan-1"), IsOk()) << "another token of the same owner";
  EXPECT_THAT(*List(kReader), SizeIs(1));
  EXPECT_THAT(Cancel(kReader, "scan-1"),
              FailsWith(ServiceReason::kNotPermitted, HasSubstr("right to cancel")));
  EXPECT_THAT(Submit(kReader, Request("b")),
              FailsWith(ServiceReason::kNotPermitted, HasSubstr("'dashboard'")));
  Call call(kReader);
  v1::RunScanRequest run;
  *run.mutable_submit() = Request("b");
  EXPECT_THAT(FromGrpc(server_.scans().RunScan(&call, run)->Finish()),
              FailsWith(ServiceReason::kNotPermitted, _));
  EXPECT_THAT(Workers(kSite), FailsWith(ServiceReason::kNotPermitted, _));
}

TEST_F(Owners, ATokenWithoutSettingsStillMeansEverything) {
  ASSERT_THAT(Submit(kSite, Request("scan-1")), IsOk());
  ASSERT_THAT(Submit(kAll, Request("scan-1", "any")), IsOk());
  EXPECT_THAT(*List(kAll), ElementsAre(":scan-1"));
  EXPECT_THAT(*List(kAll, "*"), ElementsAre(":scan-1", "site:scan-1"));
  EXPECT_EQ(Get(kAll, "scan-1", "site")->owner(), "site");
  EXPECT_THAT(Watch(kAll, "scan-1", "site"), IsOk());
  EXPECT_THAT(Cancel(kAll, "scan-1", "site"), IsOk());
  EXPECT_EQ(Get(kSite, "scan-1")->state(), v1::SCAN_STATE_CANCELLED);
  EXPECT_THAT(Workers(kAll), IsOk());
}

TEST_F(Owners, AdministratorsSeeTheWorkers) {
  ASSERT_THAT(server_.jobs().Register({.name = "host:1:worker-0",
                                       .version = "0.1.0",
                                       .devices = {"cuda"},
                                       .tiers = {"premium", "*"},
                                       .lanes = 2,
                                       .running = 1}),
              IsOk());
  Call call(kAll);
  v1::ListWorkersResponse response;
  ASSERT_TRUE(server_.worker().ListWorkers(&call, {}, &response).ok());
  ASSERT_THAT(response.workers(), SizeIs(1));
  const v1::FleetWorker& worker = response.workers(0);
  EXPECT_EQ(worker.name(), "host:1:worker-0");
  EXPECT_THAT(worker.devices(), ElementsAre("cuda"));
  EXPECT_THAT(worker.tiers(), ElementsAre("premium", "*"));
  EXPECT_EQ(worker.running(), 1);
  EXPECT_TRUE(worker.alive());
}

/// What a token file's line allows, or why it does not.
absl::StatusOr<Identity> ReadLine(const std::string& line) {
  const TempFolder folder;
  const auto file = folder.Write("tokens", fmt::format("{} {}\n", line, kSite));
  const auto tokens = TokenList::Load("", file);
  if (!tokens.ok()) return tokens.status();
  return *(*tokens)->Find(kSite);
}

TEST(TokenFile, SaysWhatATokenAllows) {
  const auto all = ReadLine(
      "the shop owner=shop tiers=premium,free rights=read,cancel queued=10 running=2 "
      "frames-per-day=300000");
  ASSERT_THAT(all, IsOk());
  EXPECT_EQ(all->name, "the shop");
  EXPECT_EQ(all->owner, "shop");
  EXPECT_THAT(all->tiers, ElementsAre("premium", "free"));
  EXPECT_EQ(all->quotas, (OwnerQuotas{.queued = 10, .running = 2, .frames_per_day = 300'000}));
  EXPECT_TRUE(all->rights.Has(Right::kRead));
  EXPECT_FALSE(all->rights.Has(Right::kSubmit));
  EXPECT_EQ(ReadLine("owner=shop")->name, "shop");
  EXPECT_EQ(ReadLine("owner=shop")->rights, Rights::Usual());
}

TEST(TokenFile, LinesOfBeforeMeanWhatTheyMeant) {
  for (const char* name : {"the site", "a=b", "two  blanks", "x = y"}) {
    const auto identity = ReadLine(name);
    ASSERT_THAT(identity, IsOk()) << name;
    EXPECT_EQ(identity->name, name);
    EXPECT_EQ(identity->owner, "");
    EXPECT_EQ(identity->rights, Rights::All());
    EXPECT_EQ(identity->quotas, OwnerQuotas());
    EXPECT_THAT(identity->tiers, IsEmpty());
  }
}

TEST(TokenFile, WhatItCannotMeanIsAnErrorAndNotARight) {
  for (const char* line :
       {"owner=", "owner=a/b", "owner=.x", "owner=shop rihgts=read", "owner=shop rights=all",
        "owner=shop rights=", "owner=shop queued=0", "owner=shop queued=many",
        "owner=shop running=-1", "owner=shop frames-per-day=1e6",
        "owner=shop tiers=", "owner=shop tiers=a,,b", "queued=3", "owner=shop tiers=pre/mium"}) {
    EXPECT_THAT(ReadLine(line), FailsWith(Reason::kInvalidOption, HasSubstr("line 1 of"))) << line;
  }
}

}  // namespace
}  // namespace glint
