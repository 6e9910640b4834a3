// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sockaddr;

namespace glint {

/// An IPv4 or IPv6 address.
class IpAddress {
 public:
  /// Of dotted or colon form; nothing for anything else (names, octal, hex, zones).
  static std::optional<IpAddress> Parse(std::string_view text);
  /// Of a socket's address; nothing for other families.
  static std::optional<IpAddress> From(const sockaddr& address);

  bool is_v6() const { return v6_; }
  /// Whether the first `bits` bits are those of `other`, an address of the same family.
  bool SharesPrefix(const IpAddress& other, int bits) const;
  std::string Text() const;
  bool operator==(const IpAddress&) const = default;

 private:
  bool v6_ = false;
  std::array<std::uint8_t, 16> bytes_{};  // network order; IPv4 uses the first four
};

/// A network in CIDR notation.
struct Network {
  IpAddress address;
  int bits = 0;

  /// "10.0.0.0/8", "fd00::/8" or a single address. Errors: INVALID_OPTION
  static absl::StatusOr<Network> Parse(std::string_view text);
  bool Contains(const IpAddress& other) const;
};

/// Why an address is not one of a host in the public internet, e.g. "a loopback address
/// (127.0.0.0/8)"; nothing when it is one. After IANA's special-purpose registries (RFC 6890 and
/// updates); forms of IPv6 that carry an IPv4 address are refused whatever they carry, because they
/// lead back to IPv4 without its checks.
std::optional<std::string> WhyNotPublic(const IpAddress& address);

}  // namespace glint
