// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string_view>

#include "serve/token_list.h"

namespace glint {

/// Lets calls in that show a token: `authorization: Bearer <token>`. Asked by the router for each
/// call, because gRPC's own hook for it ends the process on connections without TLS, and TLS may
/// end in front of the worker.
class CallAuthenticator {
 public:
  /// @param tokens  must outlive this; an empty list lets everybody in
  explicit CallAuthenticator(TokenList& tokens) : tokens_(tokens) {}

  /// @param authorization  that header, or metadata, of the call; nothing when it has none
  /// @return who calls. Errors: UNAUTHENTICATED
  absl::StatusOr<std::shared_ptr<const Identity>> Check(
      std::optional<std::string_view> authorization) const;

  /// Whether callers have to show a token.
  bool asks() const { return !tokens_.empty(); }

 private:
  TokenList& tokens_;
};

}  // namespace glint
