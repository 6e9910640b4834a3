// SPDX-License-Identifier: Apache-2.0
// The paths of the HTTP API, in one table: requests are told apart by it, and the OpenAPI document
// is written from it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glint {

/// What answers a request.
enum class HttpTask {
  kUnary,      ///< a unary method of the gRPC API
  kWatch,      ///< events of a scan, as server-sent events
  kFile,       ///< an object of a result
  kDownload,   ///< all of them, as a zip archive
  kUploads,    ///< what an upload server can do, by the tus protocol
  kCreate,     ///< an upload begins
  kAppend,     ///< bytes of it
  kPut,        ///< an upload in one request
  kOffset,     ///< how far it is
  kTerminate,  ///< it is deleted
  kHealth,
  kOpenApi,
  kPage,  ///< a file of the page for people
};

struct HttpRoute {
  std::string_view verb;
  /// Parts in braces are variables: `{scan_id}` is a part or its begin, `{name=**}` all the rest.
  std::string_view path;
  HttpTask task;
  /// Of kUnary and kWatch: the gRPC method whose request and response these are; of kPage: the
  /// file.
  std::string_view method;
  std::string_view summary;
};

/// Whether callers need no token for it.
bool IsOpen(HttpTask task);

std::span<const HttpRoute> HttpRoutes();

/// What a path means.
struct HttpMatch {
  const HttpRoute* route = nullptr;  ///< null: there is no such path, or not with this verb
  std::map<std::string, std::string, std::less<>> variables = {};
  std::vector<std::string_view> verbs = {};  ///< that the path has, where `route` is null
};
/// @param path  percent-encoded
HttpMatch FindRoute(std::string_view verb, std::string_view path);

}  // namespace glint
