// SPDX-License-Identifier: Apache-2.0
#include "serve/http_routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "observe/trace_context.h"
#include "serve/link_signer.h"
#include "serve/open_api.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using namespace std::chrono_literals;

TEST(HttpRoutes, AreFoundByVerbAndPath) {
  struct Case {
    std::string verb, path, wanted, variable, value;
  };
  for (const Case& c : {
           Case{"GET", "/v1/scans", "/v1/scans", "", ""},
           Case{"GET", "/v1/scans/a.b-c_1", "/v1/scans/{scan_id}", "scan_id", "a.b-c_1"},
           Case{"GET", "/v1/scans/a%2Db", "/v1/scans/{scan_id}", "scan_id", "a-b"},
           Case{"GET", "/v1/scans/a:watch", "/v1/scans/{scan_id}:watch", "scan_id", "a"},
           Case{"POST", "/v1/scans/a:cancel", "/v1/scans/{scan_id}:cancel", "scan_id", "a"},
           Case{"HEAD", "/v1/scans/a", "/v1/scans/{scan_id}", "scan_id", "a"},
           Case{"HEAD", "/v1/uploads/a", "/v1/uploads/{upload_id}", "upload_id", "a"},
           Case{"GET", "/v1/scans/a/files/regions/x.png", "/v1/scans/{scan_id}/files/{name=**}",
                "name", "regions/x.png"},
           Case{"GET", "/", "/", "", ""},
       }) {
    const HttpMatch match = FindRoute(c.verb, c.path);
    ASSERT_NE(match.route, nullptr) << c.path;
    EXPECT_EQ(match.route->path, c.wanted);
    if (!c.variable.empty()) {
      EXPECT_EQ(match.variables.at(c.variable), c.value);
    }
  }
}

TEST(HttpRoutes, AreNotFoundByWhatIsNone) {
  for (const char* path :
       {"", "v1/scans", "/v1", "/v1/", "/v1/scans/", "/v1/scans/a/", "//v1/scans",
        "/v1/scans/a:stop", "/v1/scans/:watch", "/v1/scans/a%00", "/v1/scans/a%2",
        "/v1/scans/a/files/", "/v1/scans/a/files", "/page.css/", "/nowhere"}) {
    const HttpMatch match = FindRoute("GET", path);
    EXPECT_EQ(match.route, nullptr) << path;
    EXPECT_TRUE(match.verbs.empty()) << path;
  }
  const HttpMatch other_verb = FindRoute("DELETE", "/v1/scans");
  EXPECT_EQ(other_verb.route, nullptr);
  EXPECT_EQ(other_verb.verbs, (std::vector<std::string_view>{"POST", "GET"}));
}

TEST(OpenApi, HasEveryRouteAndNoOther) {
  const auto document = nlohmann::json::parse(OpenApiDocument("1.2.3"));
  std::size_t operations = 0;
  for (const auto& [path, verbs] : document.at("paths").items()) operations += verbs.size();
  std::size_t routes = 0;
  for (const HttpRoute& route : HttpRoutes()) {
    if (route.task == HttpTask::kPage) continue;
    ++routes;
    std::string path(route.path);
    for (const auto& [variable, name] : {std::pair{"{scan_id}", "{scanId}"},
                                         {"{upload_id}", "{uploadId}"},
                                         {"{name=**}", "{name}"}}) {
      if (const auto at = path.find(variable); at != std::string::npos) {
        path.replace(at, std::string_view(variable).size(), name);
      }
    }
    std::string verb(route.verb);
    std::ranges::transform(verb, verb.begin(), [](unsigned char c) { return std::tolower(c); });
    ASSERT_TRUE(document.at("paths").contains(path)) << path;
    const auto& operation = document.at("paths").at(path).at(verb);
    EXPECT_EQ(operation.at("summary"), route.summary);
    if (!route.method.empty()) {
      EXPECT_EQ(operation.at("operationId"), route.method.substr(route.method.find('/') + 1));
    }
  }
  EXPECT_EQ(operations, routes);
}

TEST(OpenApi, DescribesMessagesAsTheirJson) {
  const auto document = nlohmann::json::parse(OpenApiDocument("1.2.3"));
  const auto& schemas = document.at("components").at("schemas");
  const auto& scan = schemas.at("Scan").at("properties");
  EXPECT_EQ(scan.at("createTime").at("format"), "date-time");
  EXPECT_EQ(scan.at("lastSeq").at("type"), "string");
  EXPECT_EQ(scan.at("state").at("$ref"), "#/components/schemas/ScanState");
  EXPECT_EQ(schemas.at("ScanResult").at("properties").at("objects").at("type"), "array");
  const auto& list = document.at("paths").at("/v1/scans").at("get").at("parameters");
  EXPECT_TRUE(std::ranges::any_of(list, [](const auto& one) {
    return one.at("name") == "pageSize" && one.at("in") == "query";
  }));
}

TEST(TraceContext, PassesOnWhatTheStandardAllows) {
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  EXPECT_EQ(TraceParent(trace), trace);
  EXPECT_EQ(TraceId(TraceParent(trace)), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(TraceParent("01" + trace.substr(2) + "-more"), trace) << "of a later version";
  for (const std::string& none :
       {std::string(), trace + "-more", "ff" + trace.substr(2), trace.substr(1),
        std::string("00-00000000000000000000000000000000-00f067aa0ba902b7-01"),
        std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"),
        std::string("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"),
        std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\n1")}) {
    EXPECT_EQ(TraceParent(none), "") << none;
  }
}

WebRequest WithQuery(std::string_view query) {
  WebRequest request;
  for (std::size_t at = 0; at < query.size();) {
    const auto end = std::min(query.find('&', at), query.size());
    const std::string_view field = query.substr(at, end - at);
    request.query.emplace_back(field.substr(0, field.find('=')), field.substr(field.find('=') + 1));
    at = end + 1;
  }
  return request;
}

TEST(LinkSigner, OpensOneScanForAWhileToWhoeverHasTheKey) {
  const TempFolder folder;
  auto signer = LinkSigner::Open(folder.path() / "key", 1h);
  ASSERT_THAT(signer, IsOk());
  const WebRequest link = WithQuery((*signer)->Sign("alice", "a"));
  EXPECT_TRUE((*signer)->Opens(link, "a"));
  EXPECT_FALSE((*signer)->Opens(link, "b"));
  EXPECT_FALSE((*signer)->Opens(WithQuery("owner=alice&expires=9999999999&signature=00"), "a"));
  EXPECT_FALSE((*signer)->Opens(WebRequest(), "a"));
  auto again = LinkSigner::Open(folder.path() / "key", 1h);
  ASSERT_THAT(again, IsOk());
  EXPECT_TRUE((*again)->Opens(link, "a")) << "after a restart";
  auto over = LinkSigner::Open(folder.path() / "key", -1s);
  ASSERT_THAT(over, IsOk());
  EXPECT_FALSE((*over)->Opens(WithQuery((*over)->Sign("alice", "a")), "a"));
  const auto rights = std::filesystem::status(folder.path() / "key").permissions();
  EXPECT_EQ(rights & std::filesystem::perms::others_all, std::filesystem::perms::none);
  EXPECT_EQ(rights & std::filesystem::perms::group_all, std::filesystem::perms::none);
}

}  // namespace
}  // namespace glint
