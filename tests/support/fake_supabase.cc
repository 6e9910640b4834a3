// SPDX-License-Identifier: Apache-2.0
#include "support/fake_supabase.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

}  // namespace

FakeSupabase::FakeSupabase(Options options)
    : options_(std::move(options)),
      server_([this](const ServerRequest& request, ServerReply& reply) { Serve(request, reply); }) {
}

std::map<std::string, FakeSupabase::Object> FakeSupabase::objects() const {
  const std::scoped_lock lock(mutex_);
  return objects_;
}

void FakeSupabase::Fail(ServerReply& reply, const Failure& failure) const {
  if (options_.new_errors) {
    const Json body = {{"code", failure.code}, {"message", failure.message}};
    return reply.Answer(failure.status, body.dump(), {"Content-Type: application/json"});
  }
  const Json body = {{"statusCode", std::to_string(failure.status)},
                     {"error", failure.error},
                     {"message", failure.message},
                     {"code", failure.code}};
  reply.Answer(failure.status >= 500 || failure.status == 429 ? failure.status : 400, body.dump(),
               {"Content-Type: application/json"});
}

bool FakeSupabase::Authorized(const ServerRequest& request, ServerReply& reply) const {
  const std::string key = request.Header("apikey");
  const std::string bearer = request.Header("authorization");
  if (key == kJwtKey && bearer == "Bearer " + key) return true;
  if (key == kOldServerKey && bearer == "Bearer " + key) return true;
  if (key == kSecretKey && bearer.empty()) return true;
  if (key == kOldServerKey || bearer.empty()) {
    Fail(reply,
         {400, "InvalidRequest", "Error", "headers must have required property 'authorization'"});
  } else if (key == kSecretKey) {
    Fail(reply, {403, "AccessDenied", "Unauthorized", "Invalid Compact JWS"});
  } else {
    Fail(reply, {403, "AccessDenied", "Unauthorized", "signature verification failed"});
  }
  return false;
}

void FakeSupabase::Serve(const ServerRequest& request, ServerReply& reply) {
  std::string path = request.target;
  if (!Strip(path, "/storage/v1/object/")) return reply.Answer(404, "{}");
  if (!Authorized(request, reply)) return;
  const std::scoped_lock lock(mutex_);
  Route(request, reply, path);
}

void FakeSupabase::Route(const ServerRequest& request, ServerReply& reply,
                         const std::string& whole) {
  std::string path = whole;
  if (request.method == "POST" && path == "copy") return Copy(request, reply);
  if (request.method == "POST" && Strip(path, "sign/")) return Sign(request, reply, path);
  if (request.method == "POST" && path == std::string("list/") + kBucket) {
    return List(request, reply);
  }
  const bool info = Strip(path, "info/");
  if (!info) Strip(path, "authenticated/");
  const std::string bucket = path.substr(0, path.find('/'));
  if (bucket != kBucket) {
    return Fail(reply, {404, "NoSuchBucket", "Bucket not found", "Bucket not found"});
  }
  if (request.method == "DELETE") {
    return Delete(request, reply);
  }
  const std::string key = Decoded(path.substr(bucket.size() + 1));
  if (request.method == "POST") return Upload(request, reply, key);
  Read(reply, key, info);
}

/// Answers with the rows that it has deleted.
void FakeSupabase::Delete(const ServerRequest& request, ServerReply& reply) {
  const Json body = Json::parse(request.body);
  if (body["prefixes"].empty()) {
    return Fail(reply,
                {400, "InvalidRequest", "Error", "body/prefixes must NOT have fewer than 1 items"});
  }
  Json deleted = Json::array();
  for (const auto& key : body["prefixes"]) {
    if (options_.deletes && objects_.erase(key.get<std::string>()) > 0) {
      deleted.push_back({{"name", key}, {"bucket_id", kBucket}});
    }
  }
  reply.Answer(200, deleted.dump(), {"Content-Type: application/json"});
}

/// One folder: objects have an id, folders in it have none.
void FakeSupabase::List(const ServerRequest& request, ServerReply& reply) const {
  const Json body = Json::parse(request.body);
  const std::string prefix = body.value("prefix", "");
  std::map<std::string, bool> names;  // whether each is an object
  for (const auto& [key, object] : objects_) {
    if (!key.starts_with(prefix)) continue;
    const std::string rest = key.substr(prefix.size());
    const std::size_t slash = rest.find('/');
    names.emplace(rest.substr(0, slash), slash == std::string::npos);
  }
  Json answer = Json::array();
  std::size_t skipped = body.value("offset", std::size_t{0});
  for (const auto& [name, object] : names) {
    if (skipped > 0) {
      --skipped;
    } else if (answer.size() < body.value("limit", std::size_t{100})) {
      answer.push_back({{"name", name},
                        {"id", object ? Json("id-" + name) : Json()},
                        {"updated_at", object ? Json("2026-01-02T03:04:05.678Z") : Json()}});
    }
  }
  reply.Answer(200, answer.dump(), {"Content-Type: application/json"});
}

void FakeSupabase::Upload(const ServerRequest& request, ServerReply& reply,
                          const std::string& key) {
  const std::string type = request.Header("content-type");
  if (!ValidKey(key)) return Fail(reply, {400, "InvalidKey", "InvalidKey", "Invalid key: " + key});
  if (!options_.allowed_types.empty() && !options_.allowed_types.contains(type)) {
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
  objects_[key] = {request.body, type, request.Header("cache-control")};
  reply.Answer(200, Json{{"Key", std::string(kBucket) + "/" + key}, {"Id", "1"}}.dump());
}

void FakeSupabase::Copy(const ServerRequest& request, ServerReply& reply) {
  const Json body = Json::parse(request.body);
  const auto from = objects_.find(body["sourceKey"].get<std::string>());
  const std::string to = body["destinationKey"];
  if (from == objects_.end()) {
    return Fail(reply, {404, "NoSuchKey", "not_found", "Object not found"});
  }
  if (objects_.contains(to) && request.Header("x-upsert") != "true") {
    return Fail(reply, {409, "KeyAlreadyExists", "Duplicate", "The resource already exists"});
  }
  objects_[to] = from->second;
  reply.Answer(200, Json{{"Key", std::string(kBucket) + "/" + to}}.dump());
}

void FakeSupabase::Sign(const ServerRequest& request, ServerReply& reply,
                        const std::string& bucket) {
  const Json body = Json::parse(request.body);
  Json answer = Json::array();
  for (const auto& path : body["paths"]) {
    const std::string key = path;
    const bool there = objects_.contains(key);
    const std::string url =
        fmt::format("/object/sign/{}/{}?token=t{}", bucket, key, body["expiresIn"].get<int>());
    answer.push_back({{"error", there ? Json() : Json("not found")},
                      {"path", key},
                      {"signedURL", there ? Json(url) : Json()}});
  }
  reply.Answer(200, answer.dump());
}

void FakeSupabase::Read(ServerReply& reply, const std::string& key, bool info) {
  const auto object = objects_.find(key);
  if (object == objects_.end()) {
    return Fail(reply, {404, "NoSuchKey", "not_found", "Object not found"});
  }
  if (info) return reply.Answer(200, Json{{"size", object->second.content.size()}}.dump());
  reply.Answer(200, object->second.content, {"Content-Type: " + object->second.type});
}

}  // namespace glint
