// SPDX-License-Identifier: Apache-2.0
#include "serve/scan_service.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include "api/failure.h"
#include "api/scan_message.h"
#include "base/catch_exceptions.h"
#include "base/status_macros.h"
#include "serve/stream_reactor.h"

namespace glint {
namespace {

constexpr int kDefaultPage = 100;
constexpr int kMaxOfPage = 1000;

}  // namespace

absl::StatusOr<JobStore::Submitted> ScanServiceImpl::Submit(const v1::SubmitScanRequest& request) {
  if (state_.draining) return DrainingError();
  GLINT_ASSIGN_OR_RETURN(auto job, ToNewJob(request, rules_.defaults));
  if (rules_.check_url) {
    GLINT_RETURN_IF_ERROR(rules_.check_url(request.video_url()));
  }
  auto submitted = state_.jobs.Submit(job);
  if (submitted.ok() && submitted->created) {
    spdlog::info("scan {} is queued: {}", job.scan_id, job.shown_url);
  }
  return submitted;
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

grpc::ServerUnaryReactor* ScanServiceImpl::SubmitScan(grpc::CallbackServerContext* call,
                                                      const v1::SubmitScanRequest* request,
                                                      v1::SubmitScanResponse* response) {
  return HandleUnary(state_, call, "SubmitScan", [this, request, response] {
    GLINT_ASSIGN_OR_RETURN(const auto submitted, Submit(*request));
    response->set_created(submitted.created);
    return Show(submitted.job, *response->mutable_scan());
  });
}

grpc::ServerWriteReactor<v1::WatchScanResponse>* ScanServiceImpl::WatchScan(
    grpc::CallbackServerContext* call, const v1::WatchScanRequest* request) {
  const auto stream = StreamReactor<v1::WatchScanResponse>::Make(state_, hub_, "WatchScan");
  if (const auto allowed = state_.authenticator.Check(*call); !allowed.ok()) {
    stream->End(allowed);
  } else if (const auto id = CheckScanId(request->scan_id()); !id.ok()) {
    stream->End(id);
  } else if (request->after_seq() < 0) {
    stream->End(BadRequest({{"after_seq", "is negative; it is the seq of an event, or 0"}}));
  } else {
    stream->Start(request->scan_id(), request->after_seq());
  }
  return stream.get();
}

grpc::ServerUnaryReactor* ScanServiceImpl::GetScan(grpc::CallbackServerContext* call,
                                                   const v1::GetScanRequest* request,
                                                   v1::GetScanResponse* response) {
  return HandleUnary(state_, call, "GetScan", [this, request, response] {
    GLINT_RETURN_IF_ERROR(CheckScanId(request->scan_id()));
    GLINT_ASSIGN_OR_RETURN(const auto job, state_.jobs.Get(request->scan_id()));
    return Show(job, *response->mutable_scan());
  });
}

absl::Status ScanServiceImpl::List(const v1::ListScansRequest& request,
                                   v1::ListScansResponse& response) {
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
  auto page = state_.jobs.List(request.page_token(), size, state);
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

grpc::ServerUnaryReactor* ScanServiceImpl::ListScans(grpc::CallbackServerContext* call,
                                                     const v1::ListScansRequest* request,
                                                     v1::ListScansResponse* response) {
  return HandleUnary(state_, call, "ListScans",
                     [this, request, response] { return List(*request, *response); });
}

grpc::ServerUnaryReactor* ScanServiceImpl::CancelScan(grpc::CallbackServerContext* call,
                                                      const v1::CancelScanRequest* request,
                                                      v1::CancelScanResponse* response) {
  return HandleUnary(state_, call, "CancelScan", [this, request, response] {
    GLINT_RETURN_IF_ERROR(CheckScanId(request->scan_id()));
    GLINT_ASSIGN_OR_RETURN(const auto job, state_.jobs.Cancel(request->scan_id()));
    return Show(job, *response->mutable_scan());
  });
}

grpc::ServerWriteReactor<v1::RunScanResponse>* ScanServiceImpl::RunScan(
    grpc::CallbackServerContext* call, const v1::RunScanRequest* request) {
  const auto stream = StreamReactor<v1::RunScanResponse>::Make(state_, hub_, "RunScan");
  if (const auto allowed = state_.authenticator.Check(*call); !allowed.ok()) {
    stream->End(allowed);
    return stream.get();
  }
  if (request->cancel_on_disconnect()) {
    stream->OnDisconnect([this, id = request->submit().scan_id()] {
      state_.calls.Post([this, id] {
        const auto cancelled = CatchExceptions([&] { return state_.jobs.Cancel(id).status(); });
        if (!cancelled.ok()) {
          spdlog::error("scan {} goes on without its caller: {}", id, Message(cancelled));
        }
      });
    });
  }
  const bool accepted = state_.calls.TryPost([this, call, request, stream] {
    if (call->IsCancelled()) {
      stream->End(Error(Reason::kCancelled, "the caller has left"));
      return;
    }
    const auto submitted = CatchExceptions([&] { return Submit(request->submit()).status(); });
    if (submitted.ok()) {
      stream->Start(request->submit().scan_id(), 0);
    } else {
      stream->End(submitted);
    }
  });
  if (!accepted) stream->End(OverloadedError());
  return stream.get();
}

}  // namespace glint
