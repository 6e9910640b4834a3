// SPDX-License-Identifier: Apache-2.0
// Whether the fake Supabase answers as the real one does; with GLINT_TEST_SUPABASE_SOURCE, a
// checkout of github.com/supabase/storage that is built (scripts/supabase_server.sh says how).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "store/supabase_test_support.h"
#include "support/fake_supabase.h"

namespace glint {
namespace {

using Json = nlohmann::json;

/// Whose key a request carries.
enum class Caller { kService, kAnon, kExpired, kWrong, kNobody };

struct Question {
  const char* method;
  std::string path;  ///< behind ".../object/"
  Caller caller = Caller::kService;
  std::string body = {};
  std::string type = "application/json";
};

/// What callers can see of an answer: all but times, versions and what only one side has.
std::string Seen(const HttpResponse& response) {
  std::string seen = fmt::format("{} ", response.status);
  const Json json = Json::parse(response.body, nullptr, false);
  const auto fields = [](const Json& object) {
    Json kept = Json::object();
    for (const char* name : {"statusCode", "error", "message", "code", "path", "size", "bucket_id",
                             "content_type", "Key"}) {
      if (object.contains(name)) kept[name] = object[name];
    }
    for (const char* name : {"id", "signedURL", "updated_at"}) {
      if (object.contains(name)) kept[name] = object[name].is_null();
    }
    return kept.dump();
  };
  if (json.is_object()) return seen + fields(json);
  if (!json.is_array()) {
    return seen + std::string(response.Header("Content-Type")) + " " + response.body;
  }
  for (const Json& entry : json) seen += fields(entry) + " ";
  return seen;
}

std::vector<Question> Questions() {
  std::vector<Question> questions = {
      {"POST", "masks/a/b.png", Caller::kService, "PNG", "image/png"},
      {"POST", "masks/a/p.html", Caller::kService, "<html>", "text/html"},
      {"POST", "masks/a/p.html", Caller::kService, "<html>", "text/html; charset=utf-8"},
      {"POST", "masks/a%23b.png", Caller::kService, "x", "image/png"},
      {"POST", "none/a.png", Caller::kService, "x", "image/png"},
      {"GET", "authenticated/masks/a/b.png"},
      {"GET", "authenticated/masks/a/p.html"},
      {"GET", "authenticated/masks/none.png"},
      {"GET", "authenticated/none/none.png"},
      {"GET", "info/masks/a/b.png"},
      {"GET", "info/masks/none.png"},
      {"GET", "info/none/none.png"},
      {"GET", "public/masks/a/b.png", Caller::kNobody},
      {"GET", "sign/masks/a/b.png", Caller::kNobody},
      {"GET", "sign/masks/a/b.png?token=x.y.z", Caller::kNobody},
      {"DELETE", "none", Caller::kService, R"({"prefixes":["a"]})"},
      {"DELETE", "masks", Caller::kService, R"({"prefixes":[]})"},
      {"POST", "list/none", Caller::kService, R"({"prefix":"a/","limit":10})"},
      {"POST", "list/masks", Caller::kService, R"({"prefix":"a/","limit":10})"},
      {"POST", "list/masks", Caller::kService, R"({"prefix":"","limit":10})"},
      {"POST", "sign/none", Caller::kService, R"({"expiresIn":60,"paths":["a/b.png"]})"},
      {"POST", "sign/masks", Caller::kService, R"({"expiresIn":60,"paths":[]})"},
      {"POST", "sign/masks", Caller::kService, R"({"expiresIn":0,"paths":["a/b.png"]})"},
      {"POST", "sign/masks", Caller::kService, R"({"expiresIn":9,"paths":["a/b.png","none"]})"},
  };
  const auto copy = [&](const char* bucket, const char* from, const char* to) {
    const Json body = {{"bucketId", bucket}, {"sourceKey", from}, {"destinationKey", to}};
    questions.push_back({"POST", "copy", Caller::kService, body.dump()});
  };
  copy("masks", "a/b.png", "c.png");
  copy("masks", "none.png", "c.png");
  copy("none", "a/b.png", "c.png");
  copy("masks", "a/b.png", "c#.png");
  for (const Caller caller : {Caller::kAnon, Caller::kExpired, Caller::kWrong, Caller::kNobody}) {
    questions.push_back({"GET", "authenticated/masks/a/b.png", caller});
    questions.push_back({"POST", "masks/x.png", caller, "x", "image/png"});
    questions.push_back({"DELETE", "masks", caller, R"({"prefixes":["a/b.png"]})"});
    questions.push_back({"POST", "list/masks", caller, R"({"prefix":"a/","limit":10})"});
    questions.push_back({"POST", "sign/masks", caller, R"({"expiresIn":60,"paths":["a/b.png"]})"});
  }
  questions.push_back({"DELETE", "masks", Caller::kService, R"({"prefixes":["zz","a/p.html"]})"});
  return questions;
}

TEST(SupabaseAlike, TheFakeAnswersAsTheRealServerDoes) {
  const SupabaseServer* real = SupabaseServer::Get();
  if (real == nullptr) GTEST_SKIP() << "GLINT_TEST_SUPABASE_SOURCE names no built checkout";
  MakeBucketOn(*real, "masks", false, {"image/png", "application/json", "text/html"});
  FakeSupabase fake({.allowed_types = {"image/png", "application/json", "text/html"}});
  const std::map<Caller, std::string> real_keys = {
      {Caller::kService, real->key()},
      {Caller::kAnon, real->environment().at("ANON_KEY")},
      {Caller::kExpired, real->environment().at("EXPIRED_KEY")},
      {Caller::kWrong, "sb_secret_wrong"},
      {Caller::kNobody, ""}};
  const std::map<Caller, std::string> fake_keys = {{Caller::kService, FakeSupabase::kJwtKey},
                                                   {Caller::kAnon, FakeSupabase::kAnonKey},
                                                   {Caller::kExpired, FakeSupabase::kExpiredKey},
                                                   {Caller::kWrong, "sb_secret_wrong"},
                                                   {Caller::kNobody, ""}};
  for (const auto& [method, path, caller, body, type] : Questions()) {
    const auto by_real =
        AskSupabase(method, real->url() + "/object/" + path, real_keys.at(caller), body, type);
    const auto by_fake = AskSupabase(method, fake.url() + "/storage/v1/object/" + path,
                                     fake_keys.at(caller), body, type);
    EXPECT_EQ(Seen(by_fake), Seen(by_real)) << method << " " << path << " " << body;
  }
}

}  // namespace
}  // namespace glint
