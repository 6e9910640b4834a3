// SPDX-License-Identifier: Apache-2.0
// glint batch: many scans of a worker, or of a fleet, under one name.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status_macros.h"
#include "cli/batch_list.h"
#include "cli/batch_report.h"
#include "cli/batch_submit.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/progress_bar.h"
#include "cli/remote.h"
#include "cli/text.h"
#include "cli/workers.h"
#include "glint/error.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kShownRefusals = 10;

struct SubmitBatchOptions {
  RemoteOptions remote;
  ScanFlags scan;
  std::string list, name, tier;
  bool wait = false;
  bool json = false;  ///< for ActWhenChosen: as remote.json
};

struct NamedBatchOptions {
  RemoteOptions remote;
  std::string name, owner, format = "table";
  std::vector<std::string> prices, reasons;
  int examples = 3;
  bool json = false;
};

std::string BarOf(const Console& console, std::string_view label, double fraction,
                  std::string detail) {
  return BarLine({std::string(label), fraction, std::move(detail)},
                 {.columns = console.width(),
                  .unicode = console.has_unicode(),
                  .colour = console.colours_status()});
}

absl::StatusOr<v1::Batch> GetBatch(Client& client, const std::string& name,
                                   const std::string& owner, int examples) {
  v1::GetBatchRequest request;
  request.set_batch(name);
  request.set_owner(owner);
  request.set_examples(examples);
  return client.GetBatch(request);
}

/// The exit code of a batch that has ended: that of its worst failure.
int WorstCodeOf(const v1::Batch& batch) {
  int code = kExitSuccess;
  for (const v1::BatchFailures& failures : batch.failures()) {
    const auto reason = FailureReasonNamed(failures.reason()).value_or(Reason::kInternal);
    code = Worse(code, Info(reason).exit_code);
  }
  return batch.cancelled() > 0 ? Worse(code, kExitCancelled) : code;
}

/// Follows a batch until nothing of it waits or runs, over restarts of the worker.
absl::StatusOr<v1::Batch> WatchBatch(Client& client, const std::string& name,
                                     const std::string& owner, const RemoteOptions& remote,
                                     const CommandContext& context) {
  constexpr auto kBetweenLooks = 1'000ms;
  constexpr int kShareOfLooks = 5;  // a long batch takes long to count
  std::string told;
  auto answered = Steady::now();
  while (true) {
    const auto asked = Steady::now();
    const auto batch = GetBatch(client, name, owner, 0);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - asked);
    if (!batch.ok() &&
        (!MayPassLater(batch.status()) || Steady::now() - answered > remote.client.reconnect_for)) {
      return batch.status();
    }
    if (batch.ok()) {
      answered = Steady::now();
      const double left = batch->queued() + batch->running();
      const double ended = batch->succeeded() + batch->failed() + batch->cancelled();
      const std::string line = BatchCounts(*batch);
      context.console.SetStatus(
          BarOf(context.console, name, ended / std::max(1.0, left + ended), BatchSpeed(*batch)));
      if (std::exchange(told, line) != line) {
        if (remote.json) {
          context.console.Print(
              JsonLine({{"event", "batch"}, {"batch", BatchReportJson(*batch, {})}}));
        } else if (!context.console.has_status_line()) {
          context.console.Say(fmt::format("{}: {}", name, line));
        }
      }
      if (left == 0) {
        context.console.SetStatus("");
        return batch;
      }
    }
    if (!RealClock().Sleep(std::max(kBetweenLooks, kShareOfLooks * took), context.stop)) {
      context.console.SetStatus("");
      return Error(Reason::kCancelled, "stopped watching; the batch goes on");
    }
  }
}

absl::StatusOr<int> WatchToItsEnd(Client& client, const std::string& name, const std::string& owner,
                                  const RemoteOptions& remote, const CommandContext& context) {
  GLINT_ASSIGN_OR_RETURN(const auto batch, WatchBatch(client, name, owner, remote, context));
  if (!remote.json) context.console.Print(BatchTable(batch));
  return WorstCodeOf(batch);
}

/// Says what was queued. @return the exit code
int TellSubmitted(const SubmitBatchOptions& options, const BatchList& list,
                  const BatchSubmitted& submitted, Console& console) {
  int code = kExitSuccess;
  for (const v1::BatchRefusal& refusal : submitted.refused) {
    const auto reason = FailureReasonNamed(refusal.error().reason()).value_or(Reason::kInternal);
    code = Worse(code, Info(reason).exit_code);
  }
  if (options.remote.json) {
    for (const v1::BatchRefusal& refusal : submitted.refused) {
      console.Print(JsonLine({{"event", "refused"},
                              {"scan_id", refusal.scan_id()},
                              {"reason", refusal.error().reason()},
                              {"message", refusal.error().message()}}));
    }
    console.Print(JsonLine({{"event", "batch_submitted"},
                            {"batch", options.name},
                            {"created", submitted.created},
                            {"existed", submitted.existed},
                            {"repeated", list.repeated},
                            {"refused", submitted.refused.size()}}));
    return code;
  }
  for (std::size_t i = 0; i < std::min(submitted.refused.size(), kShownRefusals); ++i) {
    const v1::BatchRefusal& refusal = submitted.refused[i];
    console.Say(fmt::format("{}: {}: {}", refusal.scan_id(), refusal.error().reason(),
                            OneLine(refusal.error().message())));
  }
  if (submitted.refused.size() > kShownRefusals) {
    console.Say(
        fmt::format("and {} more; --json shows all", submitted.refused.size() - kShownRefusals));
  }
  console.Print(
      fmt::format("batch {}: {} queued, {} there already, {} refused; {} of the list "
                  "repeat others\n",
                  options.name, submitted.created, submitted.existed, submitted.refused.size(),
                  Counted(list.repeated, "line")));
  return code;
}

absl::StatusOr<int> RunBatchSubmit(SubmitBatchOptions& options, const CommandContext& context) {
  options.json = options.remote.json;
  GLINT_ASSIGN_OR_RETURN(const auto list, ReadBatchList(options.list, options.name));
  std::vector<v1::SubmitScanRequest> scans(list.entries.size());
  const v1::ScanOptions scan_options = ToMessage(options.scan);
  for (std::size_t i = 0; i < scans.size(); ++i) {
    scans[i].set_scan_id(list.entries[i].scan_id);
    scans[i].set_video_url(list.entries[i].url);
    scans[i].set_batch(options.name);
    scans[i].set_tier(options.tier);
    *scans[i].mutable_options() = scan_options;
  }
  GLINT_ASSIGN_OR_RETURN(const auto client, Connect(options.remote));
  std::string told;
  const auto submitted = SubmitInPieces(
      *client, std::move(scans), {.give_up_after = options.remote.client.reconnect_for},
      [&](std::size_t done, const std::string& waits) {
        context.console.SetStatus(
            BarOf(context.console, options.name,
                  static_cast<double>(done) / static_cast<double>(list.entries.size()), waits));
        if (std::exchange(told, waits) != waits && !waits.empty()) {
          context.console.Say(fmt::format("{} of {} submitted; waiting: {}", done,
                                          list.entries.size(), OneLine(waits)));
        }
      },
      context.stop);
  context.console.SetStatus("");
  if (ReasonOf(submitted.status()) == Reason::kCancelled) {
    return Error(Reason::kCancelled, "stopped; the same command takes it up again");
  }
  if (!submitted.ok()) return submitted.status();
  const int code = TellSubmitted(options, list, *submitted, context.console);
  if (!options.wait) return code;
  GLINT_ASSIGN_OR_RETURN(const int ended,
                         WatchToItsEnd(*client, options.name, "", options.remote, context));
  return Worse(code, ended);
}

absl::StatusOr<int> RunBatchStatus(NamedBatchOptions& options, const CommandContext& context) {
  options.json = options.remote.json;
  GLINT_ASSIGN_OR_RETURN(const auto client, Connect(options.remote));
  GLINT_ASSIGN_OR_RETURN(const auto batch, GetBatch(*client, options.name, options.owner, 1));
  context.console.Print(options.json
                            ? JsonLine({{"event", "batch"}, {"batch", BatchReportJson(batch, {})}})
                            : BatchTable(batch));
  return kExitSuccess;
}

absl::StatusOr<int> RunBatchWatch(NamedBatchOptions& options, const CommandContext& context) {
  options.json = options.remote.json;
  GLINT_ASSIGN_OR_RETURN(const auto client, Connect(options.remote));
  return WatchToItsEnd(*client, options.name, options.owner, options.remote, context);
}

absl::StatusOr<int> RunBatchReport(NamedBatchOptions& options, const CommandContext& context) {
  options.json = options.remote.json;
  GLINT_ASSIGN_OR_RETURN(const auto prices, ReadPrices(options.prices));
  GLINT_ASSIGN_OR_RETURN(const auto client, Connect(options.remote));
  GLINT_ASSIGN_OR_RETURN(const auto batch,
                         GetBatch(*client, options.name, options.owner, options.examples));
  if (options.json || options.format == "json") {
    context.console.Print(
        JsonLine({{"event", "batch_report"}, {"batch", BatchReportJson(batch, prices)}}));
  } else {
    context.console.Print(options.format == "csv" ? BatchReportCsv(batch, prices)
                                                  : BatchReportTable(batch, prices));
  }
  return kExitSuccess;
}

absl::StatusOr<int> RunBatchCancel(NamedBatchOptions& options, const CommandContext& context) {
  options.json = options.remote.json;
  GLINT_ASSIGN_OR_RETURN(const auto client, Connect(options.remote));
  v1::CancelBatchRequest request;
  request.set_batch(options.name);
  request.set_owner(options.owner);
  int cancelled = 0;
  int stopping = 0;
  for (bool more = true; more;) {
    if (context.stop.stop_requested()) return Error(Reason::kCancelled, "stopped");
    GLINT_ASSIGN_OR_RETURN(const auto response, client->CancelBatch(request));
    cancelled += response.cancelled();
    stopping += response.stopping();
    more = response.more();
  }
  context.console.Print(
      options.json
          ? JsonLine(
                {{"event", "batch_cancelled"}, {"cancelled", cancelled}, {"stopping", stopping}})
          : fmt::format("{} cancelled, {} told to stop\n", cancelled, stopping));
  return kExitSuccess;
}

absl::StatusOr<int> RunBatchRetry(NamedBatchOptions& options, const CommandContext& context) {
  options.json = options.remote.json;
  GLINT_ASSIGN_OR_RETURN(const auto client, Connect(options.remote));
  v1::RetryBatchRequest request;
  request.set_batch(options.name);
  request.set_owner(options.owner);
  for (const std::string& reason : options.reasons) request.add_reasons(reason);
  int queued = 0;
  for (bool more = true; more;) {
    if (context.stop.stop_requested()) return Error(Reason::kCancelled, "stopped");
    GLINT_ASSIGN_OR_RETURN(const auto response, client->RetryBatch(request));
    queued += response.queued();
    if (response.queue_full()) {
      return Error(
          ServiceReason::kQueueFull,
          fmt::format("{} queued again, then the queue was full; try again later", queued));
    }
    more = response.more();
  }
  context.console.Print(options.json ? JsonLine({{"event", "batch_retried"}, {"queued", queued}})
                                     : fmt::format("{} queued again\n", queued));
  return kExitSuccess;
}

void AddSubmit(CLI::App& batch, Action& action) {
  auto options = std::make_shared<SubmitBatchOptions>();
  CLI::App* command =
      batch.add_subcommand("submit", "Queue the videos of a list; again, what is not there yet");
  command
      ->add_option("list", options->list,
                   "A file with one \"URL\" or \"ID URL\" a line, or - for stdin; lines that start "
                   "with # do not count")
      ->required();
  command->add_option("--name", options->name, "The batch's name")->required();
  command->add_option("--tier", options->tier, "The tier of its scans; default: the token's");
  AddScanFlags(*command, options->scan);
  command->add_flag("--wait", options->wait, "Follow the batch to its end");
  AddRemoteOptions(*command, options->remote);
  command->footer(ExitCodeHelp());
  ActWhenChosen(*command, action, options, RunBatchSubmit);
}

using BatchAction = absl::StatusOr<int> (*)(NamedBatchOptions& options,
                                            const CommandContext& context);

/// Adds a command about one batch.
CLI::App& AddNamed(CLI::App& batch, Action& action, const char* name, const char* help,
                   const std::shared_ptr<NamedBatchOptions>& options, BatchAction run) {
  CLI::App* command = batch.add_subcommand(name, help);
  command->add_option("name", options->name, "The batch's name")->required();
  command->add_option("--owner", options->owner,
                      "Whose batch; default: one's own (others need the right to administer)");
  AddRemoteOptions(*command, options->remote);
  ActWhenChosen(*command, action, options, run);
  return *command;
}

}  // namespace

void AddBatchCommands(CLI::App& app, Action& action) {
  CLI::App* batch = app.add_subcommand("batch", "Many scans of a worker under one name");
  batch->require_subcommand(1);
  AddSubmit(*batch, action);
  const auto options = [] { return std::make_shared<NamedBatchOptions>(); };
  AddNamed(*batch, action, "status", "Count a batch's scans", options(), RunBatchStatus);
  AddNamed(*batch, action, "watch", "Follow a batch to its end", options(), RunBatchWatch)
      .footer(ExitCodeHelp());
  const auto report = options();
  CLI::App& command =
      AddNamed(*batch, action, "report", "Counts, speed, failures with examples, and costs", report,
               RunBatchReport);
  command
      .add_option("--price-per-hour", report->prices,
                  "What an hour of one scan at a time costs: 0.12, or DEVICE=PRICE (cuda=0.59) for "
                  "one kind of device; repeatable")
      ->type_name("[DEVICE=]PRICE");
  command.add_option("--format", report->format, "How it is written")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
  command.add_option("--examples", report->examples, "Scans shown of each reason, at most")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  AddNamed(*batch, action, "cancel", "Cancel what waits or runs of a batch", options(),
           RunBatchCancel);
  const auto retry = options();
  AddNamed(*batch, action, "retry", "Queue again what failed for a reason that may pass", retry,
           RunBatchRetry)
      .add_option("--reason", retry->reasons, "Only what failed for this reason; repeatable");
}

}  // namespace glint
