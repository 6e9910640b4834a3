// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

namespace glint {

/// A scan that a list asks for.
struct BatchEntry {
  std::string scan_id;
  std::string url;
};

/// What a list asks for; each scan once.
struct BatchList {
  std::vector<BatchEntry> entries;
  std::size_t repeated = 0;  ///< lines that ask for a scan of an earlier line
};

/// The scans of a list of "URL" or "ID URL" lines (see ReadInputList). Without an id a scan has the
/// batch's name with a hash of its URL, so that the same URL is the same scan, whichever line it
/// stands in, and when the list is given again.
/// Errors: those of ReadInputList; INVALID_OPTION naming the line, also when an id stands for two
/// URLs
absl::StatusOr<BatchList> ReadBatchList(const std::string& file, std::string_view batch);

/// The same of lines that were read.
absl::StatusOr<BatchList> MakeBatchList(const std::vector<std::string>& lines,
                                        std::string_view batch);

}  // namespace glint
