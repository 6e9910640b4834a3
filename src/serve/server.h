// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "glint/v1/worker_service.pb.h"
#include "jobs/job_store.h"
#include "serve/connection_gate.h"
#include "serve/credentials.h"
#include "serve/http_api.h"
#include "serve/scan_service.h"
#include "serve/token_list.h"

namespace glint {

/// How the gRPC server listens, and what it allows.
struct ServerOptions {
  std::vector<std::string> listen = {
      "127.0.0.1:50051"};         ///< host:port, [v6]:port; port 0: a free one
  std::vector<std::string> http;  ///< likewise, for HTTP; empty: none
  TlsFiles tls;                   ///< of both
  bool http_clear = false;        ///< HTTP does not use them
  bool reflection = true;
  int max_message_bytes = 64 << 10;       ///< of one request
  int max_streams_per_connection = 1000;  ///< calls at once on one connection
  int max_streams = 10'000;               ///< open streams of events in all
  int max_waiting_calls = 1'000;          ///< calls that wait for the job store
  int store_threads = 4;
  ConnectionLimits connections = {};
  ConnectionLimits http_connections = {};          ///< of the HTTP ports
  std::size_t memory_bytes = 128 << 20;            ///< gRPC's own: what waits to be read or written
  std::chrono::milliseconds request_time{10'000};  ///< for a request to arrive whole
  std::chrono::milliseconds handshake_time{10'000};  ///< for TLS and HTTP/2 to be agreed on
  std::chrono::milliseconds keepalive{30'000};       ///< pings to a silent client
  std::chrono::milliseconds keepalive_timeout{
      10'000};  ///< until one that does not answer is dropped
};

/// What the server works with. All must outlive it.
struct ServerDeps {
  JobStore& jobs;
  TokenList& tokens;
  ScanRules rules;
  v1::WorkerInfo info;  ///< see WorkerServiceImpl
  CallObserver observe = {};
  HttpParts http = {};
};

/// The gRPC server: glint.v1, health and reflection; and the same services by HTTP. Its health is
/// NOT_SERVING until SetHealth().
class Server {
 public:
  virtual ~Server() = default;
  /// The TCP ports that it listens on, in the order of `listen`.
  virtual const std::vector<int>& ports() const = 0;
  /// Those of HTTP.
  virtual const std::vector<int>& http_ports() const = 0;
  /// What clients reach those by; empty: nothing.
  virtual const std::string& http_url() const = 0;
  /// Open streams of events.
  virtual std::size_t streams() const = 0;
  /// Open TCP connections.
  virtual std::size_t connections() const = 0;

  /// Health becomes SERVING, or NOT_SERVING for a while.
  virtual void SetHealth(bool serving) = 0;
  /// Health becomes NOT_SERVING, and nothing new is taken; everything else goes on.
  virtual void StartDraining() = 0;
  /// Takes it back: serves as before. Not after Stop().
  virtual void EndDraining() = 0;
  /// Calls that add scans, at this moment.
  virtual int submissions() const = 0;
  /// Ends the streams with DRAINING, gives calls `grace` to end, and stops. Call it before the
  /// destructor.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

/// Starts it. Errors: INVALID_OPTION an address that cannot be listened on
absl::StatusOr<std::unique_ptr<Server>> StartServer(const ServerOptions& options, ServerDeps deps);

}  // namespace glint
