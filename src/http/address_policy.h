// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/ip_address.h"
#include "http/url.h"

namespace glint {

/// To which addresses and ports requests may go: public ones on ports 80 and 443, and what an
/// operator allows besides. Unchangeable, so safe to use from several threads.
class AddressPolicy {
 public:
  /// @param allowed  each a host name, an address or a network, and a port where it is not 80 or
  /// 443
  ///     ("*" for any): "media.internal", "10.1.2.3:8080", "10.0.0.0/8:*", "[::1]:8080". A named
  ///     host may resolve to any address: whoever answers for the name is trusted then.
  /// Errors: INVALID_OPTION
  static absl::StatusOr<AddressPolicy> Make(std::span<const std::string> allowed);

  /// What can be refused by the URL alone: the port, and a host that is an address. OK does not
  /// mean allowed: a name's addresses are known only when it is resolved. Errors: URL_NOT_ALLOWED,
  /// saying why
  absl::Status CheckUrl(const Url& url) const;

  /// Whether a connection for `host` may go to this address and port.
  /// Errors: URL_NOT_ALLOWED, saying why
  absl::Status Check(std::string_view host, int port, const IpAddress& address) const;

 private:
  struct Exception {
    std::string host;                ///< a name in lower case; empty for a network
    std::optional<Network> network;  ///< of a network
    std::optional<int> port;         ///< nothing: 80 and 443; 0: any
  };
  static absl::StatusOr<Exception> ParseException(std::string_view text);
  static bool PortFits(const Exception& exception, int port);

  std::vector<Exception> exceptions_;
};

}  // namespace glint
