// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "glint/open_store.h"
#include "http/retry.h"
#include "http/url.h"
#include "store/bucket.h"
#include "store/sigv4.h"

namespace glint {

struct S3Options {
  Url endpoint;  ///< scheme, host and path prefix of the service
  std::string bucket;
  std::string region;
  bool path_style = true;
  S3Credentials credentials;
  UrlMode urls = UrlMode::kNone;
  std::chrono::seconds url_life{3600};
  std::string public_url;  ///< empty: the object's own URL
  std::string cache_control;
  std::string ca_file;
  RetryPolicy retry;
};

/// A bucket of a server that speaks S3: AWS, R2, MinIO, Ceph, Supabase's S3 endpoint.
std::unique_ptr<Bucket> MakeS3Bucket(S3Options options);

}  // namespace glint
