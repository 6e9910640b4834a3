// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "glint/open_store.h"
#include "http/retry.h"
#include "http/url.h"
#include "store/bucket.h"

namespace glint {

struct SupabaseOptions {
  Url endpoint;  ///< of the storage service: "https://REF.supabase.co/storage/v1"
  std::string bucket;
  /// A legacy JWT ("eyJ...", sent as apikey and bearer token) or a secret key ("sb_secret_...",
  /// sent as apikey only: it is no JWT). Where a server refuses that form, the other one is tried.
  std::string key;
  UrlMode urls = UrlMode::kNone;
  std::chrono::seconds url_life{3600};
  std::string public_url;  ///< empty: the service's own
  std::string cache_control;
  std::string ca_file;
  RetryPolicy retry;
};

/// A bucket of Supabase Storage, over its REST interface.
std::unique_ptr<Bucket> MakeSupabaseBucket(SupabaseOptions options);

}  // namespace glint
