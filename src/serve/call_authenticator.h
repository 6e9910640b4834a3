// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>
#include <grpcpp/server_context.h>

#include <memory>

#include "serve/token_list.h"

namespace glint {

/// Lets calls in that show a token: `authorization: Bearer <token>`. Asked by the router for each
/// call, because gRPC's own hook for it ends the process on connections without TLS, and TLS may
/// end in front of the worker.
class CallAuthenticator {
 public:
  /// @param tokens  must outlive this; an empty list lets everybody in
  explicit CallAuthenticator(TokenList& tokens) : tokens_(tokens) {}

  /// @return who calls. Errors: UNAUTHENTICATED
  absl::StatusOr<std::shared_ptr<const Identity>> Check(const grpc::ServerContextBase& call) const;

 private:
  TokenList& tokens_;
};

}  // namespace glint
