// SPDX-License-Identifier: Apache-2.0
#include "http/ip_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <cstring>
#include <span>
#include <vector>

#include "glint/error.h"

namespace glint {
namespace {

struct SpecialNetwork {
  const char* network;
  const char* what;
};

// The narrower networks stand first, so that the message names the one that matters.
constexpr SpecialNetwork kSpecial[] = {
    {"0.0.0.0/8", "an address of this host itself"},
    {"10.0.0.0/8", "a private address"},
    {"100.64.0.0/10", "a carrier's internal address"},
    {"127.0.0.0/8", "a loopback address"},
    {"168.63.129.16/32", "a cloud platform's internal address"},
    {"169.254.0.0/16", "a link-local address, where clouds keep their metadata"},
    {"172.16.0.0/12", "a private address"},
    {"192.0.0.0/24", "an address of protocols, not hosts"},
    {"192.0.2.0/24", "an address for documentation"},
    {"192.88.99.0/24", "an address of 6to4 relays"},
    {"192.168.0.0/16", "a private address"},
    {"198.18.0.0/15", "an address for benchmarks"},
    {"198.51.100.0/24", "an address for documentation"},
    {"203.0.113.0/24", "an address for documentation"},
    {"224.0.0.0/4", "a multicast address"},
    {"240.0.0.0/4", "a reserved or broadcast address"},
    {"::/128", "the unspecified address"},
    {"::1/128", "a loopback address"},
    {"::ffff:0:0/96", "an IPv4 address in IPv6 form"},
    {"::/96", "an IPv4 address in IPv6 form"},
    {"::ffff:0:0:0/96", "an IPv4 address in IPv6 form"},
    {"64:ff9b::/96", "an IPv4 address behind NAT64"},
    {"64:ff9b:1::/48", "an IPv4 address behind NAT64"},
    {"2001:db8::/32", "an address for documentation"},
    {"2001::/32", "an IPv4 address in a Teredo tunnel"},
    {"2001::/23", "an address of protocols, not hosts"},
    {"2002::/16", "an IPv4 address in a 6to4 tunnel"},
    {"3fff::/20", "an address for documentation"},
    {"fc00::/7", "a private address"},
    {"fe80::/10", "a link-local address"},
    {"fec0::/10", "a site-local address"},
    {"ff00::/8", "a multicast address"},
};

struct Named {
  Network network;
  const SpecialNetwork* special;
};

const std::vector<Named>& SpecialNetworks() {
  static const std::vector<Named> networks = [] {
    std::vector<Named> parsed;
    for (const SpecialNetwork& special : kSpecial) {
      parsed.push_back({Network::Parse(special.network).value(), &special});
    }
    return parsed;
  }();
  return networks;
}

}  // namespace

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  IpAddress address;
  const std::string terminated(text);
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes_.data()) == 1) return address;
  address.v6_ = true;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) == 1) return address;
  return std::nullopt;
}

std::optional<IpAddress> IpAddress::From(const sockaddr& address) {
  IpAddress ip;
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    std::memcpy(ip.bytes_.data(), &v4.sin_addr, sizeof v4.sin_addr);
    return ip;
  }
  if (address.sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  std::memcpy(ip.bytes_.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
  ip.v6_ = true;
  return ip;
}

bool IpAddress::SharesPrefix(const IpAddress& other, int bits) const {
  if (v6_ != other.v6_) return false;
  for (std::size_t i = 0; bits > 0; ++i, bits -= 8) {
    const int mask = bits >= 8 ? 0xff : (0xff << (8 - bits)) & 0xff;
    if (((bytes_[i] ^ other.bytes_[i]) & mask) != 0) return false;
  }
  return true;
}

std::string IpAddress::Text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(v6_ ? AF_INET6 : AF_INET, bytes_.data(), text.data(), text.size());
  return text.data();
}

absl::StatusOr<Network> Network::Parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = IpAddress::Parse(text.substr(0, slash));
  const auto refused = [&] {
    return Error(Reason::kInvalidOption,
                 fmt::format("'{}' is no network; write 10.0.0.0/8 or fd00::/8", text));
  };
  if (!address) return refused();
  Network network{*address, address->is_v6() ? 128 : 32};
  if (slash == std::string_view::npos) return network;
  const std::string_view digits = text.substr(slash + 1);
  int bits = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc() || end != digits.data() + digits.size() || bits < 0 ||
      bits > network.bits) {
    return refused();
  }
  network.bits = bits;
  return network;
}

bool Network::Contains(const IpAddress& other) const { return address.SharesPrefix(other, bits); }

std::optional<std::string> WhyNotPublic(const IpAddress& address) {
  for (const Named& named : SpecialNetworks()) {
    if (named.network.Contains(address)) {
      return fmt::format("{} ({})", named.special->what, named.special->network);
    }
  }
  static const Network global_unicast = Network::Parse("2000::/3").value();
  if (address.is_v6() && !global_unicast.Contains(address)) return "not a public address";
  return std::nullopt;
}

}  // namespace glint
