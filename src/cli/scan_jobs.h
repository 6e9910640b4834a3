// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glint {

/// One input of the command line and what its result is called.
struct ScanJob {
  std::string input;                          ///< as the user wrote it
  std::string scan_id;                        ///< also the name of its folder in a batch
  std::optional<std::string> item_type = {};  ///< instead of the batch's
};

/// Which characters ids may have.
enum class Names {
  kUtf8,   ///< those of any script: they become folders
  kAscii,  ///< for buckets, whose servers may refuse others
};

/// A scan id for an input: its file name (a URL's last part) without the extension, other
/// characters than [A-Za-z0-9._-] and those of other scripts as '_', at most 100 bytes, "scan" when
/// nothing is left.
std::string ScanIdFor(std::string_view input, Names names = Names::kUtf8);

/// Where an input lies, as one spelling: a URL without its secrets and with a hash, a path
/// absolute, without "." and "..". Not the file system's word: the file may be missing.
std::string InputKey(std::string_view input);

/// The jobs for the inputs, in order; an input that is named twice is one job. Inputs that would
/// share an id, or whose id another input has taken, get the first digits of a hash of their path
/// behind it, so that an id never depends on the order of the inputs; so do ids that lost letters.
/// @param taken  ids of earlier batches in the same folder, and the InputKey that each belongs to
std::vector<ScanJob> MakeScanJobs(const std::vector<std::string>& inputs,
                                  const std::map<std::string, std::string>& taken,
                                  Names names = Names::kUtf8);

/// The inputs that a list names: one per line; empty lines and lines that start with '#' do not
/// count. Relative paths are relative to the working folder.
/// @param file  a path, or "-" for stdin
/// Errors: INPUT_NOT_FOUND, INPUT_UNREADABLE, INVALID_OPTION when it names nothing
absl::StatusOr<std::vector<std::string>> ReadInputList(const std::string& file);

}  // namespace glint
