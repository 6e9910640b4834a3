// SPDX-License-Identifier: Apache-2.0
#include "serve/http_uploads.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "api/failure.h"
#include "api/url.h"
#include "base/catch_exceptions.h"
#include "serve/access.h"
#include "serve/http_call.h"
#include "serve/http_json.h"
#include "serve/link_signer.h"

namespace glint {
namespace {

constexpr std::string_view kTusVersion = "1.0.0";
constexpr std::string_view kPatchType = "application/offset+octet-stream";
constexpr std::size_t kUploadIdBytes = 16;

std::optional<std::int64_t> NumberOf(const WebRequest& request, std::string_view header) {
  const auto text = request.Header(header);
  std::int64_t number = 0;
  if (!text) return std::nullopt;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
  if (read.ec != std::errc() || read.ptr != text->data() + text->size() || number < 0) {
    return std::nullopt;
  }
  return number;
}

/// What every answer of a tus server says.
WebAnswer Tus(WebAnswer answer) {
  answer.headers.emplace_back("Tus-Resumable", kTusVersion);
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return answer;
}

WebPlan Refuse(int status, std::string_view message) {
  return {.answer = Tus(RefusalAnswer(status, message))};
}

WebPlan Fail(const absl::Status& status) { return {.answer = Tus(FailureAnswer(status))}; }

WebAnswer Stands(int status, const UploadInfo& info, bool in_json) {
  const auto expires = std::chrono::system_clock::to_time_t(info.expires);
  WebAnswer answer{.status = status,
                   .headers = {{"Upload-Offset", fmt::format("{}", info.offset)},
                               {"Upload-Length", fmt::format("{}", info.length)},
                               {"Upload-Expires",
                                fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(expires))},
                               {"Cache-Control", "no-store"}}};
  if (in_json) {
    answer.headers.emplace_back("Location", fmt::format("/v1/uploads/{}", info.id));
    answer.headers.emplace_back("Content-Type", "application/json");
    answer.body = nlohmann::json{{"uploadId", info.id},
                                 {"videoUrl", fmt::format("{}{}", kUploadScheme, info.id)},
                                 {"length", fmt::format("{}", info.length)},
                                 {"offset", fmt::format("{}", info.offset)}}
                      .dump() +
                  "\n";
  }
  return Tus(std::move(answer));
}

WebAnswer Abilities(const UploadStore& uploads) {
  return Tus({.status = 204,
              .headers = {{"Tus-Version", std::string(kTusVersion)},
                          {"Tus-Extension", "creation,expiration,termination"},
                          {"Tus-Max-Size", fmt::format("{}", uploads.limits().max_bytes)}}});
}

/// A body on its way into an upload.
class UploadBody final : public WebBody {
 public:
  explicit UploadBody(std::shared_ptr<UploadWriter> writer) : writer_(std::move(writer)) {}
  std::optional<WebAnswer> Add(std::span<const std::byte> piece) override {
    const absl::Status added = writer_->Add(piece);
    if (added.ok()) return std::nullopt;
    writer_.reset();
    return Tus(FailureAnswer(added));
  }

 private:
  std::shared_ptr<UploadWriter> writer_;
};

/// A plan that takes the rest of an upload, and answers when it is on the disk.
WebPlan TakeRest(ServiceState& state, std::shared_ptr<UploadWriter> writer,
                 PendingCall::Facts facts, bool created) {
  const auto rest = static_cast<std::size_t>(writer->info().length - writer->info().offset);
  facts.method = "Upload";
  // The request holds the writer, and with it the upload's lock, no longer than it lasts.
  const std::weak_ptr<UploadWriter> held = writer;
  return {.max_body = rest,
          .body = std::make_unique<UploadBody>(std::move(writer)),
          .then = [&state, held, created,
                   facts = std::move(facts)](const std::shared_ptr<WebExchange>& exchange) {
            const auto call = std::make_shared<HttpCall>(facts, state.observe, exchange);
            const auto ours = held.lock();
            if (!ours) return call->End(Error(Reason::kCancelled, "the client has left"));
            const bool accepted = state.slow.TryPost([call, ours, created] {
              const absl::Status synced = CatchExceptions([&] { return ours->Sync(); });
              if (!synced.ok()) return call->Answer(Tus(FailureAnswer(synced)));
              const UploadInfo& info = ours->info();
              if (info.whole()) {
                spdlog::info("upload {} of {} bytes is here, from {}", info.id, info.length,
                             call->facts().peer);
              }
              call->Answer(Stands(created ? 201 : 204, info, created));
            });
            if (!accepted) call->Answer(Tus(FailureAnswer(OverloadedError())));
          }};
}

WebPlan Create(UploadStore& uploads, const WebRequest& request, const std::string& owner) {
  const auto length = NumberOf(request, "Upload-Length");
  if (!length) {
    return Refuse(400,
                  "Upload-Length is missing or no number; lengths that come later are not taken");
  }
  const auto made = uploads.Create(owner, RandomHex(kUploadIdBytes), *length);
  if (!made.ok()) return Fail(made.status());
  return {.answer = Stands(201, *made, true)};
}

WebPlan Append(UploadStore& uploads, ServiceState& state, const WebRequest& request,
               const std::string& id, PendingCall::Facts facts) {
  if (request.Header("Content-Type") != kPatchType) {
    return Refuse(415, "the body of PATCH has content-type: application/offset+octet-stream");
  }
  const auto offset = NumberOf(request, "Upload-Offset");
  if (!offset) return Refuse(400, "Upload-Offset is missing or no number");
  auto writer = uploads.Write(facts.caller->owner, id);
  if (FailureReasonOf(writer.status()) == ServiceReason::kClaimLost) {
    return Refuse(423, Message(writer.status()));
  }
  if (!writer.ok()) return Fail(writer.status());
  if ((*writer)->info().offset != *offset) {
    return Refuse(
        409, fmt::format("the upload has {} bytes; go on from there", (*writer)->info().offset));
  }
  return TakeRest(state, *std::move(writer), std::move(facts), false);
}

WebPlan Put(UploadStore& uploads, ServiceState& state, const WebRequest& request,
            const std::string& id, PendingCall::Facts facts) {
  const auto length = NumberOf(request, "Content-Length");
  if (!length)
    return Refuse(411, "PUT needs a Content-Length; pieces of unknown length are not taken");
  const std::string& owner = facts.caller->owner;
  // One that was cut off is begun anew; one that is whole stays as it is.
  if (const auto before = uploads.Get(owner, id); before.ok() && !before->whole()) {
    if (!uploads.Remove(owner, id).ok()) return Refuse(423, "the upload is being written to");
  }
  const auto made = uploads.Create(owner, id, *length);
  if (!made.ok()) return Fail(made.status());
  auto writer = uploads.Write(owner, id);
  if (!writer.ok()) return Fail(writer.status());
  return TakeRest(state, *std::move(writer), std::move(facts), true);
}

}  // namespace

WebPlan PlanUpload(UploadStore& uploads, ServiceState& state, const WebRequest& request,
                   HttpTask task, const std::string& id, PendingCall::Facts facts) {
  if (task == HttpTask::kUploads) return {.answer = Abilities(uploads)};
  if (request.Header("Tus-Resumable").value_or(kTusVersion) != kTusVersion) {
    WebPlan refusal = Refuse(412, "this worker speaks tus 1.0.0");
    refusal.answer->headers.emplace_back("Tus-Version", kTusVersion);
    return refusal;
  }
  const Right right = task == HttpTask::kOffset ? Right::kRead : Right::kSubmit;
  if (const auto may = CheckRight(*facts.caller, right, "bring videos"); !may.ok())
    return Fail(may);
  if (state.draining && task != HttpTask::kOffset && task != HttpTask::kTerminate) {
    return Fail(DrainingError());
  }
  const std::string owner = facts.caller->owner;
  if (task == HttpTask::kCreate) return Create(uploads, request, owner);
  if (task == HttpTask::kAppend) return Append(uploads, state, request, id, std::move(facts));
  if (task == HttpTask::kPut) return Put(uploads, state, request, id, std::move(facts));
  if (task == HttpTask::kTerminate) {
    const absl::Status removed = uploads.Remove(owner, id);
    if (FailureReasonOf(removed) == ServiceReason::kClaimLost) {
      return Refuse(423, Message(removed));
    }
    return removed.ok() ? WebPlan{.answer = Tus({.status = 204})} : Fail(removed);
  }
  const auto info = uploads.Get(owner, id);
  return info.ok() ? WebPlan{.answer = Stands(200, *info, false)} : Fail(info.status());
}

}  // namespace glint
