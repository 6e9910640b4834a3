// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_line.h"
#include "cli/run_batch.h"
#include "cli/text.h"
#include "cli/workers.h"
#include "glint/error.h"
#include "scan/request_check.h"
#include "tools/eval/evaluation.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct EvalOptions {
  std::vector<std::string> labels;
  std::string reports;
  std::string out = "glint-eval";
  ScanRequest request;
  WorkerOptions workers;
  bool force = false;
  bool json = false;
};

/// A labelled scan and the name of the folder that holds its result.
struct Labelled {
  ScanLabels labels;
  std::string id;
};

absl::StatusOr<std::vector<Labelled>> ReadAll(const std::vector<std::string>& files) {
  std::vector<Labelled> all;
  for (const std::string& file : files) {
    auto labels = ReadLabels(file);
    if (!labels.ok()) return labels.status();
    const std::string id = ScanIdFor(labels->name + ".mp4");
    const auto same = std::ranges::find(all, id, &Labelled::id);
    if (same != all.end()) {
      return Error(Reason::kInvalidOption,
                   fmt::format("two of the scans are called '{}'; evaluate them apart", id));
    }
    all.push_back({*std::move(labels), id});
  }
  return all;
}

/// Scans all, as far as they are not done.
absl::StatusOr<BatchTotals> ScanAll(const EvalOptions& options, const std::vector<Labelled>& scans,
                                    const CommandContext& context) {
  const auto workers = MakeWorkers(options.workers);
  if (!workers.ok()) return workers.status();
  BatchOptions plan{.request = options.request, .batch = true, .force = options.force};
  plan.root = options.out;
  for (const Labelled& scan : scans) {
    plan.jobs.push_back({.input = scan.labels.clip.string(),
                         .scan_id = scan.id,
                         .item_type = ItemTypeOf(scan.labels.kind)});
  }
  const auto fetcher = MakeFileFetcher();
  const auto store = MakeFolderStore(plan.root);
  const auto reporter =
      options.json ? MakeJsonReporter(context.console) : MakeTextReporter(context.console, true);
  const ScanDeps deps{*fetcher, *store, *(*workers)->devices, (*workers)->pool};
  return RunBatch(plan, deps, *reporter, context.stop);
}

/// Judges every scan that has a result. One whose result cannot be judged is told to the user and
/// worsens the exit code; one that failed in the batch has done so.
std::vector<ScanEvaluation> EvaluateAll(const EvalOptions& options,
                                        const std::vector<Labelled>& scans, BatchTotals& batch,
                                        const CommandContext& context) {
  const fs::path results = options.reports.empty() ? options.out : options.reports;
  std::vector<ScanEvaluation> evaluations;
  for (const Labelled& scan : scans) {
    ScanEvaluation& evaluation = evaluations.emplace_back();
    evaluation.name = scan.labels.name;
    if (const auto failed = batch.failures.find(scan.id); failed != batch.failures.end()) {
      evaluation.failure = failed->second;  // whatever lies there is of an earlier scan
      continue;
    }
    auto judged = EvaluateScan(scan.labels, results / scan.id);
    if (judged.ok()) {
      evaluation = *std::move(judged);
      continue;
    }
    evaluation.failure = In(scan.id, judged.status());
    batch.exit_code =
        Worse(batch.exit_code, Fail(context.console, options.json, evaluation.failure));
  }
  return evaluations;
}

Json WithEvent(std::string_view event, const Json& fields) {
  Json json = {{"event", event}};
  json.update(fields);
  return json;
}

absl::Status WriteJson(const fs::path& folder, const std::vector<ScanEvaluation>& evaluations) {
  Json json = SummaryJson(evaluations);
  Json& scans = json["results"] = Json::array();
  for (const ScanEvaluation& evaluation : evaluations) scans.push_back(ToJson(evaluation));
  const fs::path file = folder / "evaluation.json";
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  std::ofstream stream(file);
  stream << json.dump(2, ' ', false, Json::error_handler_t::replace)
         << '\n';  // file names are any bytes
  stream.close();
  if (stream) return absl::OkStatus();
  return Error(Reason::kOutputUnwritable,
               fmt::format("'{}' cannot be written; check the folder", file.string()));
}

int RunEval(EvalOptions& options, const CommandContext& context) {
  const auto fail = [&](const absl::Status& status) {
    return Fail(context.console, options.json, status);
  };
  const auto scans = ReadAll(options.labels);
  if (!scans.ok()) return fail(scans.status());
  BatchTotals batch;
  if (options.reports.empty()) {
    options.request.scan_id = scans->front().id;
    if (const auto valid = CheckRequest(options.request); !valid.ok()) return fail(valid);
    auto scanned = ScanAll(options, *scans, context);
    if (!scanned.ok()) return fail(scanned.status());
    batch = *std::move(scanned);
    if (batch.exit_code == kExitCancelled) return batch.exit_code;
  }
  const auto evaluations = EvaluateAll(options, *scans, batch, context);
  if (const auto written = WriteJson(options.out, evaluations); !written.ok()) {
    return Worse(batch.exit_code, fail(written));
  }
  if (!options.json) {
    context.console.Print(EvaluationTable(evaluations));
    return batch.exit_code;
  }
  for (const ScanEvaluation& evaluation : evaluations) {
    context.console.Print(JsonLine(WithEvent("evaluated", ToJson(evaluation))));
  }
  context.console.Print(JsonLine(WithEvent("evaluation", SummaryJson(evaluations))));
  return batch.exit_code;
}

}  // namespace

void AddEvalCommand(CLI::App& app, Action& action) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand(
      "eval", "Scan labelled videos and say how much of the known damage was found");
  command->add_option("labels", options->labels, "Label files, as glint synth writes them")
      ->required();
  command->add_option("--reports", options->reports,
                      "Scan nothing; judge the results in this folder, one folder per scan");
  command
      ->add_option("-o,--out", options->out,
                   "Where the results of the scans and evaluation.json go")
      ->capture_default_str();
  command->add_option("--profile", options->request.profile, "The detector, as of glint scan")
      ->capture_default_str();
  AddWorkerOptions(*command, options->workers);
  command->add_flag("--force", options->force, "Scan again what has a complete result");
  command->add_flag("--json", options->json, "One JSON object per event on stdout");
  command->footer(ExitCodeHelp());
  ActWhenChosen(*command, action, options, RunEval);
}

}  // namespace glint
