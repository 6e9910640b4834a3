// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "web/web_request.h"

namespace glint {

/// Links that open a scan's result for a while to whoever has them: browsers send no token with a
/// picture or a page. Safe to use from several threads.
class LinkSigner {
 public:
  /// @param key_file  made, for this user alone, where there is none; workers that share it take
  /// each
  ///                  other's links
  /// @param life      of a link
  /// Errors: OUTPUT_UNWRITABLE, INPUT_UNREADABLE
  static absl::StatusOr<std::unique_ptr<LinkSigner>> Open(const std::filesystem::path& key_file,
                                                          std::chrono::seconds life);

  /// The query of links to the result of a scan: "owner=...&expires=...&signature=...".
  std::string Sign(std::string_view owner, std::string_view scan_id) const;

  /// Whether a request carries such a query for this scan, and it is not over.
  bool Opens(const WebRequest& request, std::string_view scan_id) const;

 private:
  LinkSigner(std::string key, std::chrono::seconds life) : key_(std::move(key)), life_(life) {}
  std::string Signature(std::string_view owner, std::string_view scan_id,
                        std::string_view expires) const;

  const std::string key_;
  const std::chrono::seconds life_;
};

/// So many random bytes in hex, which nobody can guess.
std::string RandomHex(std::size_t bytes);

}  // namespace glint
