// SPDX-License-Identifier: Apache-2.0
// The commands that call a worker.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <system_error>

#include "api/url.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/remote.h"
#include "cli/upload.h"
#include "cli/workers.h"
#include "glint/error.h"
#include "glint/url_fetcher.h"
#include "serve/serve_config.h"

namespace glint {
namespace {

struct SubmitOptions {
  RemoteOptions remote;
  ScanFlags scan;
  std::string id, url, back, tier, batch;
  bool wait = false;
};

struct ScanIdOptions {
  RemoteOptions remote;
  std::string id;
  std::int64_t after_seq = 0;
};

struct ListOptions {
  RemoteOptions remote;
  v1::ScanState state = v1::SCAN_STATE_UNSPECIFIED;
  std::string owner, batch;
  int limit = 100;
};

struct WorkersOptions {
  RemoteOptions remote;
};

struct HealthOptions {
  RemoteOptions remote;
  std::string service;
};

/// Runs `made` with a client. @return the exit code
template <class Made>
int WithClient(RemoteOptions& options, const CommandContext& context, const Made& made) {
  const auto client = Connect(options);
  if (!client.ok()) return Fail(context.console, options.json, client.status());
  return made(**client);
}

/// Shows one scan, or why there is none. @return the exit code
int Show(const absl::StatusOr<v1::Scan>& scan, bool json, Console& console) {
  if (!scan.ok()) return Fail(console, json, scan.status());
  console.Print(json ? JsonLine({{"event", "scan"}, {"scan", ScanJson(*scan)}}) : ScanTable(*scan));
  return kExitSuccess;
}

/// A name for a scan that was given none: the time and some randomness.
std::string NewScanId() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("scan-{:x}-{:x}",
                     std::chrono::duration_cast<std::chrono::milliseconds>(now).count(),
                     std::random_device()());
}

/// Whether the video is on this machine: the worker cannot fetch it then.
bool IsLocal(const std::string& video) {
  return !IsWebUrl(video) && !video.starts_with(kUploadScheme);
}

/// Brings a local video to the worker. @return what the request names it by. Errors: those of
/// UploadVideo; INPUT_NOT_FOUND; INVALID_OPTION the worker takes no files
absl::StatusOr<std::string> Bring(Client& client, const std::string& video,
                                  const SubmitOptions& options, const CommandContext& context) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(video, error)) {
    return Error(Reason::kInputNotFound,
                 fmt::format("'{}' is neither an http(s) URL nor a file here", video));
  }
  GLINT_ASSIGN_OR_RETURN(const auto worker, client.WorkerInfo());
  const std::string& base = worker.http_url();
  if (base.empty()) {
    return Error(Reason::kInvalidOption,
                 "the worker takes no files, for it serves no HTTP; start it with --http, or give "
                 "the video's URL");
  }
  if (options.remote.client.tls && !options.remote.client.token.empty() &&
      !base.starts_with("https://") && !IsLoopback(base.substr(base.find("://") + 3))) {
    return Error(Reason::kInvalidOption,
                 fmt::format("the token would cross the network in the clear to {}; let the "
                             "worker's --http-url name an https address",
                             base));
  }
  const std::string name = std::filesystem::path(video).filename().string();
  const ClientOptions& called = options.remote.client;
  const auto address = UploadVideo(
      {base, called.token, called.ca, called.cert, called.key}, video,
      [&](double fraction) {
        context.console.SetStatus(fmt::format("uploading {}: {:.0f} %", name, fraction * 100));
      },
      context.stop);
  context.console.SetStatus("");
  return address;
}

int RunSubmit(SubmitOptions& options, const CommandContext& context) {
  v1::SubmitScanRequest request;
  request.set_scan_id(options.id.empty() ? NewScanId() : options.id);
  request.set_video_url(options.url);
  request.set_back_video_url(options.back);
  request.set_tier(options.tier);
  request.set_batch(options.batch);
  *request.mutable_options() = ToMessage(options.scan);
  return WithClient(options.remote, context, [&](Client& client) {
    for (std::string* video : {request.mutable_video_url(), request.mutable_back_video_url()}) {
      if (video->empty() || !IsLocal(*video)) continue;
      const auto address = Bring(client, *video, options, context);
      if (!address.ok()) return Fail(context.console, options.remote.json, address.status());
      *video = *address;
    }
    const auto submitted = client.Submit(request);
    if (!submitted.ok()) return Fail(context.console, options.remote.json, submitted.status());
    if (options.remote.json) {
      context.console.Print(JsonLine({{"event", "submitted"},
                                      {"created", submitted->created()},
                                      {"scan", ScanJson(submitted->scan())}}));
    } else if (!options.wait) {
      context.console.Print(request.scan_id() + "\n");
    }
    if (!options.wait) return kExitSuccess;
    return WatchToEnd(client, request.scan_id(), 0, options.remote.json, context.console,
                      context.stop);
  });
}

int RunList(ListOptions& options, const CommandContext& context) {
  return WithClient(options.remote, context, [&](Client& client) {
    v1::ListScansRequest request;
    request.set_state(options.state);
    request.set_owner(options.owner);
    request.set_batch(options.batch);
    for (int left = options.limit; left > 0;) {
      constexpr int kPage = 1000;
      request.set_page_size(std::min(left, kPage));
      const auto page = client.List(request);
      if (!page.ok()) return Fail(context.console, options.remote.json, page.status());
      for (const v1::Scan& scan : page->scans()) {
        context.console.Print(
            options.remote.json
                ? JsonLine({{"event", "scan"}, {"scan", ScanJson(scan)}})
                : fmt::format(
                      "{:<36} {:<10} {:3.0f} %  {}\n",
                      options.owner.empty() ? scan.scan_id() : scan.owner() + ":" + scan.scan_id(),
                      StateName(scan.state()), scan.progress().fraction() * 100,
                      scan.has_error() ? scan.error().reason() : ""));
      }
      left -= page->scans_size();
      request.set_page_token(page->next_page_token());
      if (page->next_page_token().empty()) break;
    }
    return kExitSuccess;
  });
}

nlohmann::ordered_json WorkerJson(const v1::FleetWorker& worker) {
  const auto time = [](const google::protobuf::Timestamp& at) {
    return google::protobuf::util::TimeUtil::ToString(at);
  };
  return {{"name", worker.name()},
          {"alive", worker.alive()},
          {"version", worker.version()},
          {"devices", worker.devices()},
          {"tiers", worker.tiers()},
          {"running", worker.running()},
          {"lanes", worker.lanes()},
          {"start_time", time(worker.start_time())},
          {"seen_time", time(worker.seen_time())}};
}

int RunWorkers(WorkersOptions& options, const CommandContext& context) {
  return WithClient(options.remote, context, [&](Client& client) {
    const auto fleet = client.ListWorkers();
    if (!fleet.ok()) return Fail(context.console, options.remote.json, fleet.status());
    if (!options.remote.json) {
      context.console.Print(fmt::format("{:<52} {:<6} {:<12} {:<10} {:<24} {}\n", "worker", "alive",
                                        "version", "devices", "tiers", "running"));
    }
    for (const v1::FleetWorker& worker : fleet->workers()) {
      context.console.Print(options.remote.json
                                ? JsonLine({{"event", "worker"}, {"worker", WorkerJson(worker)}})
                                : fmt::format("{:<52} {:<6} {:<12} {:<10} {:<24} {} of {}\n",
                                              worker.name(), worker.alive() ? "yes" : "no",
                                              worker.version(),
                                              fmt::format("{}", fmt::join(worker.devices(), ",")),
                                              fmt::format("{}", fmt::join(worker.tiers(), ",")),
                                              worker.running(), worker.lanes()));
    }
    return kExitSuccess;
  });
}

int RunHealthcheck(HealthOptions& options, const CommandContext& context) {
  return WithClient(options.remote, context, [&](Client& client) {
    const absl::Status health = client.CheckHealth(options.service);
    if (!health.ok()) return Fail(context.console, options.remote.json, health);
    context.console.Print(options.remote.json ? JsonLine({{"event", "health"}, {"serving", true}})
                                              : "serving\n");
    return kExitSuccess;
  });
}

void AddSubmitCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<SubmitOptions>();
  CLI::App* command = app.add_subcommand("submit", "Give a worker a video to scan");
  command->add_option("url", options->url, "http(s) URL of the video, or a file, which is uploaded")
      ->required();
  command->add_option("--back", options->back,
                      "A video of the item's other side, likewise: one report of both");
  command->add_option("--id", options->id,
                      "The scan's id; the same id with the same request is the same scan. Default: "
                      "a new one");
  command->add_option("--tier", options->tier, "Its tier; default: the token's, or the worker's");
  command->add_option("--batch", options->batch, "The batch that it is a part of");
  AddScanFlags(*command, options->scan);
  command->add_flag("--wait", options->wait, "Follow the scan to its end");
  AddRemoteOptions(*command, options->remote);
  command->footer(ExitCodeHelp());
  ActWhenChosen(*command, action, options, RunSubmit);
}

/// Adds a command about one scan.
template <class Made>
void AddScanIdCommand(CLI::App& app, Action& action, const char* name, const char* help,
                      const Made& made) {
  auto options = std::make_shared<ScanIdOptions>();
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("scan_id", options->id, "The scan's id")->required();
  if (std::string_view(name) == "watch") {
    command->add_option("--after-seq", options->after_seq, "Leave out events up to this one");
  }
  AddRemoteOptions(*command, options->remote);
  ActWhenChosen(*command, action, options,
                [made](ScanIdOptions& chosen, const CommandContext& context) {
                  return WithClient(chosen.remote, context,
                                    [&](Client& client) { return made(client, chosen, context); });
                });
}

void AddListCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = app.add_subcommand("list", "List a worker's scans, newest first");
  const std::map<std::string, v1::ScanState> states = {{"queued", v1::SCAN_STATE_QUEUED},
                                                       {"running", v1::SCAN_STATE_RUNNING},
                                                       {"succeeded", v1::SCAN_STATE_SUCCEEDED},
                                                       {"failed", v1::SCAN_STATE_FAILED},
                                                       {"cancelled", v1::SCAN_STATE_CANCELLED}};
  command->add_option("--state", options->state, "Only those in this state")
      ->transform(CLI::CheckedTransformer(states));
  command->add_option("--owner", options->owner,
                      "Whose; * is everybody's. Others' need the right to administer");
  command->add_option("--batch", options->batch, "Only those of this batch");
  command->add_option("--limit", options->limit, "At most this many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  AddRemoteOptions(*command, options->remote);
  ActWhenChosen(*command, action, options, RunList);
}

void AddWorkersCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<WorkersOptions>();
  CLI::App* command = app.add_subcommand("workers", "List the workers that share a worker's queue");
  AddRemoteOptions(*command, options->remote);
  ActWhenChosen(*command, action, options, RunWorkers);
}

void AddHealthcheckCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<HealthOptions>();
  CLI::App* command =
      app.add_subcommand("healthcheck", "Ask a worker whether it serves; needs no token");
  command->add_option("--service", options->service, "e.g. glint.v1.ScanService; default: all");
  AddRemoteOptions(*command, options->remote);
  command->footer("Exits with 0 when it serves and with 9 when it does not.");
  ActWhenChosen(*command, action, options, RunHealthcheck);
}

}  // namespace

void AddRemoteCommands(CLI::App& app, Action& action) {
  AddSubmitCommand(app, action);
  AddScanIdCommand(app, action, "watch", "Follow a scan to its end",
                   [](Client& client, const ScanIdOptions& options, const CommandContext& context) {
                     return WatchToEnd(client, options.id, options.after_seq, options.remote.json,
                                       context.console, context.stop);
                   });
  AddScanIdCommand(app, action, "get", "Show a scan as it stands",
                   [](Client& client, const ScanIdOptions& options, const CommandContext& context) {
                     return Show(client.Get(options.id), options.remote.json, context.console);
                   });
  AddListCommand(app, action);
  AddScanIdCommand(app, action, "cancel", "Cancel a scan that waits or runs",
                   [](Client& client, const ScanIdOptions& options, const CommandContext& context) {
                     return Show(client.Cancel(options.id), options.remote.json, context.console);
                   });
  AddWorkersCommand(app, action);
  AddHealthcheckCommand(app, action);
}

}  // namespace glint
