// SPDX-License-Identifier: Apache-2.0
// What a finished scan leaves in the job store.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glint/assessment.h"
#include "glint/object_store.h"
#include "glint/report.h"
#include "glint/scan.h"
#include "glint/v1/scan.pb.h"

namespace glint {

/// Where published objects lie and who gets them by which URL, by their set's prefix and their
/// names; see ObjectStore::Links. May take as long as a server's answer.
using ObjectLinks = std::function<absl::StatusOr<std::vector<ObjectLink>>(
    std::string_view prefix, std::span<const std::string> names)>;

/// The result of a scan as the job store keeps it; the URLs of its objects are made when it is
/// read, because signed ones expire.
/// @param prefix   where in the object store the set lies
/// @param wall_ms  wall time of the attempt that succeeded
/// @param assessment  nothing: the summary has no verdict
/// @param back        nothing: one side was filmed
std::string EncodeResult(const ScanReport& report, double wall_ms, std::string_view prefix,
                         std::span<const StoredObject> objects,
                         const std::optional<Assessment>& assessment = std::nullopt,
                         const std::optional<BackResult>& back = std::nullopt);

/// The stored result as clients see it, with links; objects whose links cannot be had just now have
/// none. @param links  may be empty: no object has links then
/// Errors: INTERNAL for bytes that EncodeResult did not make
absl::StatusOr<v1::ScanResult> DecodeResult(std::string_view bytes, const ObjectLinks& links);

}  // namespace glint
