// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace glint {

/// An absolute URL of any scheme (of http and https always with a host), taken apart by libcurl's
/// own parser, so that every check sees the very host that is connected to: "0x7f.1" is 127.0.0.1
/// here, too.
class Url {
 public:
  /// Errors: INVALID_OPTION, without repeating the text (it may hold secrets)
  static absl::StatusOr<Url> Parse(std::string_view text);

  /// The URL that `location`, absolute or relative to this one, means. Errors: as Parse
  absl::StatusOr<Url> Resolve(std::string_view location) const;

  const std::string& text() const { return text_; }      ///< whole, as it is requested
  const std::string& scheme() const { return scheme_; }  ///< in lower case
  const std::string& host() const { return host_; }      ///< in lower case; IPv6 without brackets
  int port() const { return port_; }                     ///< the scheme's own where none is given
  const std::string& path() const { return path_; }      ///< at least "/", escaped as given
  bool has_user_info() const { return has_user_info_; }

  /// "https://host/path": without user info, query and fragment, which may hold secrets.
  std::string Shown() const;
  /// "host", "host:8080" or "[::1]:8080": the port only where it is not the scheme's own.
  std::string Authority() const;

 private:
  std::string text_;
  std::string scheme_;
  std::string host_;
  int port_ = 0;
  bool has_own_port_ = false;
  std::string path_;
  bool has_user_info_ = false;
};

/// What may be shown and logged of an input: a URL without user info, query and fragment; anything
/// else (a path) as it is.
std::string ShownInput(std::string_view input);

/// Text with all but A-Z a-z 0-9 - . _ ~ as upper-case %XX. @param keep_slashes  for paths
std::string PercentEncoded(std::string_view text, bool keep_slashes);

}  // namespace glint
