// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "glint/open_store.h"
#include "glint/scan.h"
#include "glint/tuning_file.h"
#include "glint/video.h"
#include "glint/video_opener.h"
#include "jobs/job_store.h"
#include "notify/postgrest_row.h"
#include "notify/webhook.h"
#include "serve/server.h"
#include "serve/settings.h"
#include "serve/token_list.h"
#include "workers/deliveries.h"
#include "workers/tier_order.h"

namespace glint {

/// Everything that `glint serve` can be told.
struct ServeConfig {
  ServerOptions server;
  std::string http_url;           ///< what clients reach the HTTP port by; empty: its first address
  std::filesystem::path uploads;  ///< empty: in the state folder, where no queue is shared
  std::int64_t upload_space = std::int64_t{16} << 30;  ///< see UploadLimits
  std::int64_t upload_space_per_owner = std::int64_t{8} << 30;
  std::chrono::milliseconds upload_age{24 * 3'600'000};
  int max_connections = 0;           ///< 0: what the limit of open files leaves
  std::string tokens;                ///< from the environment
  std::filesystem::path token_file;  ///< may be empty
  bool insecure_no_auth = false;
  std::filesystem::path state = "glint-state";  ///< jobs and downloads
  std::string job_store;         ///< URL of PostgreSQL; empty: SQLite in the state folder
  std::string job_store_listen;  ///< where to LISTEN instead; may be empty
  int job_store_connections = 4;
  std::string store = "glint-out";  ///< where results go: see OpenStore
  StoreOptions store_options;
  std::string exports;  ///< ScanRequest::exports, as ParseExportFormats reads them
  std::string store_addressing = "auto";
  std::string store_urls = "none";
  std::chrono::milliseconds store_url_life{3'600'000};
  SandboxMode sandbox = SandboxMode::kAuto;
  std::string decode_sandbox = "auto";
  std::filesystem::path decoder;
  DecodeMode decode_mode = DecodeMode::kAuto;
  std::string decode = "auto";
  WebhookOptions webhook;      ///< nobody is told when its URL is empty
  PostgrestOptions postgrest;  ///< the same
  std::filesystem::path webhook_secret_file, postgrest_key_file;
  std::vector<std::string> allow_source;  ///< see UrlFetchOptions::allowed_sources
  std::filesystem::path download_ca;      ///< may be empty: the system's
  std::chrono::milliseconds download_timeout{15 * 60'000};
  std::int64_t download_space = std::int64_t{16} << 30;  ///< bytes of all downloads at a time
  std::int64_t download_min_speed = 16 << 10;            ///< bytes a second, over 20 s
  int downloads = 4;                                     ///< besides those of scans that compute
  int lanes = 0;                                         ///< scans at a time; 0: one per device
  std::int64_t memory = 0;  ///< bytes; 0: what the control group or the machine has
  std::string device = "auto";
  int threads = 0;                                          ///< 0: one per core
  std::filesystem::path tuning_file = DefaultTuningFile();  ///< may be empty
  std::string default_profile = ScanRequest().profile;
  std::chrono::milliseconds scan_timeout{30 * 60'000};
  DeliveryOptions delivery;
  std::chrono::milliseconds drain_grace{30'000};
  std::chrono::milliseconds exit_when_idle{0};  ///< 0: never
  std::string metrics_listen;                   ///< empty: no metrics server
  int umask = 027;                              ///< of what it makes: state, results
  std::string umask_text = "027";
  std::string log_level = "info";
  std::string log_format = "text";
  VideoLimits limits;
  JobLimits jobs;
  TierOptions tiers;
  std::vector<std::string> tier_devices;  ///< "premium=cuda": see TierOptions::devices
  std::string spill_to_cpu = "60s";       ///< or "never"
  std::string spill_to_gpu = "idle";      ///< or "never"
  std::string usual_tier;                 ///< see ScanRules
  std::chrono::milliseconds keep_ended{7 * 24 * 3'600'000};
};

/// The settings that fill the config; it must outlive them.
SettingList MakeSettings(ServeConfig& config);

/// Fills the config from all sources and checks it as a whole; opens nothing but the files that it
/// names. @return the tokens. Errors: INVALID_OPTION with everything that is wrong, one line each
absl::StatusOr<std::unique_ptr<TokenList>> Configure(ServeConfig& config,
                                                     const SettingList& settings,
                                                     const SettingSources& sources);

/// Who is told how scans get on. Errors: INVALID_OPTION
absl::StatusOr<std::vector<std::unique_ptr<NotificationTarget>>> MakeNotificationTargets(
    const ServeConfig& config);

/// Whether only this machine can reach the address ("127.0.0.1:50051", "[::1]:0", "localhost:1",
/// "unix:/path").
bool IsLoopback(const std::string& address);

}  // namespace glint
