// SPDX-License-Identifier: Apache-2.0
#include "glint/open_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>

#include "base/status_macros.h"
#include "glint/error.h"
#include "store/bucket_store.h"
#include "store/object_name.h"
#include "store/s3_bucket.h"
#include "store/supabase_bucket.h"

namespace glint {
namespace {

constexpr std::string_view kS3 = "s3://";
constexpr std::string_view kSupabase = "supabase://";

/// A place in a bucket.
struct StoreUri {
  std::string bucket;
  std::string root;
};

absl::StatusOr<StoreUri> ParseUri(std::string_view uri) {
  std::string_view rest = uri.substr(uri.find("://") + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  StoreUri place{std::string(rest.substr(0, slash)), std::string(rest.substr(slash))};
  while (place.root.starts_with('/')) place.root.erase(0, 1);
  while (place.root.ends_with('/')) place.root.pop_back();
  // Supabase allows more than S3 does.
  const std::string_view others = uri.starts_with(kSupabase) ? "-_.!*'() &$=@;:+,?" : "-_.";
  const bool bucket_fits = !place.bucket.empty() && std::ranges::all_of(place.bucket, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
  if (!bucket_fits) {
    return Error(Reason::kInvalidOption,
                 fmt::format("'{}' names no bucket; write s3://bucket/prefix or "
                             "supabase://bucket/prefix",
                             uri));
  }
  if (!place.root.empty()) {
    GLINT_RETURN_IF_ERROR(CheckObjectName(place.root));
  }
  return place;
}

/// The first of the variables that is set, or the content of the file that <name>_FILE names.
absl::StatusOr<std::optional<std::string>> Secret(const Environment& environment,
                                                  std::initializer_list<const char*> names) {
  for (const std::string name : names) {
    if (auto value = environment(name); value && !value->empty()) return value;
    const auto path = environment(name + "_FILE");
    if (!path || path->empty()) continue;
    std::ifstream file(*path, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(file), {}};
    while (content.ends_with('\n') || content.ends_with('\r')) content.pop_back();
    if (!file || content.empty()) {
      return Error(
          Reason::kInvalidOption,
          fmt::format("{}_FILE names '{}', which cannot be read or is empty", name, *path));
    }
    return content;
  }
  return std::nullopt;
}

/// As Secret, but it must be there.
absl::StatusOr<std::string> NeededSecret(const Environment& environment,
                                         std::initializer_list<const char*> names) {
  GLINT_ASSIGN_OR_RETURN(auto value, Secret(environment, names));
  if (value.has_value()) return *std::move(value);
  return Error(Reason::kInvalidOption,
               fmt::format("set {0}, or {0}_FILE to a file that holds it", *names.begin()));
}

std::string First(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (auto value = environment(name); value && !value->empty()) return *value;
  }
  return "";
}

absl::StatusOr<Url> Endpoint(const std::string& text, std::string_view example) {
  const auto url = Url::Parse(text);
  const bool web = url.ok() && (url->scheme() == "http" || url->scheme() == "https");
  if (web && !url->has_user_info() && url->text().find('?') == std::string::npos) return *url;
  return Error(
      Reason::kInvalidOption,
      fmt::format("the store's endpoint must be a URL without user name and query, such as "
                  "{}",
                  example));
}

/// The types of the objects that are not wanted. @param wanted  "json,png", say; empty: all
absl::StatusOr<std::vector<std::string>> LeftOut(std::string_view wanted) {
  if (wanted.empty()) return std::vector<std::string>();
  std::vector<std::string> left_out = {"application/json", "image/png", "text/html"};
  bool known = true;
  for (std::string_view rest = wanted; known && !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string end = fmt::format("/{}", rest.substr(0, comma));
    known = std::erase_if(left_out, [&](const auto& type) { return type.ends_with(end); }) > 0;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  const bool json = std::ranges::find(left_out, "application/json") == left_out.end();
  if (known && json) return left_out;
  return Error(
      Reason::kInvalidOption,
      fmt::format("'{}': the objects of a result are some of json,png,html, each once, and "
                  "json is never left out",
                  wanted));
}

absl::StatusOr<std::unique_ptr<Bucket>> OpenS3(std::string bucket, const StoreOptions& options,
                                               const Environment& environment) {
  S3Options s3;
  s3.bucket = std::move(bucket);
  s3.region = !options.region.empty() ? options.region
                                      : First(environment, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (s3.region.empty()) s3.region = "us-east-1";
  const std::string endpoint =
      !options.endpoint.empty() ? options.endpoint
                                : First(environment, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  GLINT_ASSIGN_OR_RETURN(
      s3.endpoint,
      Endpoint(endpoint.empty() ? fmt::format("https://s3.{}.amazonaws.com", s3.region) : endpoint,
               "https://minio.internal:9000"));
  s3.path_style = options.path_style.value_or(!endpoint.empty());
  GLINT_ASSIGN_OR_RETURN(auto key, NeededSecret(environment, {"AWS_ACCESS_KEY_ID"}));
  GLINT_ASSIGN_OR_RETURN(auto secret, NeededSecret(environment, {"AWS_SECRET_ACCESS_KEY"}));
  GLINT_ASSIGN_OR_RETURN(auto token, Secret(environment, {"AWS_SESSION_TOKEN"}));
  s3.credentials = {std::move(key), std::move(secret), token.value_or("")};
  s3.urls = options.urls;
  s3.url_life = options.url_life;
  s3.public_url = options.public_url;
  s3.cache_control = options.cache_control;
  s3.ca_file = options.ca_file;
  return MakeS3Bucket(std::move(s3));
}

absl::StatusOr<std::unique_ptr<Bucket>> OpenSupabase(std::string bucket,
                                                     const StoreOptions& options,
                                                     const Environment& environment) {
  SupabaseOptions supabase;
  supabase.bucket = std::move(bucket);
  std::string endpoint = options.endpoint;
  if (endpoint.empty()) {
    std::string project = First(environment, {"SUPABASE_URL"});
    if (project.empty()) {
      return Error(Reason::kInvalidOption,
                   "set SUPABASE_URL to the project's URL, such as https://REF.supabase.co");
    }
    while (project.ends_with('/')) project.pop_back();
    // The page of the project's settings shows the storage's URL, too.
    endpoint = project.ends_with("/storage/v1") ? project : project + "/storage/v1";
  }
  GLINT_ASSIGN_OR_RETURN(supabase.endpoint,
                         Endpoint(endpoint, "https://REF.supabase.co/storage/v1"));
  GLINT_ASSIGN_OR_RETURN(supabase.key, NeededSecret(environment, {"SUPABASE_SECRET_KEY",
                                                                  "SUPABASE_SERVICE_ROLE_KEY"}));
  supabase.urls = options.urls;
  supabase.url_life = options.url_life;
  supabase.public_url = options.public_url;
  supabase.cache_control = options.cache_control;
  supabase.ca_file = options.ca_file;
  return MakeSupabaseBucket(std::move(supabase));
}

}  // namespace

Environment ProcessEnvironment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

bool IsStoreUri(std::string_view place) {
  return place.starts_with(kS3) || place.starts_with(kSupabase);
}

absl::StatusOr<std::unique_ptr<ObjectStore>> OpenStore(std::string_view uri,
                                                       const StoreOptions& options,
                                                       const Environment& environment) {
  if (!IsStoreUri(uri)) {
    if (uri.find("://") == std::string_view::npos) return MakeFolderStore(std::string(uri));
    return Error(Reason::kInvalidOption,
                 fmt::format("'{}': results go to a folder, s3://bucket/prefix or "
                             "supabase://bucket/prefix",
                             uri));
  }
  constexpr std::chrono::seconds kLongest = std::chrono::days(7);
  if (options.url_life < std::chrono::seconds(1) || options.url_life > kLongest) {
    return Error(Reason::kInvalidOption, "signed URLs may live for 1 second to 7 days");
  }
  GLINT_ASSIGN_OR_RETURN(auto keys,
                         KeyTemplate::Parse(options.key_template.empty() ? KeyTemplate::kPlain
                                                                         : options.key_template));
  GLINT_ASSIGN_OR_RETURN(auto left_out, LeftOut(options.objects));
  GLINT_ASSIGN_OR_RETURN(auto place, ParseUri(uri));
  auto bucket = uri.starts_with(kS3) ? OpenS3(place.bucket, options, environment)
                                     : OpenSupabase(place.bucket, options, environment);
  if (!bucket.ok()) return In(uri, bucket.status());
  return MakeBucketStore(*std::move(bucket), place.root, std::move(keys), std::move(left_out));
}

}  // namespace glint
