// SPDX-License-Identifier: Apache-2.0
#include "store/supabase_bucket.h"

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>

#include "base/status_macros.h"
#include "glint/error.h"
#include "http/http_client.h"
#include "store/s3_listing.h"
#include "store/store_http.h"
#include "store/supabase_error.h"

namespace glint {
namespace {

using Json = nlohmann::json;

bool IsKeyCharacter(char c) {
  constexpr std::string_view kOthers = "_/!.*'() &$=@;:+,?-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOthers.find(c) != std::string_view::npos;
}

/// Whether a key is the one that web pages show: "sb_publishable_…", or a JWT of the role "anon".
bool IsPublicKey(const std::string& key) {
  if (key.starts_with("sb_publishable_")) return true;
  const std::size_t first = key.find('.');
  const std::size_t second = key.find('.', first + 1);
  std::string claims;
  if (first == std::string::npos || second == std::string::npos ||
      !absl::WebSafeBase64Unescape(key.substr(first + 1, second - first - 1), &claims)) {
    return false;
  }
  const Json json = Json::parse(claims, nullptr, false);
  return json.is_object() && json.value("role", Json()) == "anon";
}

/// A signed path as servers give it, fit for a URL: they leave keys as they are.
std::string EncodedPath(std::string_view signed_path) {
  const std::size_t query = signed_path.rfind("?token=");
  if (query == std::string_view::npos) return std::string(signed_path);
  std::string path(signed_path.substr(0, query));
  // One that is encoded already stays: '%' is in no key that Supabase allows.
  if (path.find('%') == std::string::npos) path = PercentEncoded(path, true);
  return path + std::string(signed_path.substr(query));
}

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class SupabaseBucket final : public Bucket {
 public:
  explicit SupabaseBucket(SupabaseOptions options)
      : options_(std::move(options)),
        with_bearer_(!options_.key.starts_with("sb_")),
        client_({.ca_file = options_.ca_file}) {}

  absl::Status CheckKey(std::string_view key) const override {
    if (std::ranges::all_of(key, IsKeyCharacter)) return absl::OkStatus();
    return Error(Reason::kInvalidOption,
                 fmt::format("Supabase allows no such key: '{}'; use A-Z a-z 0-9 and "
                             "_ / ! . * ' ( ) & $ = @ ; : + , ? -",
                             key));
  }

  absl::Status Put(const std::string& key, std::span<const std::byte> content,
                   std::string_view content_type, const CancelToken& cancel) override {
    // The bucket's allowed types are compared with all of it, parameters included.
    const std::string_view type = content_type.substr(0, content_type.find(';'));
    std::vector<HttpHeader> headers = {{"Content-Type", std::string(type)},
                                       {"x-upsert", "true"}};  // so that it can be repeated
    if (!options_.cache_control.empty())
      headers.push_back({"cache-control", options_.cache_control});
    const auto response = Send("POST", ObjectPath("", key), headers, content, cancel);
    const absl::Status done = Done(response, "cannot write", key);
    const bool too_large = response.ok() && SupabaseErrorOf(*response).status == 413;
    return too_large ? In(SizesOf(content.size(), cancel), done) : done;
  }

  absl::Status Copy(const std::string& from, const std::string& to,
                    const CancelToken& cancel) override {
    const Json body = {{"bucketId", options_.bucket}, {"sourceKey", from}, {"destinationKey", to}};
    const auto response = SendJson("POST", "/object/copy", body, {{"x-upsert", "true"}}, cancel);
    if (response.ok() && IsMissingObject(*response)) {
      return NothingToCopy(Locate(from), SupabaseErrorOf(*response).message);
    }
    return Done(response, "cannot copy to", to);
  }

  absl::StatusOr<std::optional<std::string>> Get(const std::string& key,
                                                 const CancelToken& cancel) override {
    auto response = Send("GET", ObjectPath("authenticated/", key), {}, {}, cancel);
    if (response.ok() && IsMissingObject(*response)) return std::nullopt;
    GLINT_RETURN_IF_ERROR(Done(response, "cannot read", key));
    return std::move(response->body);
  }

  absl::StatusOr<bool> Exists(const std::string& key, const CancelToken& cancel) override {
    const auto response = Send("GET", ObjectPath("info/", key), {}, {}, cancel);
    if (response.ok() && IsMissingObject(*response)) return false;
    GLINT_RETURN_IF_ERROR(Done(response, "cannot look for", key));
    return true;
  }

  absl::Status Delete(std::span<const std::string> keys, const CancelToken& cancel) override {
    constexpr std::size_t kMaxAtOnce = 100;
    while (!keys.empty()) {
      const auto some = keys.first(std::min(keys.size(), kMaxAtOnce));
      const Json body = {{"prefixes", std::vector<std::string>(some.begin(), some.end())}};
      const auto response = SendJson("DELETE", "/object/" + BucketInPath(), body, {}, cancel);
      GLINT_RETURN_IF_ERROR(Done(response, "cannot delete", some.front()));
      keys = keys.subspan(some.size());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<ListedObject>> List(const std::string& folder,
                                                 const CancelToken& cancel) override {
    std::vector<ListedObject> objects;
    std::vector<std::string> folders = {folder};
    while (!folders.empty()) {
      const std::string current = std::move(folders.back());
      folders.pop_back();
      GLINT_RETURN_IF_ERROR(ListOne(current, objects, folders, cancel));
    }
    return objects;
  }

  absl::StatusOr<std::vector<std::string>> Urls(std::span<const std::string> keys,
                                                const CancelToken& cancel) override {
    if (options_.urls == UrlMode::kSigned && !keys.empty()) return SignedUrls(keys, cancel);
    std::vector<std::string> urls;
    for (const std::string& key : keys) {
      urls.push_back(options_.urls == UrlMode::kNone ? "" : PublicUrl(key));
    }
    return urls;
  }

  absl::Status ProveUrl(const std::string& key, const CancelToken& cancel) override {
    if (options_.urls == UrlMode::kNone || !options_.public_url.empty()) return absl::OkStatus();
    GLINT_ASSIGN_OR_RETURN(const auto urls, Urls(std::vector<std::string>{key}, cancel));
    return OpensForEverybody(client_, urls.at(0), options_.retry, Locate(key), cancel);
  }

  std::string Locate(std::string_view key) const override {
    return fmt::format("supabase://{}/{}", options_.bucket, key);
  }
  std::string Host() const override { return options_.endpoint.host(); }

 private:
  /// Adds the objects of one folder, and the folders in it.
  absl::Status ListOne(const std::string& folder, std::vector<ListedObject>& objects,
                       std::vector<std::string>& folders, const CancelToken& cancel) {
    constexpr std::size_t kPage = 1000;
    const std::string before = folder.empty() ? "" : folder + "/";
    for (std::size_t offset = 0;; offset += kPage) {
      const Json body = {{"prefix", before},
                         {"limit", kPage},
                         {"offset", offset},
                         {"sortBy", {{"column", "name"}, {"order", "asc"}}}};
      const auto response = SendJson("POST", "/object/list/" + BucketInPath(), body, {}, cancel);
      GLINT_RETURN_IF_ERROR(Done(response, "cannot list", folder));
      const Json page = Json::parse(response->body, nullptr, false);
      if (!page.is_array()) return absl::OkStatus();
      for (const Json& entry : page) {
        const auto name = entry.is_object() ? entry.find("name") : entry.end();
        if (!entry.is_object() || name == entry.end() || !name->is_string()) continue;
        const std::string key = before + name->get<std::string>();
        if (entry.value("id", Json()).is_null()) {
          folders.push_back(key);
          continue;
        }
        const Json time = entry.value("updated_at", Json());
        const auto modified = ReadUtc(time.is_string() ? time.get<std::string>() : "");
        objects.push_back({key, modified.value_or(std::chrono::floor<std::chrono::seconds>(
                                    std::chrono::system_clock::now()))});
      }
      if (page.size() < kPage) return absl::OkStatus();
    }
  }

  /// What makes an object too large, as far as the server says its limit.
  std::string SizesOf(std::size_t bytes, const CancelToken& cancel) {
    const auto response = Send("GET", "/bucket/" + BucketInPath(), {}, {}, cancel);
    const Json bucket = Json::parse(response.ok() ? response->body : "", nullptr, false);
    const Json limit = bucket.is_object() ? bucket.value("file_size_limit", Json()) : Json();
    return limit.is_number_integer() ? fmt::format("{} bytes, of which the bucket takes {}", bytes,
                                                   limit.get<std::int64_t>())
                                     : fmt::format("{} bytes", bytes);
  }

  std::string Base() const {
    std::string base = options_.endpoint.text();
    while (base.ends_with('/')) base.pop_back();
    return base;
  }

  /// As it stands in a path: its name may have blanks.
  std::string BucketInPath() const { return PercentEncoded(options_.bucket, false); }

  std::string ObjectPath(std::string_view kind, const std::string& key) const {
    return fmt::format("/object/{}{}/{}", kind, BucketInPath(), PercentEncoded(key, true));
  }

  std::string PublicUrl(const std::string& key) const {
    return options_.public_url.empty()
               ? Base() + ObjectPath("public/", key)
               : fmt::format("{}/{}", options_.public_url, PercentEncoded(key, true));
  }

  absl::StatusOr<std::vector<std::string>> SignedUrls(std::span<const std::string> keys,
                                                      const CancelToken& cancel) {
    const Json body = {{"expiresIn", options_.url_life.count()},
                       {"paths", std::vector<std::string>(keys.begin(), keys.end())}};
    const auto response = SendJson("POST", "/object/sign/" + BucketInPath(), body, {}, cancel);
    GLINT_RETURN_IF_ERROR(Done(response, "cannot sign URLs of", keys.front()));
    const Json answer = Json::parse(response->body, nullptr, false);
    std::vector<std::string> urls(keys.size());
    for (std::size_t i = 0; i < urls.size(); ++i) {  // in the order of the paths; null: not there
      const Json entry = answer.is_array() && i < answer.size() ? answer[i] : Json();
      const auto url = entry.is_object() ? entry.find("signedURL") : entry.end();
      if (entry.is_object() && url != entry.end() && url->is_string()) {
        urls[i] = (options_.public_url.empty() ? Base() : options_.public_url) +
                  EncodedPath(url->get<std::string>());
      }
    }
    return urls;
  }

  absl::StatusOr<HttpResponse> SendJson(const std::string& method, const std::string& path,
                                        const Json& body, std::vector<HttpHeader> headers,
                                        const CancelToken& cancel) {
    headers.push_back({"Content-Type", "application/json"});
    return Send(method, path, std::move(headers), Bytes(body.dump()), cancel);
  }

  /// Sends, and where the form of the key is refused, once more in the other form, which is kept if
  /// it is taken.
  absl::StatusOr<HttpResponse> Send(const std::string& method, const std::string& path,
                                    std::vector<HttpHeader> headers,
                                    std::span<const std::byte> body, const CancelToken& cancel) {
    GLINT_ASSIGN_OR_RETURN(auto url, Url::Parse(Base() + path));
    HttpRequest request = StoreRequest(method, std::move(url), body);
    const bool with_bearer = with_bearer_;
    const auto send = [&](bool bearer) {
      request.headers = headers;
      request.headers.push_back({"apikey", options_.key});
      if (bearer) request.headers.push_back({"Authorization", "Bearer " + options_.key});
      return SendWithRetry(
          client_, request, Reason::kStoreUnavailable, options_.retry, cancel,
          [](const HttpResponse& response) { return !IsTransientSupabase(response); });
    };
    auto response = send(with_bearer);
    if (!response.ok() || !IsAboutAuthorization(*response)) return response;
    auto other = send(!with_bearer);
    if (!other.ok() || IsAboutAuthorization(*other)) return response;
    with_bearer_ = !with_bearer;
    return other;
  }

  absl::Status Done(const absl::StatusOr<HttpResponse>& response, std::string_view what,
                    std::string_view key) const {
    if (!response.ok()) return NoAnswer(fmt::format("{} {}", what, Locate(key)), response.status());
    if (response->status / 100 == 2) return absl::OkStatus();
    absl::Status failure = SupabaseFailure(*response, fmt::format("{} {}", what, Locate(key)));
    if (ReasonOf(failure) != Reason::kStoreDenied || !IsPublicKey(options_.key)) return failure;
    return In(
        "the key is the project's anon (publishable) key, which everybody has; set "
        "SUPABASE_SECRET_KEY to a secret key",
        failure);
  }

  const SupabaseOptions options_;
  std::atomic<bool> with_bearer_;
  HttpClient client_;
};

}  // namespace

std::unique_ptr<Bucket> MakeSupabaseBucket(SupabaseOptions options) {
  return std::make_unique<SupabaseBucket>(std::move(options));
}

}  // namespace glint
