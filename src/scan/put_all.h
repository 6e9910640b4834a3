// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <functional>
#include <span>

#include "glint/cancel.h"
#include "glint/object_store.h"
#include "report/pictures.h"

namespace glint {

/// Stores artifacts, a few at a time.
/// @param on_stored  called on this thread, as the artifacts come to be stored, with how many are
/// Errors: the first artifact's that could not be stored; those of `cancel`
absl::Status PutAll(std::span<const Artifact> artifacts, Publication& publication,
                    const CancelToken& cancel, const std::function<void(std::size_t)>& on_stored);

}  // namespace glint
