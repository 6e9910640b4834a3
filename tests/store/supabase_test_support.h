// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "http/http_client.h"
#include "store/store_test_support.h"
#include "support/real_servers.h"

namespace glint {

/// Sends a request to a Supabase Storage server. @param url  of the service and the route
inline HttpResponse AskSupabase(const std::string& method, const std::string& url,
                                const std::string& key, std::string_view body = "",
                                const std::string& type = "application/json") {
  HttpClient client({});
  HttpRequest request;
  request.method = method;
  request.url = Url::Parse(url).value();
  request.body = Bytes(body);
  if (!body.empty()) request.headers.push_back({"Content-Type", type});
  request.headers.push_back({"x-upsert", "true"});
  if (!key.empty()) {
    request.headers.push_back({"apikey", key});
    request.headers.push_back({"Authorization", "Bearer " + key});
  }
  auto response = client.Send(request, Reason::kStoreUnavailable, CancelToken());
  return response.ok() ? *std::move(response) : HttpResponse();
}

/// Makes a bucket on the server; it may be there already.
inline void MakeBucketOn(const SupabaseServer& server, const std::string& bucket, bool is_public,
                         const std::vector<std::string>& types) {
  const nlohmann::json body = {{"id", bucket},
                               {"name", bucket},
                               {"public", is_public},
                               {"file_size_limit", 52'428'800},
                               {"allowed_mime_types", types}};
  AskSupabase("POST", server.url() + "/bucket", server.key(), body.dump());
}

}  // namespace glint
