// SPDX-License-Identifier: Apache-2.0
#include "store/s3_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace glint {
namespace {

using std::chrono::sys_days;
using std::chrono::year;

TEST(S3Listing, ReadsKeysTimesAndWhetherMoreFollows) {
  const S3Listing listing = ReadS3Listing(
      "<?xml?><ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a%2Fb%20c%26.png"
      "</Key><LastModified>2026-11-23T21:02:03.456Z</LastModified><Size>1</Size></Contents>"
      "<Contents><Key>d</Key><LastModified>2026-11-23T00:00:00.000Z</LastModified></Contents>"
      "<NextContinuationToken>a&amp;lt;b&quot;</NextContinuationToken></ListBucketResult>");
  ASSERT_EQ(listing.objects.size(), 2U);
  EXPECT_EQ(listing.objects[0].key, "a/b c&.png");
  EXPECT_EQ(listing.objects[0].modified,
            sys_days(year(2026) / 11 / 23) + std::chrono::hours(21) + std::chrono::seconds(123));
  EXPECT_EQ(listing.objects[1].key, "d");
  EXPECT_EQ(listing.continuation, "a&lt;b\"");
}

TEST(S3Listing, TakesWhatIsNoListingForAnEmptyOne) {
  for (const char* text : {"", "<html>", "<Contents><Key></Key></Contents>", "<Contents><Key>a"}) {
    EXPECT_TRUE(ReadS3Listing(text).objects.empty()) << text;
  }
}

TEST(ReadUtc, KnowsATimeFromWhatIsNone) {
  EXPECT_EQ(ReadUtc("1970-01-02T00:00:01+00:00"),
            sys_days(year(1970) / 1 / 2) + std::chrono::seconds(1));
  for (const char* text : {"", "now", "2026-13-01T00:00:00Z", "2026-1-01T00:00:00Z00"}) {
    EXPECT_EQ(ReadUtc(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace glint
