// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <string>

#include "observe/metrics.h"

namespace glint {

/// What /healthz says.
struct Health {
  bool serving = false;
  std::string detail;  ///< one line for people, e.g. "draining"
};

/// An HTTP server with /metrics and /healthz (200 while serving, otherwise 503) on a port of its
/// own. It has no access control, so it belongs on the loopback or a private address.
class ObserveServer {
 public:
  virtual ~ObserveServer() = default;
  virtual int port() const = 0;
};

/// @param address  "127.0.0.1:9090", "[::1]:9090"; port 0 takes a free one
/// @param health   called from the server's thread, which must not wait, until it is gone
/// Errors: INVALID_OPTION an address that cannot be listened on
absl::StatusOr<std::unique_ptr<ObserveServer>> StartObserveServer(const std::string& address,
                                                                  ServiceMetrics& metrics,
                                                                  std::function<Health()> health);

}  // namespace glint
