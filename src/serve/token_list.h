// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "serve/access.h"

namespace glint {

/// The tokens that clients may show. Several at once, so that they can be rotated: add the new one,
/// move the clients, remove the old one. Only their hashes are kept. Safe to use from several
/// threads.
class TokenList {
 public:
  static constexpr std::size_t kMinBytes = 16;

  /// @param fixed  tokens from the environment, separated by commas or white space; may be empty
  /// @param file   one per line, "TOKEN" or "NAME TOKEN"; '#' starts a comment line; read again
  ///               when its content changes. Empty: there is none. Words of the name may say what
  ///               the token allows: owner=, tiers=, rights=, queued=, running=, frames-per-day=.
  ///               A line without them allows everything
  /// Errors: INVALID_OPTION a token that is too short, and what is wrong with what it allows;
  /// INPUT_NOT_FOUND, INPUT_UNREADABLE, OUT_OF_MEMORY (or no descriptor is free) the file
  static absl::StatusOr<std::unique_ptr<TokenList>> Load(std::string_view fixed,
                                                         std::filesystem::path file);

  bool empty() const;
  /// Who shows a token of the list; null when it is none. Its name, for the log, is its own, or
  /// where it stands. Takes the same time for every token of the same length.
  ///
  /// The file is read first (once a second at most). What it does not hold is no token any more,
  /// also when it cannot be read or holds none: whoever takes a token away must be sure that it is
  /// gone. Each such state is logged as an error, again every minute. Only where no descriptor or
  /// memory is free to read it, and it is the same file with the same time of its last change, its
  /// tokens stay, which is logged, too: that the machine is short of something takes no caller's
  /// rights away.
  std::shared_ptr<const Identity> Find(std::string_view token);

 private:
  using Hash = std::array<unsigned char, 32>;
  using Clock = std::chrono::steady_clock;
  struct Token {
    Hash hash;
    std::shared_ptr<const Identity> identity;
  };

  explicit TokenList(std::filesystem::path file) : file_(std::move(file)) {}
  absl::Status Read(const std::string& content) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ReloadIfChanged() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::filesystem::path file_;
  std::vector<Token> fixed_;
  mutable Mutex mutex_;
  std::vector<Token> from_file_ ABSL_GUARDED_BY(mutex_);
  std::optional<Hash> content_ ABSL_GUARDED_BY(mutex_);  // nothing while the file cannot be read
  std::optional<std::array<std::int64_t, 5>> stamp_ ABSL_GUARDED_BY(mutex_);  // as it was read
  absl::Status trouble_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point last_poll_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point last_said_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace glint
