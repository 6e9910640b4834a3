// SPDX-License-Identifier: Apache-2.0
#include "serve/call_authenticator.h"

#include <strings.h>

#include <string_view>

#include "jobs/failure_reason.h"

namespace glint {

absl::StatusOr<std::shared_ptr<const Identity>> CallAuthenticator::Check(
    std::optional<std::string_view> authorization) const {
  static const auto kAnybody = std::make_shared<const Identity>();
  if (tokens_.empty()) return kAnybody;
  if (!authorization) {
    return Error(
        ServiceReason::kUnauthenticated,
        "the call carries no token; send it as metadata, or header, 'authorization: Bearer TOKEN'");
  }
  const std::string_view value = *authorization;
  constexpr std::string_view kScheme = "bearer ";
  const bool bearer = value.size() > kScheme.size() &&
                      strncasecmp(value.data(), kScheme.data(), kScheme.size()) == 0;
  if (bearer) {
    if (auto identity = tokens_.Find(value.substr(kScheme.size()))) return identity;
  }
  return Error(ServiceReason::kUnauthenticated,
               "the call's token is not one of the worker's; it may have been replaced");
}

}  // namespace glint
