// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "serve/serve_config.h"
#include "serve/token_list.h"

namespace glint {

/// The TCP ports that a worker listens on, each kind in the order of its addresses.
struct ServingPorts {
  std::vector<int> grpc;
  std::vector<int> http;     // empty without --http
  std::vector<int> metrics;  // empty without --metrics-listen, else one
};

using WorkerReady = std::function<void(const ServingPorts& ports)>;

/// Runs the worker until it is asked to stop, has been idle for long enough, or cannot go on.
///
/// On a stop it drains: health says NOT_SERVING and nothing new is taken; scans that run get
/// `drain_grace` to end, while reads and streams are served; then they go back to the queue,
/// streams end with DRAINING, and this returns.
/// @param config  as Configure leaves it
/// @param ready   called once when health says SERVING; may be empty
/// Errors: those of the device, the state folder, the store and the addresses; INTERNAL when every
/// scan worker is stuck, so that whoever supervises the process starts a new one
absl::Status RunWorker(const ServeConfig& config, TokenList& tokens, const std::stop_token& stop,
                       const WorkerReady& ready);

}  // namespace glint
