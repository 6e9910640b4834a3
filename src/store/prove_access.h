// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <string>
#include <string_view>

#include "store/bucket.h"

namespace glint {

using TypeFilter = std::function<bool(std::string_view content_type)>;

/// Does with probes what scans do with results, so that what is missing is found before the work
/// and not after it: writes one of each type and one as large as the largest picture, reads, lists,
/// signs, copies and deletes. Leaves nothing, if it may delete.
/// @param folder  for the probes; nobody else's
/// @param takes  whether scans put objects of a type there
/// Errors: the first thing that fails, with what to change
absl::Status ProveAccess(Bucket& bucket, const std::string& folder, const TypeFilter& takes,
                         const CancelToken& cancel);

}  // namespace glint
