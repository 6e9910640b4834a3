// SPDX-License-Identifier: Apache-2.0
#include "http/address_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

bool IsWebPort(int port) { return port == 80 || port == 443; }

std::string_view WithoutTrailingDot(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

absl::Status RefusedPort(int port) {
  return Error(Reason::kUrlNotAllowed,
               fmt::format("port {} is refused: only 80 and 443 are open to URLs, and what the "
                           "operator allows with --allow-source HOST:{}",
                           port, port));
}

/// Where the port begins in "host:port", "[v6]:port", "net/bits:port"; npos without one.
std::size_t PortColon(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return colon;
  if (text.starts_with('[')) return text.find("]:") + 1 == colon ? colon : std::string_view::npos;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) return colon > slash ? colon : std::string_view::npos;
  const bool v6 = text.find(':') != colon;
  return v6 ? std::string_view::npos : colon;
}

}  // namespace

absl::StatusOr<AddressPolicy::Exception> AddressPolicy::ParseException(std::string_view text) {
  Exception exception;
  const auto refused = [&] {
    return Error(Reason::kInvalidOption,
                 fmt::format("'{}' names no source; write a host, an address or a network, with a "
                             "port where it is not 80 or 443: media.internal, 10.0.0.0/8, "
                             "[::1]:8080, 127.0.0.1:*",
                             text));
  };
  std::string_view host = text;
  if (const std::size_t colon = PortColon(text); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    int port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    const bool number = error == std::errc() && end == digits.data() + digits.size();
    if (digits != "*" && (!number || port < 1 || port > 65535)) return refused();
    exception.port = port;
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (auto network = Network::Parse(host); network.ok()) {
    exception.network = *network;
    return exception;
  }
  const bool is_name = !host.empty() && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
  if (!is_name) return refused();
  exception.host = WithoutTrailingDot(host);
  std::ranges::transform(exception.host, exception.host.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return exception;
}

absl::StatusOr<AddressPolicy> AddressPolicy::Make(std::span<const std::string> allowed) {
  AddressPolicy policy;
  for (const std::string& text : allowed) {
    GLINT_ASSIGN_OR_RETURN(auto exception, ParseException(text));
    policy.exceptions_.push_back(std::move(exception));
  }
  return policy;
}

bool AddressPolicy::PortFits(const Exception& exception, int port) {
  if (!exception.port) return IsWebPort(port);
  return *exception.port == 0 || *exception.port == port;
}

absl::Status AddressPolicy::CheckUrl(const Url& url) const {
  if (const auto address = IpAddress::Parse(url.host())) {
    return Check(url.host(), url.port(), *address);
  }
  const bool port_may_fit =
      IsWebPort(url.port()) || std::ranges::any_of(exceptions_, [&](const Exception& exception) {
        return PortFits(exception, url.port());
      });
  return port_may_fit ? absl::OkStatus() : RefusedPort(url.port());
}

absl::Status AddressPolicy::Check(std::string_view host, int port, const IpAddress& address) const {
  const std::string_view name = WithoutTrailingDot(host);
  for (const Exception& exception : exceptions_) {
    const bool meant =
        exception.network ? exception.network->Contains(address) : exception.host == name;
    if (meant && PortFits(exception, port)) return absl::OkStatus();
  }
  if (const auto why = WhyNotPublic(address)) {
    const std::string subject =
        host == address.Text() ? address.Text()
                               : fmt::format("'{}' resolves to {}, which", host, address.Text());
    return Error(Reason::kUrlNotAllowed,
                 fmt::format("{} is {}; only public addresses are open to URLs, and what the "
                             "operator allows with --allow-source {}:{}",
                             subject, *why, host, port));
  }
  return IsWebPort(port) ? absl::OkStatus() : RefusedPort(port);
}

}  // namespace glint
