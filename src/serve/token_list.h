// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace glint {

/// The tokens that clients may show. Several at once, so that they can be rotated: add the new one,
/// move the clients, remove the old one. Only their hashes are kept. Safe to use from several
/// threads.
class TokenList {
 public:
  static constexpr std::size_t kMinBytes = 16;

  /// @param fixed  tokens from the environment, separated by commas or white space; may be empty
  /// @param file   one token per line, '#' starts a comment line; read again when it changes.
  /// Empty:
  ///               there is none
  /// Errors: INVALID_OPTION a token that is too short; INPUT_NOT_FOUND, INPUT_UNREADABLE the file
  static absl::StatusOr<std::unique_ptr<TokenList>> Load(std::string_view fixed,
                                                         std::filesystem::path file);

  bool empty() const;
  /// Whether the token is one of the list. Takes the same time for every token of the same length.
  /// A file that changed is read first (looked at once a second at most); one that cannot be read
  /// or is wrong changes nothing, which is logged.
  bool Contains(std::string_view token);

 private:
  using Hash = std::array<unsigned char, 32>;
  using Version = std::pair<std::filesystem::file_time_type, std::uintmax_t>;

  explicit TokenList(std::filesystem::path file) : file_(std::move(file)) {}
  absl::Status ReadFile() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ReloadIfChanged() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<Version> FileVersion() const;

  const std::filesystem::path file_;
  std::vector<Hash> fixed_;
  mutable Mutex mutex_;
  std::vector<Hash> from_file_ ABSL_GUARDED_BY(mutex_);
  std::optional<Version> version_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point last_poll_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace glint
