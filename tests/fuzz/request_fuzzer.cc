// SPDX-License-Identifier: Apache-2.0
// Any bytes as the message of SubmitScan, as any caller with a token may send it: refused with
// words that a trailer may hold, or a job whose id names nothing but itself and whose canonical
// request means the same when it is read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/failure.h"
#include "api/request.h"
#include "base/utf8.h"
#include "glint/error.h"

namespace {

using namespace glint;

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckRefusal(const absl::Status& refused) {
  const grpc::Status status = ToGrpc(refused);
  Require(status.error_code() == grpc::StatusCode::INVALID_ARGUMENT);
  Require(!status.error_message().empty() && !ViolationsOf(status).empty());
  Require(ValidUtf8(status.error_message()) == status.error_message());
  Require(status.error_details().size() < 8192);
}

void CheckJob(const NewJob& job) {
  Require(CheckScanId(job.scan_id).ok());
  Require(job.scan_id.find('/') == std::string::npos && job.scan_id.front() != '.');
  Require(job.shown_url.find_first_of("?@#\n ") == std::string::npos);
  Require(job.shown_url.starts_with("http://") || job.shown_url.starts_with("https://"));
  Require(ToScanRequest({.scan_id = job.scan_id, .request = job.request}).ok());
  v1::SubmitScanRequest canonical;
  Require(canonical.ParseFromString(job.request));
  canonical.set_scan_id(job.scan_id);
  const auto again = ToNewJob(canonical, {});
  Require(again.ok() && again->request == job.request && again->shown_url == job.shown_url);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  v1::SubmitScanRequest request;
  if (!request.ParseFromArray(data, static_cast<int>(size))) {
    static_cast<void>(CheckScanId(bytes));
    static_cast<void>(ToScanRequest({.scan_id = "a", .request = std::string(bytes)}));
    return 0;
  }
  const auto job = ToNewJob(request, {});
  if (job.ok()) {
    CheckJob(*job);
  } else {
    CheckRefusal(job.status());
  }
  return 0;
}
