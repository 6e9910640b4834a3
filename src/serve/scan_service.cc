// SPDX-License-Identifier: Apache-2.0
#include "serve/scan_service.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include "api/failure.h"
#include "api/scan_message.h"
#include "api/url.h"
#include "base/catch_exceptions.h"
#include "base/status_macros.h"
#include "observe/trace_context.h"
#include "serve/access.h"
#include "serve/scan_stream.h"

namespace glint {
namespace {

constexpr int kDefaultPage = 100;
constexpr int kMaxOfPage = 1000;
/// Of requests that hold an id, a page's token and numbers.
constexpr std::size_t kSmall = 4 << 10;

/// Who called, for the log: the token by its name, and from where.
std::string NameOf(const IncomingCall::Facts& caller) {
  const std::string& name = caller.caller->name;
  return fmt::format("{} ({})", name.empty() ? "a caller without a token" : name, caller.peer);
}

/// The trace that a call is a part of, for the log; empty when it is in none.
std::string TraceOf(const IncomingCall::Facts& caller) {
  return caller.trace.empty() ? "" : fmt::format(" (trace {})", TraceId(caller.trace));
}

void LogQueued(const IncomingCall::Facts& caller, const NewJob& job) {
  spdlog::info("scan {} is queued by {}: {}{}", job.scan_id, NameOf(caller), job.shown_url,
               TraceOf(caller));
}

}  // namespace

ScanServiceImpl::ScanServiceImpl(CallRouter& router, ServiceState& state, WatchHub& hub,
                                 ScanRules rules)
    : state_(state), hub_(hub), rules_(std::move(rules)) {
  const auto* const service =
      v1::SubmitScanRequest::descriptor()->file()->FindServiceByName("ScanService");
  const std::size_t whole = router.limits().max_request_bytes;
  router.AddUnary<v1::SubmitScanRequest, v1::SubmitScanResponse>(
      service, "SubmitScan", whole, state_.calls,
      [this](const Caller& caller, const auto& request,
             auto& response) -> absl::StatusOr<CallRouter::Later<v1::SubmitScanResponse>> {
        GLINT_ASSIGN_OR_RETURN(auto submitted, Submit(caller, request));
        response.set_created(submitted.created);
        return Shown<v1::SubmitScanResponse>(std::move(submitted.job), response);
      });
  router.AddUnary<v1::GetScanRequest, v1::GetScanResponse>(
      service, "GetScan", kSmall, state_.calls,
      [this](const Caller& caller, const auto& request,
             auto& response) -> absl::StatusOr<CallRouter::Later<v1::GetScanResponse>> {
        GLINT_ASSIGN_OR_RETURN(const auto scan, ScanFor(*caller.caller, Right::kRead,
                                                        request.owner(), request.scan_id()));
        GLINT_ASSIGN_OR_RETURN(auto job, state_.jobs.Get(scan));
        return Shown<v1::GetScanResponse>(std::move(job), response);
      });
  router.AddUnary<v1::ListScansRequest, v1::ListScansResponse>(
      service, "ListScans", kSmall, state_.lists,
      [this](const Caller& caller, const auto& request,
             auto& response) -> absl::StatusOr<CallRouter::Later<v1::ListScansResponse>> {
        GLINT_RETURN_IF_ERROR(List(caller, request, response));
        return nullptr;
      });
  router.AddUnary<v1::CancelScanRequest, v1::CancelScanResponse>(
      service, "CancelScan", kSmall, state_.calls,
      [this](const Caller& caller, const auto& request,
             auto& response) -> absl::StatusOr<CallRouter::Later<v1::CancelScanResponse>> {
        GLINT_ASSIGN_OR_RETURN(auto job, Cancel(caller, request));
        return Shown<v1::CancelScanResponse>(std::move(job), response);
      });
  router.Add(service, "WatchScan",
             {.max_bytes = kSmall,
              .start = [this](const auto& call, auto* bytes) { Watch(call, bytes); }});
  router.Add(
      service, "RunScan",
      {.max_bytes = whole, .start = [this](const auto& call, auto* bytes) { Run(call, bytes); }});
}

/// Shows a job at once, or later, where the URLs of its result have to be signed by others.
template <class Response>
absl::StatusOr<CallRouter::Later<Response>> ScanServiceImpl::Shown(Job job, Response& response) {
  if (job.result.empty() || !rules_.links) {
    GLINT_RETURN_IF_ERROR(Show(job, *response.mutable_scan()));
    return nullptr;
  }
  return [this, job = std::move(job)](Response& shown) { return Show(job, *shown.mutable_scan()); };
}

absl::StatusOr<JobStore::Submitted> ScanServiceImpl::Submit(const Caller& caller,
                                                            const v1::SubmitScanRequest& request) {
  const SubmissionGuard guard(state_);
  if (state_.draining) return DrainingError();
  GLINT_ASSIGN_OR_RETURN(const auto job, Prepare(caller, request));
  auto submitted = state_.jobs.Submit(job);
  if (submitted.ok() && submitted->created) LogQueued(caller, job);
  return submitted;
}

absl::StatusOr<std::vector<absl::StatusOr<JobStore::SubmittedOne>>> ScanServiceImpl::SubmitAll(
    const Caller& caller, std::span<const v1::SubmitScanRequest> requests) {
  const SubmissionGuard guard(state_);
  if (state_.draining) return DrainingError();
  std::vector<absl::StatusOr<NewJob>> prepared;
  std::vector<NewJob> jobs;
  for (const auto& request : requests) {
    prepared.push_back(Prepare(caller, request));
    if (prepared.back().ok()) jobs.push_back(*prepared.back());
  }
  GLINT_ASSIGN_OR_RETURN(auto submitted, state_.jobs.SubmitAll(jobs));
  std::vector<absl::StatusOr<JobStore::SubmittedOne>> answers;
  std::size_t next = 0;
  for (const auto& job : prepared) {
    if (!job.ok()) {
      answers.emplace_back(job.status());
      continue;
    }
    answers.push_back(std::move(submitted[next++]));
    if (answers.back().ok() && answers.back()->created) LogQueued(caller, *job);
  }
  return answers;
}

/// The job that a request asks for. Errors: INVALID_OPTION, NOT_PERMITTED, URL_NOT_ALLOWED
absl::StatusOr<NewJob> ScanServiceImpl::Prepare(const Caller& caller,
                                                const v1::SubmitScanRequest& request) const {
  GLINT_ASSIGN_OR_RETURN(auto job, ToNewJob(request, rules_.defaults));
  GLINT_RETURN_IF_ERROR(MakeOwn(*caller.caller, rules_.usual_tier, job));
  GLINT_RETURN_IF_ERROR(CheckSource(*caller.caller, "video_url", request.video_url(), job));
  if (!request.back_video_url().empty()) {
    GLINT_RETURN_IF_ERROR(
        CheckSource(*caller.caller, "back_video_url", request.back_video_url(), job));
  }
  job.trace = caller.trace;
  return job;
}

/// Whether a scan may read a video from where its request says. @param field  of the request
absl::Status ScanServiceImpl::CheckSource(const Identity& caller, std::string_view field,
                                          const std::string& url, const NewJob& job) const {
  const std::string_view upload = UploadIdOf(url);
  if (upload.empty()) return rules_.check_url ? rules_.check_url(url) : absl::OkStatus();
  if (!rules_.claim_upload) {
    return BadRequest({{std::string(field), "this worker takes no uploads; give an http(s) URL"}});
  }
  absl::Status claimed = rules_.claim_upload(caller.owner, upload, job.scan_id);
  // A scan that is there already may have used it up; the store says whether it is the same one.
  if (!claimed.ok() && state_.jobs.Get(job.scan_id).ok()) return absl::OkStatus();
  return claimed;
}

absl::StatusOr<Job> ScanServiceImpl::Cancel(const Caller& caller,
                                            const v1::CancelScanRequest& request) {
  GLINT_ASSIGN_OR_RETURN(const auto scan_id, ScanFor(*caller.caller, Right::kCancel,
                                                     request.owner(), request.scan_id()));
  auto job = state_.jobs.Cancel(scan_id);
  if (job.ok()) {
    spdlog::info("scan {} is cancelled by {}{}", scan_id, NameOf(caller), TraceOf(caller));
  }
  return job;
}

absl::Status ScanServiceImpl::Show(const Job& job, v1::Scan& scan) const {
  if (job.result.empty()) {
    scan = ToScanMessage(job);
    return absl::OkStatus();
  }
  GLINT_ASSIGN_OR_RETURN(const auto result, DecodeResult(job.result, rules_.links));
  scan = ToScanMessage(job, &result);
  return absl::OkStatus();
}

absl::Status ScanServiceImpl::List(const Caller& caller, const v1::ListScansRequest& request,
                                   v1::ListScansResponse& response) {
  GLINT_ASSIGN_OR_RETURN(auto owner, OwnerToList(*caller.caller, request.owner()));
  std::vector<FieldViolation> wrong;
  if (request.page_size() < 0 || request.page_size() > kMaxOfPage) {
    wrong.push_back({"page_size", fmt::format("is {}; it may be 1 to {}, or 0 for {}",
                                              request.page_size(), kMaxOfPage, kDefaultPage)});
  }
  const auto state = ToJobState(request.state());
  if (!state && request.state() != v1::SCAN_STATE_UNSPECIFIED) {
    wrong.push_back(
        {"state", fmt::format("{} is no ScanState", static_cast<int>(request.state()))});
  }
  if (!wrong.empty()) return BadRequest(wrong);
  const int size = request.page_size() == 0 ? kDefaultPage : request.page_size();
  auto page =
      state_.jobs.List(request.page_token(), size,
                       {.owner = std::move(owner), .state = state, .batch = request.batch()});
  if (ReasonOf(page.status()) == Reason::kInvalidOption) {
    return BadRequest({{"page_token", std::string(Message(page.status()))}});
  }
  if (!page.ok()) return page.status();
  for (const Job& job : page->jobs) {
    *response.add_scans() = ToScanMessage(job);
  }
  response.set_next_page_token(std::move(page->next_token));
  return absl::OkStatus();
}

absl::StatusOr<std::string> ScanServiceImpl::ScanToWatch(const Identity& caller,
                                                         const v1::WatchScanRequest& request) {
  auto scan = ScanFor(caller, Right::kRead, request.owner(), request.scan_id());
  if (scan.ok() && request.after_seq() < 0) {
    return BadRequest({{"after_seq", "is negative; it is the seq of an event, or 0"}});
  }
  return scan;
}

void ScanServiceImpl::Watch(const CallPtr& call, grpc::ByteBuffer* bytes) {
  v1::WatchScanRequest request;
  const absl::Status parsed = ParseRequest(bytes, call->facts().max_bytes, request);
  if (!parsed.ok()) return call->End(parsed);
  const auto scan = ScanToWatch(*call->facts().caller, request);
  if (!scan.ok()) return call->End(scan.status());
  const auto stream = ScanStream<v1::WatchScanResponse>::Make(hub_, call);
  stream->Attach();
  stream->Start(*scan, request.after_seq());
}

void ScanServiceImpl::Run(const CallPtr& call, grpc::ByteBuffer* bytes) {
  const auto request = std::make_shared<v1::RunScanRequest>();
  const absl::Status parsed = ParseRequest(bytes, call->facts().max_bytes, *request);
  if (!parsed.ok()) return call->End(parsed);
  const Identity& caller = *call->facts().caller;
  const auto scan = ScanFor(caller, Right::kRead, "", request->submit().scan_id());
  if (!scan.ok()) return call->End(scan.status());
  if (request->cancel_on_disconnect()) {
    const absl::Status may = CheckRight(caller, Right::kCancel, "cancel scans");
    if (!may.ok()) return call->End(may);
  }
  const auto stream = ScanStream<v1::RunScanResponse>::Make(hub_, call);
  if (request->cancel_on_disconnect()) {
    v1::CancelScanRequest left;
    left.set_scan_id(request->submit().scan_id());
    stream->OnDisconnect([this, caller = call->facts(), left] {
      state_.calls.Post([this, caller, left] {
        const auto cancelled = CatchExceptions([&] { return Cancel(caller, left).status(); });
        if (!cancelled.ok()) {
          spdlog::error("scan {} goes on without its caller: {}", left.scan_id(),
                        Message(cancelled));
        }
      });
    });
  }
  stream->Attach();
  const bool accepted = state_.calls.TryPost([this, call, request, stream, scan = *scan] {
    if (call->gone()) {
      stream->End(Error(Reason::kCancelled, "the caller has left"));
      return;
    }
    const auto submitted =
        CatchExceptions([&] { return Submit(call->facts(), request->submit()).status(); });
    if (submitted.ok()) {
      stream->Start(scan, 0);
    } else {
      stream->End(submitted);
    }
  });
  if (!accepted) stream->End(OverloadedError());
}

}  // namespace glint
