// SPDX-License-Identifier: Apache-2.0
// What the commands that call a worker have in common.
#pragma once

#include <absl/status/statusor.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "client/client.h"
#include "glint/v1/scan.pb.h"

namespace glint {

class Console;

/// The flags that say which worker is called.
struct RemoteOptions {
  ClientOptions client;
  std::string token_file;
  double timeout_s = 30;
  bool json = false;
};

/// The flags that say how a worker makes a scan.
struct ScanFlags {
  std::string item_type, profile, size, up;
  v1::MotionMode motion = v1::MOTION_MODE_UNSPECIFIED;
  int golden = 0;
  int gap = 0;
  std::optional<int> rotation;
  double motion_limit = 0;
};

/// Adds --item-type, --profile, --size, --motion, --golden, --gap, --motion-limit, --rotation and
/// --up.
void AddScanFlags(CLI::App& command, ScanFlags& flags);
v1::ScanOptions ToMessage(const ScanFlags& flags);

/// Adds --server, --token-file, the TLS flags, --timeout and --json.
void AddRemoteOptions(CLI::App& command, RemoteOptions& options);

/// A client by the flags and the environment (GLINT_SERVER, GLINT_TOKEN).
/// Errors: INPUT_UNREADABLE a file of the flags
absl::StatusOr<std::unique_ptr<Client>> Connect(RemoteOptions& options);

/// The scan in protobuf's JSON mapping, with the names of the .proto files.
nlohmann::ordered_json ScanJson(const v1::Scan& scan);

/// Why a scan that has ended did not succeed; OK when it did.
absl::Status EndOf(const v1::Scan& scan);

/// What is known of a scan, as a table for people.
std::string ScanTable(const v1::Scan& scan);

/// "queued", "running", ... as people read it.
std::string StateName(v1::ScanState state);

/// Follows a scan to its end: a bar on a terminal, a line per step elsewhere, or with `json` an
/// object per event. @return the exit code of the scan's end
int WatchToEnd(Client& client, const std::string& scan_id, std::int64_t after_seq, bool json,
               Console& console, const std::stop_token& stop);

}  // namespace glint
