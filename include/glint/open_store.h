// SPDX-License-Identifier: Apache-2.0
// Any ObjectStore from one line of configuration; docs/storage.md explains each field.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "glint/object_store.h"

namespace glint {

/// What clients of a store get of its objects.
enum class UrlMode {
  kNone,    ///< keys only
  kPublic,  ///< URLs that work while the bucket is public
  kSigned,  ///< URLs that work for everybody who has them, for a while
};

/// What the URI and the environment leave open. A folder uses none of it.
struct StoreOptions {
  /// "https://minio.internal:9000", "https://REF.supabase.co/storage/v1". Empty:
  /// AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, else AWS itself; SUPABASE_URL (the project's URL).
  std::string endpoint;
  std::string region;  ///< empty: AWS_REGION or AWS_DEFAULT_REGION, else us-east-1
  /// Whether the bucket stands in the path or in the host's name; nothing: in the host's name for
  /// AWS itself, in the path for endpoints.
  std::optional<bool> path_style;
  UrlMode urls = UrlMode::kNone;
  std::chrono::seconds url_life{3600};  ///< of signed URLs; S3 allows seven days
  /// What stands before the keys in public URLs (a CDN), and before the path of the bucket in
  /// signed ones (the store's endpoint as clients reach it); empty: the store's own.
  std::string public_url;
  /// Which objects go into a bucket, of "json,png,html"; json always. Empty: all.
  std::string objects;
  std::string key_template;   ///< see store/key_template.h; empty: "{prefix}/{name}"
  std::string cache_control;  ///< "public, max-age=31536000"; empty: the store's default
  std::string ca_file;        ///< PEM to trust instead of the system's certificates
};

/// Environment variables; nothing for one that is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The process's own.
Environment ProcessEnvironment();

/// A store from "DIR", "s3://bucket/prefix" or "supabase://bucket/prefix". Secrets come from the
/// environment, or from files that it names with _FILE behind the variable's name:
/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN; SUPABASE_SECRET_KEY or
/// SUPABASE_SERVICE_ROLE_KEY. Asks no server yet. Errors: INVALID_OPTION, saying what is missing
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenStore(
    std::string_view uri, const StoreOptions& options,
    const Environment& environment = ProcessEnvironment());

/// Whether a place for results is an object store's URI rather than a folder.
bool IsStoreUri(std::string_view place);

}  // namespace glint
