// SPDX-License-Identifier: Apache-2.0
#include "serve/http_routes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "web/web_request.h"

namespace glint {
namespace {

constexpr std::array kRoutes = {
    HttpRoute{"POST", "/v1/scans", HttpTask::kUnary, "glint.v1.ScanService/SubmitScan",
              "Puts a scan into the queue. Without a scan_id it gets one"},
    HttpRoute{"GET", "/v1/scans", HttpTask::kUnary, "glint.v1.ScanService/ListScans",
              "Scans, newest first"},
    HttpRoute{"GET", "/v1/scans/{scan_id}", HttpTask::kUnary, "glint.v1.ScanService/GetScan",
              "A scan as it stands"},
    HttpRoute{"GET", "/v1/scans/{scan_id}:watch", HttpTask::kWatch,
              "glint.v1.ScanService/WatchScan", "A scan's events, as server-sent events"},
    HttpRoute{"POST", "/v1/scans/{scan_id}:cancel", HttpTask::kUnary,
              "glint.v1.ScanService/CancelScan", "Cancels a scan that waits or runs"},
    HttpRoute{"GET", "/v1/scans/{scan_id}:download", HttpTask::kDownload, "",
              "All objects of a result, as a zip archive"},
    HttpRoute{"GET", "/v1/scans/{scan_id}/files/{name=**}", HttpTask::kFile, "",
              "An object of a result"},
    HttpRoute{"GET", "/v1/batches/{batch}", HttpTask::kUnary, "glint.v1.BatchService/GetBatch",
              "How a batch stands"},
    HttpRoute{"POST", "/v1/batches/{batch}:cancel", HttpTask::kUnary,
              "glint.v1.BatchService/CancelBatch", "Cancels scans of a batch"},
    HttpRoute{"POST", "/v1/batches/{batch}:retry", HttpTask::kUnary,
              "glint.v1.BatchService/RetryBatch", "Queues failed scans of a batch again"},
    HttpRoute{"GET", "/v1/worker", HttpTask::kUnary, "glint.v1.WorkerService/GetWorkerInfo",
              "What this worker is and what it works with"},
    HttpRoute{"GET", "/v1/workers", HttpTask::kUnary, "glint.v1.WorkerService/ListWorkers",
              "The workers that share the queue"},
    HttpRoute{"OPTIONS", "/v1/uploads", HttpTask::kUploads, "",
              "What uploads may be, by the tus protocol"},
    HttpRoute{"POST", "/v1/uploads", HttpTask::kCreate, "", "Begins an upload (tus: creation)"},
    HttpRoute{"HEAD", "/v1/uploads/{upload_id}", HttpTask::kOffset, "",
              "How much of an upload has come (tus)"},
    HttpRoute{"PATCH", "/v1/uploads/{upload_id}", HttpTask::kAppend, "",
              "Bytes of an upload, from Upload-Offset on (tus)"},
    HttpRoute{"PUT", "/v1/uploads/{upload_id}", HttpTask::kPut, "",
              "An upload in one request; what is cut off can be resumed with PATCH"},
    HttpRoute{"DELETE", "/v1/uploads/{upload_id}", HttpTask::kTerminate, "",
              "Deletes an upload (tus: termination)"},
    HttpRoute{"GET", "/healthz", HttpTask::kHealth, "", "200 while the worker serves, else 503"},
    HttpRoute{"GET", "/openapi.json", HttpTask::kOpenApi, "", "This document"},
    HttpRoute{"GET", "/", HttpTask::kPage, "index.html", "The worker's page for people"},
    HttpRoute{"GET", "/page.css", HttpTask::kPage, "page.css", "Its style"},
    HttpRoute{"GET", "/page.js", HttpTask::kPage, "page.js", "Its script"},
};

/// The text up to the separator; takes it, and that, off the front.
std::string_view TakePart(std::string_view& text) {
  const auto slash = std::min(text.find('/'), text.size());
  const std::string_view part = text.substr(0, slash);
  text.remove_prefix(std::min(slash + 1, text.size()));
  return part;
}

/// Whether a part of a path is what a part of a route's path says; its variable is set then.
bool MatchPart(std::string_view wanted, std::string_view part, HttpMatch& match) {
  if (!wanted.starts_with('{')) return wanted == part;
  const auto close = wanted.find('}');
  const std::string_view suffix = wanted.substr(close + 1);
  if (!part.ends_with(suffix)) return false;
  auto value = PercentDecoded(part.substr(0, part.size() - suffix.size()));
  if (!value || value->empty() || value->find(':') != std::string::npos) return false;
  match.variables[std::string(wanted.substr(1, close - 1))] = *std::move(value);
  return true;
}

bool MatchPath(std::string_view wanted, std::string_view path, HttpMatch& match) {
  constexpr std::string_view kRest = "=**}";
  wanted.remove_prefix(1);
  path.remove_prefix(std::min<std::size_t>(1, path.size()));
  while (!wanted.empty()) {
    const std::string_view part = TakePart(wanted);
    if (part.ends_with(kRest)) {
      auto rest = PercentDecoded(path);
      if (!rest || rest->empty()) return false;
      match.variables[std::string(part.substr(1, part.size() - 1 - kRest.size()))] =
          *std::move(rest);
      return true;
    }
    if (!MatchPart(part, TakePart(path), match)) return false;
    if (path.empty() != wanted.empty()) return false;
  }
  return path.empty();
}

}  // namespace

bool IsOpen(HttpTask task) {
  return task == HttpTask::kHealth || task == HttpTask::kOpenApi || task == HttpTask::kPage ||
         task == HttpTask::kUploads;
}

std::span<const HttpRoute> HttpRoutes() { return kRoutes; }

HttpMatch FindRoute(std::string_view verb, std::string_view path) {
  std::vector<std::string_view> verbs;
  for (const HttpRoute& route : kRoutes) {
    HttpMatch match;
    const bool whole = path == "/" || (path.starts_with('/') && !path.ends_with('/'));
    if (!whole || !MatchPath(route.path, path, match)) continue;
    const bool head = verb == "HEAD" && route.verb == "GET";
    if (route.verb == verb || head) {
      match.route = &route;
      return match;
    }
    verbs.push_back(route.verb);
  }
  return {.verbs = std::move(verbs)};
}

}  // namespace glint
