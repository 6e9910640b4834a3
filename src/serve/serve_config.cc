// SPDX-License-Identifier: Apache-2.0
#include "serve/serve_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>

#include "api/request.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "glint/export_format.h"
#include "http/address_policy.h"
#include "jobs/postgres_jobs.h"

namespace glint {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

void AddServerSettings(SettingList& list, ServeConfig& config) {
  list.List("listen", config.server.listen,
            "Addresses to serve gRPC on, host:port; port 0 is a free one");
  list.Path("token-file", config.token_file,
            "The clients' tokens, one per line; read again when it changes");
  list.Secret("tokens", config.tokens, "The clients' tokens, separated by commas");
  list.Switch("insecure-no-auth", config.insecure_no_auth,
              "Listen on other than loopback addresses without tokens and client certificates");
  list.Path("tls.cert", config.server.tls.cert,
            "Certificate chain (PEM); read again when it changes");
  list.Path("tls.key", config.server.tls.key, "Private key of the certificate (PEM)");
  list.Path("tls.client-ca", config.server.tls.client_ca,
            "Clients must show a certificate signed by one of these (PEM)");
  list.Switch("reflection", config.server.reflection, "Offer gRPC reflection");
  list.Number("max-message-bytes", config.server.max_message_bytes, 16 << 10, 64 << 20,
              "Size of a request, at most");
  list.Number("max-streams", config.server.max_streams, 1, 1'000'000,
              "Open streams of events, at most");
  list.Number("max-streams-per-connection", config.server.max_streams_per_connection, 1, 1'000'000,
              "Calls at once on one connection, at most");
  list.Number("max-connections", config.max_connections, 0, 60'000,
              "TCP connections, at most; 0 is what the limit of open files leaves, 1000 at most");
  list.Number("max-connections-per-address", config.server.connections.max_per_address, 1, 60'000,
              "Of those, from one address (IPv6: one /64), at most");
  list.Duration("request-time", config.server.request_time, 100ms,
                "A request that has not arrived whole after this long is refused");
  list.Duration("keepalive", config.server.keepalive, 1s, "Pings to silent clients, one per");
  list.Duration("keepalive-timeout", config.server.keepalive_timeout, 1s,
                "A client that does not answer a ping for this long is dropped");
}

void AddHttpSettings(SettingList& list, ServeConfig& config) {
  list.List(
      "http", config.server.http,
      "Addresses to serve HTTP on, host:port: the API as JSON, uploads, results and a page for "
      "people; none unless given");
  list.Text("http-url", config.http_url,
            "What clients reach the HTTP port by, in links to results: https://scans.example.com; "
            "empty: its first address");
  list.Switch("http-clear", config.server.http_clear,
              "No TLS on the HTTP port though there is a tls.cert: on the loopback, for a proxy "
              "that ends TLS in front");
  list.Path(
      "uploads", config.uploads,
      "Folder of uploaded videos, for this user alone; all workers of a shared queue (--jobs) "
      "need the same one. Default: in the state folder, and none where the queue is shared");
  list.Size("upload-space", config.upload_space, 1 << 20, "Size of all uploaded videos at a time");
  list.Size("upload-space-per-owner", config.upload_space_per_owner, 1 << 20,
            "Of those, of one owner's");
  list.Duration("upload-age", config.upload_age, 1s,
                "An upload that no scan has read is deleted so long after its last byte came");
}

void AddScanSettings(SettingList& list, ServeConfig& config) {
  list.Path("state", config.state,
            "Folder of the jobs, on a local disk, and of what a worker keeps while it works");
  list.OneOf("decode", config.decode, {"auto", "cpu", "nvdec"},
             "What decodes; the CPU what nvdec cannot");
  list.OneOf("decode-sandbox", config.decode_sandbox, {"auto", "on", "off"},
             "Confine the process that opens videos; auto is on: without a sandbox that works "
             "nothing is served, unless it is off");
  list.Path("decoder", config.decoder,
            "The program that decodes. Default: glint-decode beside glint, or in ../libexec/glint");
  list.List(
      "allow-source", config.allow_source,
      "Sources besides public addresses on ports 80 and 443: media.internal, 10.0.0.0/8:8080, "
      "[::1]:*");
  list.Path("download.ca", config.download_ca, "Root certificates (PEM) for downloads");
  list.Duration("download.timeout", config.download_timeout, 1s, "What one download may take");
  list.Size("download.min-speed", config.download_min_speed, 0,
            "A source that sends fewer bytes a second for 20 s is given up");
  list.Number("downloads", config.downloads, 0, 256,
              "Videos that are downloaded, or have been and wait for their turn, besides the "
              "scans that compute");
  list.Size("download.space", config.download_space, 1 << 20, "Size of all downloads at a time");
  list.Number("lanes", config.lanes, 0, 256,
              "Scans at a time; they share the threads, and each takes the device with the fewest "
              "scans; 0 is one per device");
  list.Size(
      "memory", config.memory, 0,
      "Memory of the worker; frames that need more than a scan's share are refused; 0 is what "
      "its control group or the machine has");
  list.Text("device", config.device,
            "What computes: auto, a name that `glint doctor` lists, or a kind (cuda: every GPU)");
  list.Number("threads", config.threads, 0, 1024, "CPU threads; 0 is one per core");
  list.Path("tuning-file", config.tuning_file,
            "What glint bench --tune found out about this machine");
  list.OneOf("default-profile", config.default_profile, {"classic", "photometric"},
             "The detector of requests that name none");
  list.Duration("scan-timeout", config.scan_timeout, 1s,
                "What one attempt at a scan may take, after its download");
}

void AddQueueSettings(SettingList& list, ServeConfig& config) {
  list.Text(
      "jobs", config.job_store,
      "Queue that workers of several machines share: postgresql://user@host/database (libpq's "
      "URL); empty: a file in the state folder");
  list.Text("jobs-listen", config.job_store_listen,
            "The same database without a PgBouncer between, for LISTEN; empty: as --jobs");
  list.Number("jobs-connections", config.job_store_connections, 1, 1000,
              "Connections to the shared queue, at most, besides the one for LISTEN");
  list.Number("queue-capacity", config.jobs.queue_capacity, 1, 10'000'000, "Scans that may wait");
  list.Number("max-attempts", config.jobs.max_attempts, 1, 100,
              "A scan whose worker died this often fails");
  list.Duration("keep-ended", config.keep_ended, 1s, "How long ended scans are known");
  list.Number("keep-ended-count", config.jobs.keep_ended_count, 1, kMax,
              "How many ended scans are known, at most");
}

void AddTierSettings(SettingList& list, ServeConfig& config) {
  list.List("tiers", config.tiers.tiers,
            "Tiers whose scans this worker runs, the preferred one first; * is all others");
  list.Text("usual-tier", config.usual_tier,
            "Tier of submissions that name none, where their token names none");
  list.List("tier-device", config.tier_devices,
            "What a tier's scans are meant for: premium=cuda, free=cpu; others for any device");
  list.Text("spill-to-cpu", config.spill_to_cpu,
            "Scans that are meant for GPUs run on a CPU when no worker with a GPU has served their "
            "tier for so long; or never");
  list.OneOf("spill-to-gpu", config.spill_to_gpu, {"idle", "never"},
             "Scans that are meant for CPUs run on a GPU for which nothing else waits, or");
  list.Duration("tier-patience", config.tiers.patience, 1s,
                "A tier of which the worker has begun nothing for so long goes first");
}

void AddStoreSettings(SettingList& list, ServeConfig& config) {
  StoreOptions& store = config.store_options;
  list.Text("store", config.store,
            "Where results go: a folder, s3://bucket/prefix or supabase://bucket/prefix");
  list.Text("export", config.exports,
            "Store results in these formats, too, some of coco,cvat,labelme,csv");
  list.Text("store-endpoint", store.endpoint, "The store's URL, where it is not AWS");
  list.Text("store-region", store.region, "The store's region");
  list.OneOf("store-addressing", config.store_addressing, {"auto", "path", "host"},
             "Where the bucket stands in URLs");
  list.OneOf("store-urls", config.store_urls, {"none", "public", "signed"},
             "Which URLs clients get of results");
  list.Duration("store-url-life", config.store_url_life, 1s, "Life of signed URLs");
  list.Text(
      "store-public-url", store.public_url,
      "What stands before the keys in public URLs, and in signed ones for the store's endpoint");
  list.Text("store-keys", store.key_template,
            "Keys of objects: plain, legacy or a template; see docs/storage.md");
  list.Text("store-objects", store.objects,
            "What goes into a bucket, of json,png,html; json always; empty: all");
  list.Text("store-cache-control", store.cache_control, "Cache-Control of objects");
  list.Duration("deliver-within", config.delivery.within, 0ms,
                "How long a finished result waits for a store that is away before its scan fails");
  list.Size("result-space", config.delivery.space, 1 << 20,
            "Size of results that wait; when they fill it, no scan is begun");
  list.Text("store-ca", store.ca_file, "Root certificates (PEM) for the store");
}

void AddNotificationSettings(SettingList& list, ServeConfig& config) {
  list.Text("webhook-url", config.webhook.url, "POST how scans get on to this URL, signed");
  list.Secret("webhook-secret", config.webhook.secret, "Signs the webhook");
  list.Path("webhook-secret-file", config.webhook_secret_file, "A file with that secret");
  list.Text("webhook-ca", config.webhook.ca_file, "Root certificates (PEM) for the webhook");
  list.Text("postgrest-url", config.postgrest.url,
            "Write how scans get on into rows of this PostgREST interface");
  list.Text("postgrest-table", config.postgrest.table, "The table; its column id is the scan's id");
  list.Text("postgrest-schema", config.postgrest.schema,
            "Its schema; empty: the first that the interface shows");
  list.Secret("postgrest-key", config.postgrest.key, "Key of the interface");
  list.Path("postgrest-key-file", config.postgrest_key_file, "A file with that key");
  list.Text("postgrest-ca", config.postgrest.ca_file, "Root certificates (PEM) for the interface");
}

/// The secret of a file of its own, without white space at its ends, in place of the environment's.
void ReadSecret(std::string_view key, const std::filesystem::path& file, std::string& secret,
                std::vector<std::string>& wrong) {
  if (file.empty()) return;
  std::ifstream stream(file);
  std::string text;
  if (!(stream >> text)) {
    wrong.push_back(fmt::format("{}: {} cannot be read or is empty", key, file.string()));
  }
  secret = text;
}

/// What the texts of the tiers' settings mean.
void InterpretTiers(ServeConfig& config, std::vector<std::string>& wrong) {
  TierOptions& tiers = config.tiers;
  if (tiers.tiers.empty()) wrong.emplace_back("tiers: names none");
  for (const std::string& tier : tiers.tiers) {
    if (tier == ClaimOrder::kOthers || IsTierName(tier)) continue;
    wrong.push_back(fmt::format("tiers: '{}' is no tier's name", tier));
  }
  if (!config.usual_tier.empty() && !IsTierName(config.usual_tier)) {
    wrong.push_back(fmt::format("usual-tier: '{}' is no tier's name", config.usual_tier));
  }
  for (const std::string& text : config.tier_devices) {
    const auto read = ReadTierDevice(text);
    if (read.ok()) {
      tiers.devices.insert(*read);
    } else {
      wrong.push_back(fmt::format("tier-device: {}", Message(read.status())));
    }
  }
  tiers.spill_to_idle_gpu = config.spill_to_gpu == "idle";
  tiers.spill_to_cpu.reset();
  if (config.spill_to_cpu == "never") return;
  tiers.spill_to_cpu = ParseDuration(config.spill_to_cpu);
  if (!tiers.spill_to_cpu) {
    wrong.push_back(fmt::format("spill-to-cpu: '{}' is neither a duration, such as 60s, nor never",
                                config.spill_to_cpu));
  }
}

/// What the texts of the settings mean.
void Interpret(ServeConfig& config, std::vector<std::string>& wrong) {
  ReadSecret("webhook-secret-file", config.webhook_secret_file, config.webhook.secret, wrong);
  ReadSecret("postgrest-key-file", config.postgrest_key_file, config.postgrest.key, wrong);
  const auto& mask = config.umask_text;
  const auto parsed = std::from_chars(mask.data(), mask.data() + mask.size(), config.umask, 8);
  if (parsed.ec != std::errc() || parsed.ptr != mask.data() + mask.size() || config.umask < 0 ||
      config.umask > 0777) {
    wrong.push_back(fmt::format("umask: '{}' is no octal number from 000 to 777", mask));
  }
  config.jobs.keep_ended = std::chrono::duration_cast<std::chrono::seconds>(config.keep_ended);
  config.sandbox = config.decode_sandbox == "on"    ? SandboxMode::kOn
                   : config.decode_sandbox == "off" ? SandboxMode::kOff
                                                    : SandboxMode::kAuto;
  config.decode_mode = config.decode == "nvdec" ? DecodeMode::kNvdec
                       : config.decode == "cpu" ? DecodeMode::kCpu
                                                : DecodeMode::kAuto;
  InterpretTiers(config, wrong);
  StoreOptions& store = config.store_options;
  if (config.store_addressing != "auto") store.path_style = config.store_addressing == "path";
  store.urls = config.store_urls == "public"   ? UrlMode::kPublic
               : config.store_urls == "signed" ? UrlMode::kSigned
                                               : UrlMode::kNone;
  store.url_life = std::chrono::duration_cast<std::chrono::seconds>(config.store_url_life);
}

void AddLimitSettings(SettingList& list, VideoLimits& limits) {
  list.Number("limits.pixels", limits.max_pixels, 1, kMax, "Pixels of a frame, at most");
  list.Number("limits.side", limits.max_side, 16, 65'536, "Pixels of a frame's side, at most");
  list.Number("limits.frames", limits.max_frames, 1, kMax, "Frames of a video, at most");
  list.Number("limits.duration", limits.max_duration_s, 0.1, 1e9, "Seconds of a video, at most");
  list.Size("limits.bytes", limits.max_bytes, 1,
            "Size of a video file, at most (suffixes k, M, G)");
}

void AddProcessSettings(SettingList& list, ServeConfig& config) {
  list.Duration("drain-grace", config.drain_grace, 0ms,
                "After SIGTERM, how long scans that run may go on before they are put back");
  list.Duration("exit-when-idle", config.exit_when_idle, 0ms,
                "Exit after this long without scans and streams; 0 is never");
  list.Text("metrics-listen", config.metrics_listen,
            "Address of /metrics and /healthz (HTTP, no access control); empty: none");
  list.Text("umask", config.umask_text,
            "What others may not do with files and folders that the worker makes, octal: 027 keeps "
            "them from the owner's group's writing and from all others");
  list.OneOf("log-level", config.log_level, {"trace", "debug", "info", "warn", "error", "off"},
             "What is logged");
  list.OneOf("log-format", config.log_format, {"text", "json"}, "How it is logged");
}

/// host and port of "host:port" or "[v6]:port"; nothing when it is neither.
std::optional<std::pair<std::string, int>> SplitAddress(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == address.size()) return std::nullopt;
  std::string_view host = address.substr(0, colon);
  int port = 0;
  for (const char c : address.substr(colon + 1)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    port = port * 10 + (c - '0');
    if (port > 65'535) return std::nullopt;
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  if (host.empty()) return std::nullopt;
  return std::pair(std::string(host), port);
}

void CheckHttp(const ServeConfig& config, bool has_tokens, std::vector<std::string>& wrong) {
  const TlsFiles& tls = config.server.tls;
  const bool clear = config.server.http_clear;
  const bool guarded = has_tokens || (!tls.client_ca.empty() && !clear);
  for (const std::string& address : config.server.http) {
    if (!SplitAddress(address)) {
      wrong.push_back(fmt::format("http: '{}' is no host:port or [v6]:port", address));
    } else if (IsLoopback(address)) {
      continue;
    } else if (!guarded && !config.insecure_no_auth) {
      wrong.push_back(fmt::format(
          "http: '{}' can be reached from other machines, and nothing keeps strangers out; give "
          "token-file, GLINT_TOKENS or tls.client-ca, or say --insecure-no-auth if something in "
          "front does",
          address));
    } else if (tls.wanted() && clear) {
      wrong.push_back(fmt::format(
          "http-clear: '{}' can be reached from other machines, and would carry in the clear what "
          "tls.cert encrypts on the gRPC ports; listen on the loopback, or leave it out",
          address));
    }
  }
  const std::string& url = config.http_url;
  if (!url.empty() && (!url.starts_with("http://") && !url.starts_with("https://"))) {
    wrong.push_back(fmt::format("http-url: '{}' does not begin with http:// or https://", url));
  }
  if (!url.empty() && url.ends_with('/')) wrong.emplace_back("http-url: ends with a slash");
}

void CheckAddresses(const ServeConfig& config, bool has_tokens, std::vector<std::string>& wrong) {
  if (config.server.listen.empty()) wrong.emplace_back("listen: names no address");
  const bool guarded = has_tokens || !config.server.tls.client_ca.empty();
  for (const std::string& address : config.server.listen) {
    if (!address.starts_with("unix:") && !SplitAddress(address)) {
      wrong.push_back(fmt::format("listen: '{}' is no host:port or [v6]:port", address));
    } else if (!guarded && !config.insecure_no_auth && !IsLoopback(address)) {
      wrong.push_back(fmt::format(
          "listen: '{}' can be reached from other machines, and nothing keeps strangers out; give "
          "token-file, GLINT_TOKENS or tls.client-ca, or say --insecure-no-auth if something in "
          "front does",
          address));
    }
  }
  CheckHttp(config, has_tokens, wrong);
  if (!config.metrics_listen.empty() && !SplitAddress(config.metrics_listen)) {
    wrong.push_back(
        fmt::format("metrics-listen: '{}' is no host:port or [v6]:port", config.metrics_listen));
  }
}

void CheckJobStore(const ServeConfig& config, std::vector<std::string>& wrong) {
  const auto check = [&](std::string_view key, const std::string& url) {
    if (const auto read = ReadPostgresUrl(url); !url.empty() && !read.ok()) {
      wrong.push_back(fmt::format("{}: {}", key, Message(read.status())));
    }
  };
  check("jobs", config.job_store);
  check("jobs-listen", config.job_store_listen);
  if (config.job_store.empty() && !config.job_store_listen.empty()) {
    wrong.emplace_back("jobs-listen: says where to LISTEN for --jobs, which is not given");
  }
}

}  // namespace

SettingList MakeSettings(ServeConfig& config) {
  SettingList list;
  AddServerSettings(list, config);
  AddHttpSettings(list, config);
  AddScanSettings(list, config);
  AddQueueSettings(list, config);
  AddTierSettings(list, config);
  AddStoreSettings(list, config);
  AddNotificationSettings(list, config);
  AddLimitSettings(list, config.limits);
  AddProcessSettings(list, config);
  return list;
}

absl::StatusOr<std::vector<std::unique_ptr<NotificationTarget>>> MakeNotificationTargets(
    const ServeConfig& config) {
  std::vector<std::unique_ptr<NotificationTarget>> targets;
  if (!config.webhook.url.empty()) {
    GLINT_ASSIGN_OR_RETURN(auto webhook, MakeWebhook(config.webhook));
    targets.push_back(std::move(webhook));
  }
  if (!config.postgrest.url.empty()) {
    GLINT_ASSIGN_OR_RETURN(auto row, MakePostgrestRow(config.postgrest));
    targets.push_back(std::move(row));
  }
  return targets;
}

bool IsLoopback(const std::string& address) {
  if (address.starts_with("unix:")) return true;
  const auto split = SplitAddress(address);
  if (!split) return false;
  const std::string& host = split->first;
  const bool digits =
      std::ranges::all_of(host, [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
  return host == "localhost" || host == "::1" || (digits && host.starts_with("127."));
}

absl::StatusOr<std::unique_ptr<TokenList>> Configure(ServeConfig& config,
                                                     const SettingList& settings,
                                                     const SettingSources& sources) {
  std::vector<std::string> wrong = Apply(settings, sources);
  Interpret(config, wrong);
  auto tokens = TokenList::Load(config.tokens, config.token_file);
  if (!tokens.ok()) wrong.emplace_back(Message(tokens.status()));
  CheckAddresses(config, !config.tokens.empty() || !config.token_file.empty(), wrong);
  for (std::string& text : CheckTlsFiles(config.server.tls)) wrong.push_back(std::move(text));
  if (const auto policy = AddressPolicy::Make(config.allow_source); !policy.ok()) {
    wrong.push_back(fmt::format("allow-source: {}", Message(policy.status())));
  }
  if (const auto exports = ParseExportFormats(config.exports); !exports.ok()) {
    wrong.push_back(fmt::format("export: {}", Message(exports.status())));
  }
  if (config.store.empty()) {
    wrong.emplace_back("store: names no place for results");
  } else if (const auto store = OpenStore(config.store, config.store_options); !store.ok()) {
    wrong.push_back(fmt::format("store: {}", Message(store.status())));
  }
  if (const auto targets = MakeNotificationTargets(config); !targets.ok()) {
    wrong.emplace_back(Message(targets.status()));
  }
  CheckJobStore(config, wrong);
  if (config.state.empty()) wrong.emplace_back("state: names no folder");
  if (wrong.empty()) return tokens;
  return Error(Reason::kInvalidOption,
               fmt::format("the configuration has {} error{}:\n  {}", wrong.size(),
                           wrong.size() == 1 ? "" : "s", fmt::join(wrong, "\n  ")));
}

}  // namespace glint
