// SPDX-License-Identifier: Apache-2.0
#include "serve/http_api.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "api/failure.h"
#include "api/result.h"
#include "base/catch_exceptions.h"
#include "base/status_macros.h"
#include "glint/v1/scan_service.pb.h"
#include "observe/trace_context.h"
#include "serve/access.h"
#include "serve/http_call.h"
#include "serve/http_json.h"
#include "serve/http_uploads.h"
#include "serve/open_api.h"
#include "serve/page.h"
#include "web/zip_stream.h"

namespace glint {
namespace {

constexpr std::size_t kScanIdBytes = 12;  // random ones of ids that the worker gives
constexpr std::size_t kWatchBytes = 4 << 10;
/// Pages of results run scripts, apart from the worker's own page and without its token.
constexpr std::string_view kResultPolicy =
    "sandbox allow-scripts allow-modals allow-downloads; default-src 'none'; img-src data:; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'";

bool IsJson(const WebRequest& request) {
  const std::string_view type = request.Header("Content-Type").value_or("");
  return type == "application/json" || type.starts_with("application/json;");
}

/// The host of "host", "host:80" or "[v6]:80".
std::string_view HostOf(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.find(':'));
}

/// Whether a name leads here whatever a resolver says: no stranger can point a name of its own
/// here.
bool IsAddress(std::string_view host) {
  if (host == "localhost" || host.starts_with('[')) return true;
  return !host.empty() &&
         std::ranges::all_of(host, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

absl::Status NoResultsHere() {
  return Error(Reason::kInputNotFound,
               "this worker keeps no results itself; the URLs of a scan's objects lead to them");
}

absl::Status NoObject(std::string_view name) {
  return Error(Reason::kInputNotFound,
               fmt::format("the scan's result has no object '{}'", name.substr(0, 200)));
}

WebAnswer OpenApiAnswer(const std::string& document) {
  return {.status = 200,
          .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache"}},
          .body = document};
}

WebAnswer HealthAnswer(bool serving) {
  return {.status = serving ? 200 : 503,
          .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
          .body = serving ? "{\"status\":\"SERVING\"}\n" : "{\"status\":\"NOT_SERVING\"}\n"};
}

/// What every answer says to browsers.
void Harden(WebAnswer& answer) {
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
}

WebPlan AtOnce(WebAnswer answer) {
  Harden(answer);
  return {.answer = std::move(answer)};
}

std::vector<std::string> NamesOf(const v1::ScanResult& result) {
  std::vector<std::string> names;
  for (const v1::ScanObject& object : result.objects()) names.push_back(object.name());
  return names;
}

/// Opens a file that is plain and no link. @return a closed descriptor when it is not there
Descriptor OpenPlain(const std::filesystem::path& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat about {};
  if (!file.open() || fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) return {};
  return file;
}

}  // namespace

HttpApi::HttpApi(CallRouter& router, ServiceState& state, WatchHub& hub, ConnectionJudge& judge,
                 HttpParts parts, std::function<bool()> serving)
    : router_(router),
      state_(state),
      hub_(hub),
      judge_(judge),
      parts_(std::move(parts)),
      serving_(std::move(serving)),
      open_api_(OpenApiDocument(GLINT_VERSION)) {}

absl::StatusOr<std::shared_ptr<const Identity>> HttpApi::CallerOf(const WebRequest& request,
                                                                  const HttpMatch& match) const {
  const HttpTask task = match.route->task;
  const bool may_be_signed = task == HttpTask::kFile || task == HttpTask::kDownload;
  if (may_be_signed && parts_.links != nullptr && !request.Header("Authorization") &&
      request.Parameter("signature")) {
    if (!parts_.links->Opens(request, match.variables.at("scan_id"))) {
      return Error(ServiceReason::kUnauthenticated,
                   "the link is over, or not one of this worker's; ask for the scan again");
    }
    const auto whoever = std::make_shared<Identity>();
    whoever->name = "a signed link";
    whoever->owner = request.Parameter("owner").value_or("");
    return whoever;
  }
  return state_.authenticator.Check(request.Header("Authorization"));
}

/// Whether a page of somebody else makes a visitor's browser call, where no token says who calls.
bool HttpApi::IsForeign(const WebRequest& request) const {
  if (state_.authenticator.asks()) return false;
  const std::string_view authority = request.Header("Host").value_or("");
  const std::string_view host = HostOf(authority);
  if (!IsAddress(host) && (parts_.host.empty() || host != HostOf(parts_.host))) return true;
  const auto origin = request.Header("Origin");
  if (!origin) return false;
  const auto scheme = origin->find("://");
  return scheme == std::string_view::npos || origin->substr(scheme + 3) != authority;
}

WebPlan HttpApi::Plan(const WebRequest& request) {
  HttpMatch match = FindRoute(request.method, request.path);
  const auto allowed =
      match.route == nullptr ? state_.authenticator.Check(std::nullopt) : CallerOf(request, match);
  const bool trusted = match.route != nullptr && allowed.ok();
  judge_.CallStarted(request.peer, trusted);
  WebPlan plan;
  if (request.malformed) {
    plan = AtOnce(RefusalAnswer(400, "the query is not percent-encoded as it should be"));
  } else if (match.route == nullptr && match.verbs.empty()) {
    plan = AtOnce(RefusalAnswer(404, "there is no such path; /openapi.json lists those there are"));
  } else if (match.route == nullptr) {
    plan =
        AtOnce(RefusalAnswer(405, fmt::format("this path has {}", fmt::join(match.verbs, ", "))));
    plan.answer->headers.emplace_back("Allow", fmt::format("{}", fmt::join(match.verbs, ", ")));
  } else if (IsForeign(request)) {
    plan = AtOnce(RefusalAnswer(403,
                                "this worker asks for no token, and so takes calls of its own "
                                "page and of programs only, under its address"));
  } else if (!allowed.ok() && !IsOpen(match.route->task)) {
    plan = AtOnce(FailureAnswer(allowed.status()));
  } else {
    plan = PlanOf(request,
                  {.route = *match.route,
                   .variables = std::move(match.variables),
                   .facts = {.method = "",
                             .peer = request.peer,
                             .caller = allowed.value_or(nullptr),
                             .trace = TraceParent(request.Header("traceparent").value_or(""))}});
  }
  plan.ended = [this, peer = request.peer, trusted](bool left_early) {
    judge_.CallEnded(peer, trusted, left_early);
  };
  return plan;
}

WebPlan HttpApi::PlanOf(const WebRequest& request, Allowed call) {
  switch (call.route.task) {
    case HttpTask::kUnary:
      return PlanUnary(request, std::move(call));
    case HttpTask::kWatch:
      return PlanWatch(std::move(call));
    case HttpTask::kFile:
    case HttpTask::kDownload:
      return PlanResult(request, std::move(call));
    case HttpTask::kHealth:
      return AtOnce(HealthAnswer(serving_()));
    case HttpTask::kOpenApi:
      return AtOnce(OpenApiAnswer(open_api_));
    case HttpTask::kPage:
      return AtOnce(PageAnswer(call.route.method));
    case HttpTask::kUploads:
    case HttpTask::kCreate:
    case HttpTask::kAppend:
    case HttpTask::kPut:
    case HttpTask::kOffset:
    case HttpTask::kTerminate:
      break;
  }
  if (parts_.uploads == nullptr) {
    return AtOnce(RefusalAnswer(404, parts_.no_uploads));
  }
  const auto id = call.variables.find("upload_id");
  return PlanUpload(*parts_.uploads, state_, request, call.route.task,
                    id == call.variables.end() ? "" : id->second, std::move(call.facts));
}

WebPlan HttpApi::PlanUnary(const WebRequest& request, Allowed call) {
  const CallRouter::Unary* method = router_.FindUnary(call.route.method);
  const bool with_body = call.route.verb == "POST";
  const bool has_body = request.Header("Content-Length").value_or("0") != "0" ||
                        request.Header("Transfer-Encoding").has_value();
  if (with_body && has_body && !IsJson(request)) {
    return AtOnce(RefusalAnswer(415, "the body must be JSON, with content-type: application/json"));
  }
  WebFields fields;
  for (const auto& [name, value] : call.variables) fields.emplace_back(name, value);
  std::ranges::copy(request.query, std::back_inserter(fields));
  call.facts.method = method->descriptor->name();
  call.facts.max_bytes = method->max_bytes;
  return {.max_body = with_body ? method->max_bytes : 0,
          .then = [this, method, facts = std::move(call.facts),
                   fields = std::move(fields)](const ExchangePtr& exchange) {
            const auto pending = std::make_shared<HttpCall>(facts, state_.observe, exchange);
            const std::shared_ptr<google::protobuf::Message> message(
                google::protobuf::MessageFactory::generated_factory()
                    ->GetPrototype(method->descriptor->input_type())
                    ->New());
            const absl::Status read = FromJson(exchange->body(), fields, *message);
            if (!read.ok()) return pending->End(read);
            if (auto* submit = dynamic_cast<v1::SubmitScanRequest*>(message.get());
                submit != nullptr && submit->scan_id().empty()) {
              submit->set_scan_id(fmt::format("scan-{}", RandomHex(kScanIdBytes)));
            }
            method->run(pending, message);
          }};
}

WebPlan HttpApi::PlanWatch(Allowed call) {
  call.facts.method = "WatchScan";
  call.facts.max_bytes = kWatchBytes;
  return {.then = [this, call = std::move(call)](const ExchangePtr& exchange) {
    WebFields fields = exchange->request().query;
    for (const auto& [name, value] : call.variables) fields.emplace_back(name, value);
    // What a browser sends that comes back to a stream that broke off.
    if (const auto last = exchange->request().Header("Last-Event-ID"); last && !last->empty()) {
      std::erase_if(fields, [](const auto& field) {
        return field.first == "afterSeq" || field.first == "after_seq";
      });
      fields.emplace_back("after_seq", *last);
    }
    v1::WatchScanRequest request;
    const absl::Status read = FromJson("", fields, request);
    const auto scan = read.ok() ? ScanServiceImpl::ScanToWatch(*call.facts.caller, request) : read;
    if (!scan.ok()) return HttpCall(call.facts, state_.observe, exchange).End(scan.status());
    HttpWatch::Start(hub_, call.facts, state_.observe, exchange, *scan, request.after_seq());
  }};
}

WebPlan HttpApi::PlanResult(const WebRequest& request, Allowed call) {
  call.facts.method = call.route.task == HttpTask::kFile ? "GetFile" : "Download";
  const std::string owner(request.Parameter("owner").value_or(""));
  return {.then = [this, owner, call = std::move(call)](const ExchangePtr& exchange) {
    const auto pending = std::make_shared<HttpCall>(call.facts, state_.observe, exchange);
    const bool accepted = state_.lists.TryPost([this, owner, pending, variables = call.variables] {
      const absl::Status done = CatchExceptions([&] {
        AnswerResult(pending, variables, owner);
        return absl::OkStatus();
      });
      if (!done.ok()) pending->End(done);
    });
    if (!accepted) pending->End(OverloadedError());
  }};
}

void HttpApi::AnswerResult(const std::shared_ptr<HttpCall>& call, const Variables& variables,
                           std::string_view owner) {
  if (!parts_.locate) return call->End(NoResultsHere());
  const std::string& id = variables.at("scan_id");
  const auto scan = ScanFor(*call->facts().caller, Right::kRead, owner, id);
  if (!scan.ok()) return call->End(scan.status());
  const auto job = state_.jobs.Get(*scan);
  if (!job.ok()) return call->End(job.status());
  if (job->result.empty()) return call->End(NoObject("of a scan that has not succeeded"));
  const auto result = DecodeResult(job->result, {});
  if (!result.ok()) return call->End(result.status());
  const auto wanted = variables.find("name");
  if (wanted == variables.end()) {
    std::vector<ZipStream::Entry> entries;
    for (const std::string& name : NamesOf(*result)) {
      entries.push_back({fmt::format("{}/{}", id, name), parts_.locate(*scan, name)});
    }
    const std::shared_ptr<ZipStream> zip = MakeZipStream(std::move(entries));
    WebAnswer answer{
        .headers = {{"Content-Type", "application/zip"},
                    {"Content-Disposition", fmt::format("attachment; filename=\"{}.zip\"", id)},
                    {"Cache-Control", "private, no-store"}},
        .pieces = [zip] { return zip->Next(); }};
    Harden(answer);
    return call->Answer(std::move(answer));
  }
  // Only what the result lists is looked for, so that no name leads anywhere else.
  const auto object = std::ranges::find(result->objects(), wanted->second,
                                        [](const auto& known) { return known.name(); });
  if (object == result->objects().end()) return call->End(NoObject(wanted->second));
  Descriptor file = OpenPlain(parts_.locate(*scan, object->name()));
  if (!file.open()) return call->End(NoObject(wanted->second));
  WebAnswer answer{.headers = {{"Content-Type", object->content_type()},
                               {"Cache-Control", "private, max-age=3600"},
                               {"Content-Security-Policy", std::string(kResultPolicy)}},
                   .file = std::move(file)};
  Harden(answer);
  call->Answer(std::move(answer));
}

}  // namespace glint
