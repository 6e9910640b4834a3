// SPDX-License-Identifier: Apache-2.0
// glint.v1.BatchService over the wire.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/failure.h"
#include "client/client.h"
#include "glint/v1/batch_service.grpc.pb.h"
#include "serve/test_server.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

v1::SubmitScanRequest OfBatch(const std::string& scan_id, const std::string& batch) {
  v1::SubmitScanRequest request = SubmitRequest(scan_id);
  request.set_batch(batch);
  return request;
}

class BatchServiceTest : public testing::Test {
 protected:
  explicit BatchServiceTest(TestServerOptions options = {}) : server_(std::move(options)) {
    auto client = MakeClient({.server = server_.address()});
    EXPECT_THAT(client, IsOk());
    client_ = *std::move(client);
  }

  absl::StatusOr<v1::SubmitBatchResponse> Submit(const std::vector<std::string>& ids,
                                                 const std::string& batch = "n") {
    std::vector<v1::SubmitScanRequest> scans;
    for (const std::string& id : ids) scans.push_back(OfBatch(id, batch));
    return client_->SubmitBatch(scans);
  }
  absl::StatusOr<v1::Batch> Get(const std::string& batch = "n") {
    v1::GetBatchRequest request;
    request.set_batch(batch);
    return client_->GetBatch(request);
  }

  TestServer server_;
  std::unique_ptr<Client> client_;
};

TEST_F(BatchServiceTest, ScansOfAStreamAreQueuedAndThoseThatAreThereStay) {
  std::vector<std::string> ids;
  for (int i = 0; i < 350; ++i) ids.push_back(fmt::format("s{}", i));  // several transactions
  auto submitted = Submit(ids);
  ASSERT_THAT(submitted, IsOk());
  EXPECT_EQ(submitted->created(), 350);
  ids.emplace_back("one-more");
  submitted = Submit(ids);
  ASSERT_THAT(submitted, IsOk());
  EXPECT_EQ(submitted->created(), 1);
  EXPECT_EQ(submitted->existed(), 350);
  const auto batch = Get();
  ASSERT_THAT(batch, IsOk());
  EXPECT_EQ(batch->queued(), 351);
  EXPECT_EQ(batch->batch(), "n");
}

TEST_F(BatchServiceTest, WhatIsWrongWithOneDoesNotStopTheOthers) {
  glint::Submit(server_, "alone");
  ASSERT_THAT(Submit({"elsewhere"}, "m"), IsOk());
  std::vector<v1::SubmitScanRequest> scans = {OfBatch("a", "n"), OfBatch("no id", "n"),
                                              OfBatch("alone", "n"), OfBatch("elsewhere", "n"),
                                              OfBatch("b", "n")};
  scans[4].mutable_options()->set_golden_frames(1000);
  const auto submitted = client_->SubmitBatch(scans);
  ASSERT_THAT(submitted, IsOk());
  EXPECT_EQ(submitted->created(), 1);
  std::map<std::string, v1::ScanError> refused;
  for (const auto& refusal : submitted->refused()) refused[refusal.scan_id()] = refusal.error();
  ASSERT_THAT(refused, SizeIs(4));
  EXPECT_EQ(refused["no id"].reason(), "INVALID_OPTION");
  EXPECT_THAT(refused["b"].message(), HasSubstr("golden_frames"));
  EXPECT_EQ(refused["alone"].reason(), "SCAN_CONFLICT");
  EXPECT_THAT(refused["elsewhere"].message(), HasSubstr("in the batch 'm'"));
}

TEST_F(BatchServiceTest, ACallWithoutScansOrWithTwoBatchesIsRefused) {
  EXPECT_THAT(client_->SubmitBatch({}), FailsWith(Reason::kInvalidOption, HasSubstr("no scans")));
  EXPECT_THAT(Submit({"a"}, ""), FailsWith(Reason::kInvalidOption, HasSubstr("scan.batch")));
  const std::vector<v1::SubmitScanRequest> two = {OfBatch("a", "n"), OfBatch("b", "m")};
  EXPECT_THAT(client_->SubmitBatch(two), FailsWith(Reason::kInvalidOption, HasSubstr("another")));
  EXPECT_THAT(Get(), FailsWith(ServiceReason::kScanNotFound, HasSubstr("'n'")));
}

TEST_F(BatchServiceTest, ADrainingWorkerTakesNone) {
  server_.server().StartDraining();
  EXPECT_THAT(Submit({"a"}), FailsWith(ServiceReason::kDraining, testing::_));
  server_.server().EndDraining();
  EXPECT_THAT(Submit({"a"}), IsOk());
}

TEST_F(BatchServiceTest, ABatchIsCancelledAndItsFailuresAreMadeAgain) {
  ASSERT_THAT(Submit({"a", "b", "c"}), IsOk());
  ASSERT_THAT(server_.jobs().Fail(server_.Claim(), {Reason::kDownloadFailed, "gone"}), IsOk());
  v1::RetryBatchRequest retry;
  retry.set_batch("n");
  retry.add_reasons("NO_SUCH_REASON");
  EXPECT_THAT(client_->RetryBatch(retry), FailsWith(Reason::kInvalidOption, HasSubstr("NO_SUCH")));
  retry.clear_reasons();
  const auto batch = Get();
  ASSERT_THAT(batch, IsOk());
  ASSERT_THAT(batch->failures(), SizeIs(1));
  EXPECT_EQ(batch->failures(0).examples(0).scan_id(), "a");
  EXPECT_EQ(batch->failures(0).examples(0).error().message(), "gone");
  const auto retried = client_->RetryBatch(retry);
  ASSERT_THAT(retried, IsOk());
  EXPECT_EQ(retried->queued(), batch->failures(0).retryable() ? 1 : 0);
  EXPECT_FALSE(retried->more());
  v1::CancelBatchRequest cancel;
  cancel.set_batch("n");
  const auto cancelled = client_->CancelBatch(cancel);
  ASSERT_THAT(cancelled, IsOk());
  EXPECT_EQ(cancelled->cancelled(), 2 + retried->queued());
  EXPECT_EQ(Get()->queued(), 0);
}

TEST(Owners, HaveBatchesOfTheirOwnWhateverTheirNames) {
  const TempFolder folder;
  TestServer server({.token_file = folder.Write(
                         "tokens",
                         "owner=ann tiers=free,premium ann-token-0123456789\n"
                         "owner=bob rights=read bob-token-0123456789\n"
                         "owner=root rights=read,cancel,administer root-token-0123456789\n")});
  const auto client_of = [&](const std::string& token) {
    return *MakeClient({.server = server.address(), .token = token});
  };
  const auto ann = client_of("ann-token-0123456789");
  const auto bob = client_of("bob-token-0123456789");
  const auto root = client_of("root-token-0123456789");
  std::vector<v1::SubmitScanRequest> scans = {OfBatch("a", "n"), OfBatch("b", "n")};
  scans[0].set_tier("premium");
  scans[1].set_tier("gold");
  const auto submitted = ann->SubmitBatch(scans);
  ASSERT_THAT(submitted, IsOk());
  EXPECT_EQ(submitted->created(), 1);
  EXPECT_EQ(submitted->refused(0).error().reason(), "NOT_PERMITTED") << "no tier of hers";
  v1::GetBatchRequest get;
  get.set_batch("n");
  const auto own = ann->GetBatch(get);
  ASSERT_THAT(own, IsOk());
  EXPECT_EQ(own->owner(), "ann");
  EXPECT_EQ(own->shares(0).tier(), "premium");
  EXPECT_THAT(bob->GetBatch(get), FailsWith(ServiceReason::kScanNotFound, testing::_));
  v1::CancelBatchRequest cancel;
  cancel.set_batch("n");
  EXPECT_THAT(bob->CancelBatch(cancel), FailsWith(ServiceReason::kNotPermitted, testing::_));
  get.set_owner("ann");
  EXPECT_THAT(bob->GetBatch(get), FailsWith(ServiceReason::kNotPermitted, testing::_));
  EXPECT_EQ(root->GetBatch(get)->queued(), 1);
  EXPECT_THAT(bob->SubmitBatch(scans)->refused(), SizeIs(2)) << "he may read only";
}

class FullQueueTest : public BatchServiceTest {
 protected:
  FullQueueTest() : BatchServiceTest({.jobs = {.queue_capacity = 2}}) {}
};

TEST_F(FullQueueTest, EachScanThatFoundNoRoomIsNamed) {
  const auto submitted = Submit({"a", "b", "c"});
  ASSERT_THAT(submitted, IsOk());
  EXPECT_EQ(submitted->created(), 2);
  ASSERT_THAT(submitted->refused(), SizeIs(1));
  EXPECT_EQ(submitted->refused(0).error().reason(), "QUEUE_FULL");
  EXPECT_TRUE(submitted->refused(0).error().retryable());
}

}  // namespace
}  // namespace glint
