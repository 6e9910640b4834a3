// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glint {

/// Names and values in the order in which they came; a name may stand there more than once.
using WebFields = std::vector<std::pair<std::string, std::string>>;

/// The first line and the headers of an HTTP request.
struct WebRequest {
  std::string method;  ///< "GET", ...
  std::string path;    ///< as it was sent: percent-encoded, without the query
  WebFields query;     ///< decoded
  WebFields headers;
  bool malformed = false;  ///< the query cannot be decoded
  std::string peer;        ///< as gRPC names connections: "ipv4:192.0.2.1:50123"

  /// The first header of that name (any case).
  std::optional<std::string_view> Header(std::string_view name) const;
  /// The first parameter of that name.
  std::optional<std::string_view> Parameter(std::string_view name) const;
};

/// Decodes percent-encoding. @return nothing for a broken one and for control characters, which no
/// name here has
std::optional<std::string> PercentDecoded(std::string_view text);

}  // namespace glint
