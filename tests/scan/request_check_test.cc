// SPDX-License-Identifier: Apache-2.0
#include "scan/request_check.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

ScanRequest Good() { return {.scan_id = "scan-1", .input = "a.mp4"}; }

TEST(CheckRequest, TakesTheDefaults) { EXPECT_THAT(CheckRequest(Good()), IsOk()); }

TEST(CheckRequest, TakesAReferenceForPhotometric) {
  ScanRequest request = Good();
  request.profile = kProfilePhotometric;
  request.reference = "a.png";
  EXPECT_THAT(CheckRequest(request), IsOk());
}

TEST(CheckRequest, NamesWhatIsWrong) {
  struct Case {
    void (*spoil)(ScanRequest&);
    const char* message;
  };
  for (const Case& c : {
           Case{[](ScanRequest& r) { r.scan_id = ""; }, "scan id ''"},
           Case{[](ScanRequest& r) { r.scan_id = "../x"; }, "scan id '../x'"},
           Case{[](ScanRequest& r) { r.scan_id = ".hidden"; }, "leading dot"},
           Case{[](ScanRequest& r) { r.scan_id = std::string(129, 'a'); }, "1 to 128"},
           Case{[](ScanRequest& r) { r.profile = "magic"; },
                "'magic'; there are: photometric, classic"},
           Case{[](ScanRequest& r) { r.item_type = "toy"; }, "toy"},
           Case{[](ScanRequest& r) { r.motion_limit_px = 0; }, "above 0"},
           Case{
               [](ScanRequest& r) { r.motion_limit_px = std::numeric_limits<double>::quiet_NaN(); },
               "above 0"},
           Case{[](ScanRequest& r) { r.golden_frames = 0; }, "golden frames is 0"},
           Case{[](ScanRequest& r) { r.golden_frames = 33; }, "1 to 32"},
           Case{[](ScanRequest& r) { r.golden_gap = 0; }, "gap"},
           Case{[](ScanRequest& r) {
                  r.profile = kProfileClassic;
                  r.reference = "a.png";
                },
                "classic compares with no reference; --reference needs --profile photometric"},
       }) {
    ScanRequest request = Good();
    c.spoil(request);
    EXPECT_THAT(CheckRequest(request), FailsWith(Reason::kInvalidOption, HasSubstr(c.message)));
  }
}

}  // namespace
}  // namespace glint
