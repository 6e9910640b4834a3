// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/bucket.h"

namespace glint {

/// A page of ListObjectsV2 with encoding-type=url.
struct S3Listing {
  std::vector<ListedObject> objects;
  std::string continuation;  ///< asks for the next page; empty on the last one
};

/// What is no listing has no objects.
S3Listing ReadS3Listing(std::string_view xml);

/// A page of ListMultipartUploads with encoding-type=url.
struct S3Uploads {
  std::vector<UnfinishedUpload> uploads;
  std::string next_key;  ///< with `next_id` asks for the next page; empty on the last one
  std::string next_id;
};

/// What is no list of uploads has none.
S3Uploads ReadS3Uploads(std::string_view xml);

/// "2026-11-23T21:00:00.000Z" or "2026-11-23T21:00:00+00:00": whole seconds of UTC; nothing when it
/// is none.
std::optional<std::chrono::sys_seconds> ReadUtc(std::string_view text);

}  // namespace glint
