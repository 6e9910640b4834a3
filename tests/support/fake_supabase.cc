// SPDX-License-Identifier: Apache-2.0
#include "support/fake_supabase.h"

#include <absl/strings/escaping.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

namespace glint {
namespace {

using Json = nlohmann::json;

constexpr const char* kBucket = "masks";

std::string Decoded(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      decoded += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

bool ValidKey(const std::string& key) {
  constexpr const char* kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/!.*'() &$=@;:+,?-";
  return !key.empty() && key.find_first_not_of(kAllowed) == std::string::npos;
}

/// Takes `begin` off the front. False when it is not there.
bool Strip(std::string& text, const std::string& begin) {
  if (!text.starts_with(begin)) return false;
  text.erase(0, begin.size());
  return true;
}

std::string Now() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", now);
}

std::int64_t Seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())
      .time_since_epoch()
      .count();
}

std::string Base64(const std::string& text) {
  std::string encoded = absl::WebSafeBase64Escape(text);
  encoded.erase(encoded.find_last_not_of('=') + 1);
  return encoded;
}

/// A JSON Web Token of the right form; nobody checks its signature.
std::string Token(const std::string& url, std::int64_t life) {
  const Json claims = {
      {"url", url}, {"scope", "download"}, {"iat", Seconds()}, {"exp", Seconds() + life}};
  return Base64(R"({"alg":"HS256"})") + "." + Base64(claims.dump()) + "." + Base64("signature");
}

/// Discarded JSON where the token is none.
Json ClaimsOf(const std::string& token) {
  const std::size_t first = token.find('.');
  const std::size_t second = token.find('.', first + 1);
  std::string claims;
  if (second == std::string::npos ||
      !absl::WebSafeBase64Unescape(token.substr(first + 1, second - first - 1), &claims)) {
    return Json(Json::value_t::discarded);
  }
  return Json::parse(claims, nullptr, false);
}

}  // namespace

FakeSupabase::FakeSupabase(Options options)
    : options_(std::move(options)),
      server_([this](const ServerRequest& request, ServerReply& reply) { Serve(request, reply); },
              {.keeps_requests = options_.keeps_requests}) {}

std::map<std::string, FakeSupabase::Object> FakeSupabase::objects() const {
  const std::scoped_lock lock(mutex_);
  return objects_;
}

void FakeSupabase::Fail(ServerReply& reply, const Failure& failure) const {
  constexpr const char* kType = "Content-Type: application/json; charset=utf-8";
  if (options_.new_errors) {
    const Json body = {{"code", failure.code}, {"message", failure.message}};
    return reply.Answer(failure.status, body.dump(), {kType});
  }
  const Json body = {{"statusCode", std::to_string(failure.status)},
                     {"error", failure.error},
                     {"message", failure.message},
                     {"code", failure.code}};
  const bool kept = failure.status == 429 || failure.status == 500 || failure.status == 544;
  reply.Answer(kept ? failure.status : 400, body.dump(), {kType});
}

FakeSupabase::Role FakeSupabase::RoleOf(const ServerRequest& request, ServerReply& reply) const {
  const std::string key = request.Header("apikey");
  const std::string bearer = request.Header("authorization");
  if (key == kJwtKey && bearer == "Bearer " + key) return Role::kService;
  if (key == kOldServerKey && bearer == "Bearer " + key) return Role::kService;
  if (key == kSecretKey && bearer.empty()) return Role::kService;
  if (key == kAnonKey && bearer == "Bearer " + key) return Role::kAnon;
  if (key == kOldServerKey || bearer.empty()) {
    Fail(reply,
         {400, "InvalidRequest", "Error", "headers must have required property 'authorization'"});
  } else if (key == kExpiredKey) {
    Fail(reply, {403, "AccessDenied", "Unauthorized", "\"exp\" claim timestamp check failed"});
  } else if (key.starts_with("sb_")) {
    Fail(reply, {403, "AccessDenied", "Unauthorized", "Invalid Compact JWS"});
  } else {
    Fail(reply, {403, "AccessDenied", "Unauthorized", "signature verification failed"});
  }
  return Role::kRefused;
}

void FakeSupabase::Serve(const ServerRequest& request, ServerReply& reply) {
  std::string path = request.target;
  if (path == fmt::format("/storage/v1/bucket/{}", kBucket)) {
    const Role role = RoleOf(request, reply);
    if (role == Role::kRefused) return;
    if (role == Role::kAnon) {
      return Fail(reply, {404, "NoSuchBucket", "Bucket not found", "Bucket not found"});
    }
    const Json bucket = {{"id", kBucket}, {"file_size_limit", options_.max_bytes}};
    return reply.Answer(200, bucket.dump(), {"Content-Type: application/json; charset=utf-8"});
  }
  if (!Strip(path, "/storage/v1/object/")) {
    const Json body = {
        {"message", fmt::format("Route {}:{} not found", request.method, request.target)},
        {"error", "Not Found"},
        {"statusCode", 404}};
    return reply.Answer(404, body.dump(), {"Content-Type: application/json; charset=utf-8"});
  }
  const std::scoped_lock lock(mutex_);
  if (ServedWithoutKey(request, reply, path)) return;
  const Role role = RoleOf(request, reply);
  if (role != Role::kRefused) Route(request, reply, path, role);
}

bool FakeSupabase::ServedWithoutKey(const ServerRequest& request, ServerReply& reply,
                                    const std::string& whole) {
  std::string path = whole;
  if (request.method != "GET") return false;
  if (Strip(path, "sign/")) {
    ReadSigned(reply, path);
    return true;
  }
  if (Strip(path, "public/")) {
    if (Strip(path, std::string(kBucket) + "/") && options_.is_public) {
      Read(reply, Decoded(path), false);
    } else {
      Fail(reply, {404, "NoSuchBucket", "Bucket not found", "Bucket not found"});
    }
    return true;
  }
  return false;
}

void FakeSupabase::Route(const ServerRequest& request, ServerReply& reply, const std::string& whole,
                         Role role) {
  std::string path = whole;
  if (request.method == "POST" && path == "copy") return Copy(request, reply, role);
  if (request.method == "POST" && Strip(path, "sign/")) return Sign(request, reply, path, role);
  if (request.method == "POST" && Strip(path, "list/")) {
    return List(request, reply, path == kBucket && role == Role::kService);
  }
  const bool info = Strip(path, "info/");
  if (!info) Strip(path, "authenticated/");
  const std::string bucket = path.substr(0, path.find('/'));
  if (request.method == "DELETE") {
    return Delete(request, reply, bucket == kBucket && role == Role::kService);
  }
  if (bucket != kBucket) {
    return Fail(reply, {404, "NoSuchBucket", "Bucket not found", "Bucket not found"});
  }
  const std::string key = Decoded(path.substr(bucket.size() + 1));
  if (request.method == "POST") return Upload(request, reply, key, role);
  if (role == Role::kAnon) {
    return Fail(reply, {404, "NoSuchKey", "not_found", "Object not found"});
  }
  Read(reply, key, info);
}

/// Answers with the rows that it has deleted: none where there is no right, or no bucket.
void FakeSupabase::Delete(const ServerRequest& request, ServerReply& reply, bool may) {
  const Json body = Json::parse(request.body);
  if (body["prefixes"].empty()) {
    return Fail(reply,
                {400, "InvalidRequest", "Error", "body/prefixes must NOT have fewer than 1 items"});
  }
  Json deleted = Json::array();
  for (const auto& key : body["prefixes"]) {
    if (may && options_.deletes && objects_.erase(key.get<std::string>()) > 0) {
      deleted.push_back(
          {{"name", key}, {"bucket_id", kBucket}, {"id", "1"}, {"updated_at", Now()}});
    }
  }
  reply.Answer(200, deleted.dump(), {"Content-Type: application/json"});
}

/// One folder: objects have an id, folders in it have none.
void FakeSupabase::List(const ServerRequest& request, ServerReply& reply, bool may) const {
  const Json body = Json::parse(request.body);
  const std::string prefix = body.value("prefix", "");
  std::map<std::string, std::optional<std::string>> names;  // when each object was written
  for (const auto& [key, object] : objects_) {
    if (!may || !key.starts_with(prefix)) continue;
    const std::string rest = key.substr(prefix.size());
    const std::size_t slash = rest.find('/');
    names.emplace(rest.substr(0, slash),
                  slash == std::string::npos ? std::optional(object.modified) : std::nullopt);
  }
  Json answer = Json::array();
  std::size_t skipped = body.value("offset", std::size_t{0});
  for (const auto& [name, object] : names) {
    if (skipped > 0) {
      --skipped;
    } else if (answer.size() < body.value("limit", std::size_t{100})) {
      answer.push_back({{"name", name},
                        {"id", object ? Json("id-" + name) : Json()},
                        {"updated_at", object ? Json(*object) : Json()}});
    }
  }
  reply.Answer(200, answer.dump(), {"Content-Type: application/json"});
}

bool FakeSupabase::Takes(const std::string& type) const {
  if (options_.allowed_types.empty() || options_.allowed_types.contains(type)) return true;
  return options_.allowed_types.contains(type.substr(0, type.find('/')) + "/*");
}

void FakeSupabase::Upload(const ServerRequest& request, ServerReply& reply, const std::string& key,
                          Role role) {
  const std::string type = request.Header("content-type");
  if (!ValidKey(key)) return Fail(reply, {400, "InvalidKey", "InvalidKey", "Invalid key: " + key});
  if (role == Role::kAnon) {
    return Fail(
        reply, {403, "AccessDenied", "Unauthorized", "new row violates row-level security policy"});
  }
  if (!Takes(type)) {
    return Fail(reply, {415, "InvalidMimeType", "invalid_mime_type",
                        "mime type " + type + " is not supported"});
  }
  if (request.body.size() > options_.max_bytes) {
    return Fail(reply, {413, "EntityTooLarge", "Payload too large",
                        "The object exceeded the maximum allowed size"});
  }
  if (objects_.contains(key) && request.Header("x-upsert") != "true") {
    return Fail(reply, {409, "KeyAlreadyExists", "Duplicate", "The resource already exists"});
  }
  objects_[key] = {request.body, type, request.Header("cache-control"), Now()};
  reply.Answer(200, Json{{"Key", std::string(kBucket) + "/" + key}, {"Id", "1"}}.dump());
}

void FakeSupabase::Copy(const ServerRequest& request, ServerReply& reply, Role role) {
  const Json body = Json::parse(request.body);
  const auto from = objects_.find(body["sourceKey"].get<std::string>());
  const std::string to = body["destinationKey"];
  if (!ValidKey(to)) return Fail(reply, {400, "InvalidKey", "InvalidKey", "Invalid key: " + to});
  if (body["bucketId"] != kBucket || from == objects_.end() || role == Role::kAnon) {
    return Fail(reply, {404, "NoSuchKey", "not_found", "Object not found"});
  }
  if (objects_.contains(to) && request.Header("x-upsert") != "true") {
    return Fail(reply, {409, "KeyAlreadyExists", "Duplicate", "The resource already exists"});
  }
  objects_[to] = from->second;
  objects_[to].modified = Now();
  const Json row = {{"Key", std::string(kBucket) + "/" + to},
                    {"bucket_id", kBucket},
                    {"id", "1"},
                    {"updated_at", objects_[to].modified}};
  reply.Answer(200, row.dump());
}

void FakeSupabase::Sign(const ServerRequest& request, ServerReply& reply, const std::string& bucket,
                        Role role) {
  if (const int status = signing_fails_with_; status != 0) {
    return Fail(reply, {status, "Refused", "Refused", "no URL is signed now"});
  }
  const Json body = Json::parse(request.body);
  const auto life = body["expiresIn"].get<std::int64_t>();
  if (life < 1) {
    return Fail(reply, {400, "InvalidRequest", "Error", "body/expiresIn must be >= 1"});
  }
  if (body["paths"].empty()) {
    return Fail(reply,
                {400, "InvalidRequest", "Error", "body/paths must NOT have fewer than 1 items"});
  }
  Json answer = Json::array();
  for (const auto& path : body["paths"]) {
    const std::string key = path;
    const bool there = bucket == kBucket && role == Role::kService && objects_.contains(key);
    const std::string object = fmt::format("{}/{}", bucket, key);
    const std::string url = fmt::format("/object/sign/{}?token={}", object, Token(object, life));
    const Json error("Either the object does not exist or you do not have access to it");
    answer.push_back({{"error", there ? Json() : error},
                      {"path", key},
                      {"signedURL", there ? Json(url) : Json()}});
  }
  reply.Answer(200, answer.dump());
}

void FakeSupabase::ReadSigned(ServerReply& reply, const std::string& path) {
  const std::size_t query = path.find("?token=");
  if (query == std::string::npos) {
    return Fail(
        reply, {400, "InvalidRequest", "Error", "querystring must have required property 'token'"});
  }
  const std::string object = Decoded(path.substr(0, query));
  const Json claims = ClaimsOf(path.substr(query + 7));
  if (!claims.is_object()) {
    return Fail(reply, {400, "InvalidJWT", "InvalidJWT", "JWS Protected Header is invalid"});
  }
  if (claims.value("exp", std::int64_t{0}) <= Seconds()) {
    return Fail(reply, {400, "InvalidJWT", "InvalidJWT", "\"exp\" claim timestamp check failed"});
  }
  if (claims.value("url", "") != object) {
    return Fail(reply, {400, "InvalidSignature", "InvalidSignature", "Invalid signature"});
  }
  Read(reply, object.substr(object.find('/') + 1), false);
}

void FakeSupabase::Read(ServerReply& reply, const std::string& key, bool info) {
  const auto object = objects_.find(key);
  if (object == objects_.end()) {
    return Fail(reply, {404, "NoSuchKey", "not_found", "Object not found"});
  }
  const auto& [content, type, cache_control, modified] = object->second;
  if (info) {
    const Json body = {{"id", "1"},
                       {"name", key},
                       {"version", "1"},
                       {"bucket_id", kBucket},
                       {"size", content.size()},
                       {"content_type", type},
                       {"cache_control", cache_control.empty() ? "no-cache" : cache_control},
                       {"metadata", Json::object()},
                       {"last_modified", modified},
                       {"created_at", modified}};
    return reply.Answer(200, body.dump(), {"Content-Type: application/json; charset=utf-8"});
  }
  // HTML would run in the project's own domain.
  const std::string served = type.starts_with("text/html") ? "text/plain" : type;
  reply.Answer(200, content, {"Content-Type: " + served});
}

}  // namespace glint
