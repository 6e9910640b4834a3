// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_report.h"

#include <gmock/gmock.h>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

v1::BatchShare Share(const std::string& tier, const std::string& device, int succeeded, int failed,
                     double seconds) {
  v1::BatchShare share;
  share.set_tier(tier);
  share.set_device(device);
  share.set_succeeded(succeeded);
  share.set_failed(failed);
  share.set_seconds(seconds);
  return share;
}

v1::Batch Sample() {
  v1::Batch batch;
  batch.set_batch("n");
  batch.set_queued(2);
  batch.set_succeeded(57);
  batch.set_failed(3);
  batch.set_scans_per_minute(12.5);
  batch.mutable_time_left()->set_seconds(10);
  *batch.add_shares() = Share("free", "", 0, 0, 0);
  *batch.add_shares() = Share("free", "cpu", 36, 2, 3600);
  *batch.add_shares() = Share("premium", "cuda", 21, 1, 360);
  auto& failures = *batch.add_failures();
  failures.set_reason("NOT_A_VIDEO");
  failures.set_scans(3);
  auto& example = *failures.add_examples();
  example.set_scan_id("s1");
  example.mutable_error()->set_message("is \"text\", no video\n");
  return batch;
}

TEST(ReadPrices, PerDeviceAndForAllOthers) {
  const auto prices = ReadPrices({"cuda=0.59", "0.12"});
  ASSERT_THAT(prices, IsOk());
  EXPECT_EQ(prices->at("cuda"), 0.59);
  EXPECT_EQ(prices->at(""), 0.12);
  for (const char* wrong : {"", "cuda=", "=1", "cuda=-1", "cuda=1x", "nan", "inf"}) {
    EXPECT_THAT(ReadPrices({wrong}), FailsWith(Reason::kInvalidOption, HasSubstr("price")))
        << wrong;
  }
}

TEST(CostsOf, ArePerTierAndDeviceAndPerThousandThatEnded) {
  const auto costs = CostsOf(Sample(), {{"cpu", 0.38}, {"cuda", 2.2}});
  ASSERT_EQ(costs.size(), 2U) << "what no worker had costs nothing";
  EXPECT_EQ(costs[0].tier, "free");
  EXPECT_DOUBLE_EQ(costs[0].cost.value(), 0.38);
  EXPECT_DOUBLE_EQ(costs[0].per_thousand().value(), 10);
  EXPECT_DOUBLE_EQ(costs[1].cost.value(), 0.22);
  EXPECT_DOUBLE_EQ(costs[1].per_thousand().value(), 10);
  const BatchCost total = Total(costs);
  EXPECT_DOUBLE_EQ(total.cost.value(), 0.6);
  EXPECT_EQ(total.ended, 60);
  EXPECT_DOUBLE_EQ(total.per_thousand().value(), 10);
}

TEST(CostsOf, ADeviceWithoutAPriceLeavesItsCostAndTheSumOpen) {
  const auto costs = CostsOf(Sample(), {{"cpu", 0.38}});
  EXPECT_TRUE(costs[0].cost);
  EXPECT_FALSE(costs[1].cost);
  EXPECT_FALSE(Total(costs).cost) << "a sum that leaves something out would be a lie";
}

TEST(BatchReport, TableHasCountsSpeedFailuresAndCosts) {
  const std::string table = BatchReportTable(Sample(), {{"", 0.38}});
  EXPECT_THAT(table, AllOf(HasSubstr("62 scans: 2 queued, 0 running, 57 succeeded, 3 failed"),
                           HasSubstr("12.5 videos a minute, 0:10 left"), HasSubstr("NOT_A_VIDEO"),
                           HasSubstr("s1: is \"text\", no video\\x0a"), HasSubstr("premium"),
                           HasSubstr("10.0000")));
  EXPECT_THAT(BatchTable(Sample()), Not(HasSubstr("s1")));
}

TEST(BatchReport, CsvHasSixFieldsInEachLine) {
  const std::string csv = BatchReportCsv(Sample(), {{"cpu", 0.38}});
  EXPECT_THAT(
      csv,
      AllOf(HasSubstr("what,tier,device,reason,scan_id,value\n"), HasSubstr("\nqueued,,,,,2\n"),
            HasSubstr("\nsucceeded,free,cpu,,,36\n"), HasSubstr("\nfailed_for,,,NOT_A_VIDEO,,3\n"),
            HasSubstr("\nexample,,,NOT_A_VIDEO,s1,\"is \"\"text\"\", no video\n\"\n"),
            HasSubstr("\ncost_per_1000,free,cpu,,,10\n"), Not(HasSubstr("\ncost,premium"))));
}

TEST(BatchReport, JsonHasNumbersAndNullForWhatIsNotKnown) {
  const auto json = BatchReportJson(Sample(), {{"cpu", 0.38}});
  EXPECT_EQ(json["queued"], 2);
  EXPECT_EQ(json["running"], 0) << "zeros are there, too";
  EXPECT_EQ(json["costs"][0]["cost"], 0.38);
  EXPECT_TRUE(json["costs"][1]["cost"].is_null());
  EXPECT_TRUE(json["total"]["cost"].is_null());
}

}  // namespace
}  // namespace glint
