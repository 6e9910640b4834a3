// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "glint/cancel.h"

namespace glint {

/// A local copy of an input, or the input itself; what was copied is deleted with this object.
class FetchedFile {
 public:
  virtual ~FetchedFile() = default;
  virtual const std::filesystem::path& path() const = 0;
};

/// Hears how many bytes have come, and how many are announced (0: unknown), from the thread that
/// fetches. May be empty.
using FetchProgress = std::function<void(std::int64_t bytes, std::int64_t bytes_of)>;

/// Brings an input to a local file. Safe to use from several threads.
class Fetcher {
 public:
  virtual ~Fetcher() = default;
  /// @param input  a path (what a URL may be is the implementation's)
  /// Errors: INVALID_OPTION a kind of input that this fetcher does not know; INPUT_NOT_FOUND;
  /// INPUT_UNREADABLE; LIMIT_EXCEEDED; CANCELLED
  virtual absl::StatusOr<std::unique_ptr<FetchedFile>> Fetch(std::string_view input,
                                                             const FetchProgress& progress,
                                                             const CancelToken& cancel) = 0;
};

/// Reads local files in place: plain paths and file: URLs.
std::unique_ptr<Fetcher> MakeFileFetcher();

}  // namespace glint
