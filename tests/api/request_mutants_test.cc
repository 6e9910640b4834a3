// SPDX-License-Identifier: Apache-2.0
// Submissions with changed bytes, by the checks of tests/fuzz/request_fuzzer.cc, which abort.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "glint/v1/scan_service.pb.h"
#include "support/run_mutants.h"

namespace glint {
namespace {

TEST(Requests, WithChangedBytesPassTheChecksOfTheirFuzzer) {
  v1::SubmitScanRequest request;
  request.set_scan_id("scan-1");
  request.set_video_url("https://user@host.example:8443/a%20b.mp4?token=secret#t=1");
  std::vector<std::string> seeds = {request.SerializeAsString()};
  request.set_video_url("http://[2001:db8::1]/v");
  v1::ScanOptions& options = *request.mutable_options();
  options.set_item_type("card");
  options.set_profile("classic");
  options.set_golden_frames(4);
  options.set_rotation(90);
  options.set_up("right");
  options.set_motion_limit_px(1.5);
  seeds.push_back(request.SerializeAsString());
  RunMutants(seeds, 20'000);
}

}  // namespace
}  // namespace glint
