// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "http/retry.h"
#include "notify/notifier.h"

namespace glint {

struct PostgrestOptions {
  std::string url;  ///< of the REST interface: "https://REF.supabase.co/rest/v1"
  std::string table = "analysis_jobs";
  std::string schema;  ///< empty: the interface's first
  std::string key;     ///< a JWT (apikey and bearer token) or a secret key "sb_..." (apikey only)
  std::string ca_file;
  RetryPolicy retry;
};

/// Patches the row of a table whose column "id" is the scan's id: progress_percentage (0..100),
/// progress_message, progress_step, progress_updated_at and updated_at. That no row has the id is a
/// failure, which PostgREST itself does not call one.
/// Errors: INVALID_OPTION
absl::StatusOr<std::unique_ptr<NotificationTarget>> MakePostgrestRow(PostgrestOptions options);

}  // namespace glint
