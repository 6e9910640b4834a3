// SPDX-License-Identifier: Apache-2.0
#include "glint/error.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string_view>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::StrEq;

TEST(Error, EveryReasonSurvivesTheStatus) {
  for (const ReasonInfo& info : Reasons()) {
    const absl::Status status = In("where", Error(info, "what"));
    EXPECT_EQ(status.code(), info.code) << info.name;
    EXPECT_EQ(ReasonName(status), info.name);
    EXPECT_EQ(Info(*ReasonOf(status)).name, info.name);
    EXPECT_THAT(Message(status), StrEq("where: what"));
  }
}

TEST(Error, NamesAreUniqueAndExitCodesAreNeverSuccess) {
  std::set<std::string_view> names;
  for (const ReasonInfo& info : Reasons()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_GT(info.exit_code, 0) << info.name;
  }
}

TEST(Error, EveryReasonHasTheLineOfItsName) {
  const std::map<Reason, std::string_view> names = {
      {Reason::kInternal, "INTERNAL"},
      {Reason::kInvalidOption, "INVALID_OPTION"},
      {Reason::kInputNotFound, "INPUT_NOT_FOUND"},
      {Reason::kInputUnreadable, "INPUT_UNREADABLE"},
      {Reason::kNotAVideo, "NOT_A_VIDEO"},
      {Reason::kUnsupportedVideo, "UNSUPPORTED_VIDEO"},
      {Reason::kCorruptVideo, "CORRUPT_VIDEO"},
      {Reason::kLimitExceeded, "LIMIT_EXCEEDED"},
      {Reason::kOutputUnwritable, "OUTPUT_UNWRITABLE"},
      {Reason::kStoreUnavailable, "STORE_UNAVAILABLE"},
      {Reason::kDiskFull, "DISK_FULL"},
      {Reason::kDeviceUnavailable, "DEVICE_UNAVAILABLE"},
      {Reason::kOutOfMemory, "OUT_OF_MEMORY"},
      {Reason::kCancelled, "CANCELLED"},
      {Reason::kDeadlineExceeded, "DEADLINE_EXCEEDED"},
      {Reason::kUrlNotAllowed, "URL_NOT_ALLOWED"},
      {Reason::kDownloadFailed, "DOWNLOAD_FAILED"},
      {Reason::kStoreDenied, "STORE_DENIED"},
      {Reason::kDecoderDied, "DECODER_DIED"},
  };
  EXPECT_EQ(names.size(), Reasons().size());
  for (const auto& [reason, name] : names) EXPECT_EQ(Info(reason).name, name);
}

TEST(Error, AReasonOfAnotherTableKeepsItsNameAndHasTheReasonOfItsCode) {
  static constexpr ReasonInfo kOwn{"OUT_OF_PAPER", absl::StatusCode::kUnavailable, 20, "refill"};
  const absl::Status status = Error(kOwn, "tray 2");
  EXPECT_EQ(ReasonName(In("print", status)), "OUT_OF_PAPER");
  EXPECT_EQ(ReasonOf(status), Reason::kStoreUnavailable);
}

TEST(Error, AForeignStatusGetsTheReasonOfItsCode) {
  EXPECT_EQ(ReasonOf(absl::OkStatus()), std::nullopt);
  EXPECT_EQ(ReasonName(absl::CancelledError("x")), "");
  EXPECT_EQ(ReasonOf(absl::CancelledError("x")), Reason::kCancelled);
  EXPECT_EQ(ReasonOf(absl::OutOfRangeError("x")), Reason::kInternal);
  EXPECT_TRUE(In("where", absl::OkStatus()).ok());
}

}  // namespace
}  // namespace glint
